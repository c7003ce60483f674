/* Time that waits for a driver with several threads, or with a thread that sleeps in the kernel. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "app/links/poller.h"
#include "tests/support/check.h"
#include "tests/unit/hold_rig.h"

/* ---- Threads that run at the same time ---- */

static bool has_race(unsigned one, unsigned other)
{
    const struct idle_proof_race *race = &rig.hold.race;
    int first = atomic_load(&rig.counts->threads[one]),
        second = atomic_load(&rig.counts->threads[other]);
    return race->process == rig.host &&
           ((race->threads[0] == first && race->threads[1] == second) ||
            (race->threads[0] == second && race->threads[1] == first));
}

static bool has_no_race(void)
{
    return rig.hold.race.process == 0;
}

static void the_first_two_threads_that_run_at_once_are_reported(void **state)
{
    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        run_threads(i, i);
    assert_true(has_no_race());
    assert_true(hold_was_exact(&rig.hold));
    run_threads(0, 1);
    assert_true(has_race(0, 1));
    assert_false(hold_was_exact(&rig.hold));
    run_threads(1, 2);
    assert_true(has_race(0, 1));
}

static void a_thread_that_comes_to_wait_for_its_turn_may_run_beside_another(void **state)
{
    (void)state;
    struct clock_slot *slot = arm_thread(0, CLOCK_SLOT_TURN, 1000 * MS, 0);
    run_threads(0, 1);
    assert_true(has_no_race());
    slot->state = CLOCK_SLOT_FREE; // it has its turn
    run_threads(0, 1);
    assert_true(has_race(0, 1));
}

/* The wait is older than the last proof, so the thread has only run inside the kernel. */
static void a_thread_in_an_older_wait_may_run_beside_another(void **state)
{
    (void)state;
    struct clock_slot *slot = arm_thread(0, CLOCK_SLOT_WAIT, 1000 * MS, 0);
    run_threads(2, 2); // since this proof, the wait is older
    run_threads(0, 1);
    assert_true(has_no_race());
    slot->order = atomic_fetch_add(&rig.shm->orders, 1);
    run_threads(0, 1);
    assert_true(has_race(0, 1));
}

static void a_timer_with_the_number_of_a_thread_is_no_thread(void **state)
{
    (void)state;
    arm_thread(0, CLOCK_SLOT_TIMER, 1000 * MS, 0);
    run_threads(2, 2);
    run_threads(0, 1);
    assert_true(has_race(0, 1));
}

/* ---- Threads that poll without success ---- */

static void who_looks_in_vain_beside_a_thread_that_works_looks_free_of_charge(void **state)
{
    (void)state;
    struct clock_slot *look = arm_thread(0, CLOCK_SLOT_POLL, 1000 * MS, 0);
    uint32_t moments = rig.shm->moments;
    run_threads(0, 0); // it has polled
    assert_int_equal(look->deadline_ns, HELD + 1000 * MS);
    run_threads(1, 2);
    assert_int_equal(rig.shm->moments, moments + 1);
    assert_int_equal(look->deadline_ns, rig.hold.clock_ns);
    look->deadline_ns = HELD + 1000 * MS;
    run_threads(0, 1);
    assert_int_equal(rig.shm->moments, moments + 2);
    assert_int_equal(look->deadline_ns, rig.hold.clock_ns);
}

/* Because of these polls, the other thread might otherwise never wait. */
static void it_does_not_look_free_of_charge_for_ever(void **state)
{
    (void)state;
    struct clock_slot *look = arm_thread(0, CLOCK_SLOT_POLL, 1000 * MS, 0);
    int times = 0;
    do {
        look->deadline_ns = HELD + 1000 * MS;
        run_threads(0, 1);
    } while (look->deadline_ns == rig.hold.clock_ns && times++ < 1000);
    assert_in_range(times, 1, 999);
    hold_felt(&rig.hold);
    look->deadline_ns = HELD + 1000 * MS;
    run_threads(0, 1);
    assert_int_equal(look->deadline_ns, rig.hold.clock_ns);
}

static void where_no_thread_looks_threads_that_work_change_nothing(void **state)
{
    (void)state;
    arm_thread(0, CLOCK_SLOT_TURN, 1000 * MS, 0);
    struct clock_slot *free_slot = arm_thread(1, CLOCK_SLOT_POLL, 1000 * MS, 1);
    free_slot->state = CLOCK_SLOT_FREE;
    uint32_t moments = rig.shm->moments;
    run_threads(0, 2);
    assert_int_equal(rig.shm->moments, moments);
    assert_int_equal(free_slot->deadline_ns, HELD + 1000 * MS);
}

/* ---- Ownership of a wait ---- */

static void a_signal_is_for_the_thread_that_waits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        struct clock_slot *slot = arm_thread(0, CLOCK_SLOT_WAIT, i * MS, i);
        assert_int_equal(next(false), HOLD_RELEASED);
        WAIT_UNTIL(atomic_load(&rig.counts->wakes) == (int)i + 1);
        assert_int_equal(atomic_load(&rig.counts->woken), slot->thread);
        slot->state = CLOCK_SLOT_FREE;
        WAIT_UNTIL(may_go());
    }
    assert_true(hold_was_exact(&rig.hold));
}

/* A slot of a thread of the test that uses the held clock. */
static struct clock_slot *own_slot;

/* Sleeps until the thread is in the kernel. */
static void nap_until_asleep(pid_t thread)
{
    char path[64], text[256] = "r";
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
    for (int i = 0; i < 10000 && text[0] == 'r'; i++) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(text, sizeof text, file));
        fclose(file);
        sleep_ms(1);
    }
}

static void *wait_as_a_stray(void *unused)
{
    own_slot->process = getpid();
    own_slot->thread = (int)syscall(SYS_gettid);
    own_slot->state = CLOCK_SLOT_ARMED;
    while (own_slot->state == CLOCK_SLOT_ARMED)
        if (own_slot->kind == CLOCK_SLOT_TURN)
            syscall(SYS_futex, &own_slot->state, FUTEX_WAIT, CLOCK_SLOT_ARMED, NULL, NULL, 0);
        else
            pause();
    return unused;
}

static void hear(int number)
{
    (void)number;
}

static void a_thread_outside_is_woken_as_it_waits(void **state)
{
    static const enum clock_slot_kind kinds[] = {CLOCK_SLOT_WAIT, CLOCK_SLOT_TURN};
    (void)state;
    sigaction(CLOCK_SHM_SIGNAL, &(struct sigaction){.sa_handler = hear}, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        own_slot = arm(0, kinds[i], i * MS);
        own_slot->state = CLOCK_SLOT_TAKEN;
        assert_int_equal(pthread_create(&thread, NULL, wait_as_a_stray, NULL), 0);
        WAIT_UNTIL(own_slot->state == CLOCK_SLOT_ARMED);
        nap_until_asleep(own_slot->thread);
        assert_int_equal(next(false), HOLD_RELEASED);
        const struct timespec end = {.tv_sec = time(NULL) + 20};
        assert_int_equal(pthread_timedjoin_np(thread, NULL, &end), 0);
        assert_int_equal(rig.hold.stray, getpid());
    }
    signal(CLOCK_SHM_SIGNAL, SIG_DFL);
}

static void of_two_threads_of_a_process_the_older_one_is_woken_first(void **state)
{
    (void)state;
    struct clock_slot *slots[2];
    for (unsigned i = 0; i < 2; i++) {
        slots[0] = arm_thread(i, CLOCK_SLOT_TURN, MS, 0);
        slots[1] = arm_thread(1 - i, CLOCK_SLOT_TURN, MS, 1);
        bool is_first_older = slots[0]->thread < slots[1]->thread;
        assert_int_equal(next(false), HOLD_RELEASED);
        assert_int_equal(slots[is_first_older ? 0 : 1]->state, CLOCK_SLOT_FIRED);
        assert_int_equal(slots[is_first_older ? 1 : 0]->state, CLOCK_SLOT_ARMED);
    }
}

static void the_wait_of_a_thread_that_has_ended_is_freed(void **state)
{
    (void)state;
    struct clock_slot *slot = arm(0, CLOCK_SLOT_WAIT, MS), *stray = arm(1, CLOCK_SLOT_WAIT, MS);
    slot->thread = rig.host + 4000000; // no such thread exists
    stray->process = getpid();
    stray->thread = getpid() + 4000000;
    assert_int_equal(next(true), HOLD_STEP);
    assert_int_equal(slot->state, CLOCK_SLOT_FREE);
    assert_int_equal(stray->state, CLOCK_SLOT_FREE);
    assert_int_equal(rig.hold.stray, 0);
}

/* ---- Damaged memory ---- */

static void a_number_of_waits_beyond_the_memory_is_not_believed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CLOCK_SHM_SLOTS; i++)
        arm_thread(i, CLOCK_SLOT_TURN, 1000 * MS, i % THREADS);
    for (int i = 0; i < 2; i++) {
        rig.shm->slots_used = i == 0 ? CLOCK_SHM_SLOTS : UINT32_MAX;
        run_threads(0, 1);
        hold_felt(&rig.hold);
        assert_false(hold_free_turn(&rig.hold));
        assert_int_equal(next(true), HOLD_STEP);
    }
}

/* ---- Waits of real time ---- */

static void while_a_host_sleeps_by_the_kernel_time_follows_real_time_at_most(void **state)
{
    (void)state;
    static const struct {
        double ceiling, pace;
    } cases[] = {{0.5, 0.5}, {INFINITY, 1}, {0.25, 0.25}, {4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig.hold.ceiling = cases[i].ceiling;
        assert_int_equal(next(true), HOLD_WAIT);
        int64_t step_ns = (int64_t)((double)MS / cases[i].pace);
        assert_int_equal(rig.wake_ns, rig.now_ns + step_ns);
        rig.now_ns += step_ns;
        assert_int_equal(next(true), HOLD_STEP);
    }
    assert_false(hold_was_exact(&rig.hold));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_THREADS(the_first_two_threads_that_run_at_once_are_reported),
        TEST_THREADS(a_thread_that_comes_to_wait_for_its_turn_may_run_beside_another),
        TEST_THREADS(a_thread_in_an_older_wait_may_run_beside_another),
        TEST_THREADS(a_timer_with_the_number_of_a_thread_is_no_thread),
        TEST_THREADS(who_looks_in_vain_beside_a_thread_that_works_looks_free_of_charge),
        TEST_THREADS(it_does_not_look_free_of_charge_for_ever),
        TEST_THREADS(where_no_thread_looks_threads_that_work_change_nothing),
        TEST_THREADS(a_signal_is_for_the_thread_that_waits),
        TEST_THREADS(a_thread_outside_is_woken_as_it_waits),
        TEST_THREADS(of_two_threads_of_a_process_the_older_one_is_woken_first),
        TEST_THREADS(the_wait_of_a_thread_that_has_ended_is_freed),
        TEST_THREADS(a_number_of_waits_beyond_the_memory_is_not_believed),
        TEST_SLEEPER(while_a_host_sleeps_by_the_kernel_time_follows_real_time_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
