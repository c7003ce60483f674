/* The proof that a host waits, on crowds of threads that are deaf (pty/shim/clock_shm.h). */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/machine.h"
#include "tests/unit/idle_rig.h"

enum { DEAF = 200, LIAR = DEAF }; /* the slot of a thread that spins */

static void heard(int number)
{
    (void)number;
    atomic_fetch_add(&rig.shared->count, 1);
}

static void fill_slot(struct clock_slot *slot)
{
    slot->process = getpid();
    slot->thread = (int32_t)syscall(SYS_gettid);
    slot->space = idle_proof_own_space();
    slot->order = atomic_fetch_add(&rig.page->orders, 1) + 1;
}

/* As the library does it. FIRED: it spins. */
static void *be_deaf(void *memory)
{
    sigset_t all, before;
    struct clock_slot *slot = memory;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    fill_slot(slot);
    atomic_store(&slot->is_deaf, 1);
    while (atomic_load(&slot->is_deaf))
        syscall(SYS_futex, &slot->is_deaf, FUTEX_WAIT, 1, NULL, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (atomic_load(&slot->state) == CLOCK_SLOT_FIRED) {
        atomic_fetch_add(&rig.shared->count, 1);
        spin();
    }
    wait_for_ever();
    return NULL;
}

/* It says that it sleeps. */
static void *lie(void *memory)
{
    struct clock_slot *slot = memory;
    fill_slot(slot);
    atomic_store(&slot->is_deaf, 1);
    spin();
    return NULL;
}

static void make_crowd(void)
{
    pthread_t thread;
    signal(SIGUSR1, heard);
    for (int i = 0; i < DEAF; i++)
        pthread_create(&thread, NULL, be_deaf, &rig.page->slots[i]);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void be_crowd(void)
{
    make_crowd();
    wait_for_ever();
}

static void be_crowd_with_one_that_lies(void)
{
    pthread_t thread;
    make_crowd();
    pthread_create(&thread, NULL, lie, &rig.page->slots[LIAR]);
    while (atomic_load(&rig.shared->is_over) == 0)
        syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAIT, 0, NULL, NULL, 0);
    pthread_exit(NULL);
}

/* Whatever wakes it, it becomes deaf again. */
static void *stay_deaf(void *memory)
{
    sigset_t all;
    struct clock_slot *slot = memory;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    fill_slot(slot);
    for (;;) {
        atomic_store(&slot->is_deaf, 1);
        while (atomic_load(&slot->is_deaf))
            syscall(SYS_futex, &slot->is_deaf, FUTEX_WAIT, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void be_crowd_that_stays_deaf(void)
{
    pthread_t thread;
    for (int i = 0; i < DEAF; i++)
        pthread_create(&thread, NULL, stay_deaf, &rig.page->slots[i]);
    while (atomic_load(&rig.shared->is_over) == 0)
        syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAIT, 0, NULL, NULL, 0);
    pthread_exit(NULL);
}

static int deaf_count(void)
{
    int count = 0;
    for (int i = 0; i < DEAF; i++)
        count += atomic_load(&rig.page->slots[i].is_deaf) != 0;
    return count;
}

static void start_crowd(void (*behave)(void))
{
    rig.page->slots_used = LIAR + 1;
    start(behave);
    while (deaf_count() < DEAF)
        nap_ms(1);
}

static struct clock_slot *start_crowd_with_one_that_lies(void)
{
    struct clock_slot *slot = &rig.page->slots[LIAR];
    start_crowd(be_crowd_with_one_that_lies);
    while (atomic_load(&slot->is_deaf) == 0)
        nap_ms(1);
    return slot;
}

static void assert_stays_busy(void)
{
    bool has_run;
    for (int i = 0; i < 200; i++)
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_BUSY);
}

static void a_proof_reads_nothing_of_threads_that_are_deaf(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_int_equal(fewest_reads(),
                     3); // state and turns of the first thread, signals of the process
}

/* IS_TAKEN: then another one is deaf in its slot. */
static void check_one_that_was_woken(bool is_taken)
{
    bool has_run;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    struct clock_slot *slot = &rig.page->slots[DEAF / 3];
    atomic_store(&slot->state, CLOCK_SLOT_FIRED);
    assert_true(idle_proof_rouse(slot));
    if (is_taken) {
        while (atomic_load(&rig.shared->count) == 0)
            nap_ms(1);
        slot->thread = rig.page->slots[DEAF / 2].thread;
        slot->order = atomic_fetch_add(&rig.page->orders, 1) + 1;
        atomic_store(&slot->is_deaf, 1);
    }
    assert_stays_busy();
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
}

static void one_of_a_crowd_that_was_woken_runs(void **state)
{
    (void)state;
    check_one_that_was_woken(false);
}

static void one_of_a_crowd_whose_slot_another_has_taken_runs(void **state)
{
    (void)state;
    check_one_that_was_woken(true);
}

static void one_of_a_crowd_hears_what_no_other_thread_takes(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(deaf_count(), DEAF);
    kill(rig.child, SIGUSR1);
    for (int i = 1; i < TRIES && idle_proof_try(rig.proof, &has_run) != IDLE_PROOF_BUSY; i++)
        nap_ms(1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_int_equal(deaf_count(), DEAF - 1);
    assert_int_equal(atomic_load(&rig.shared->count), 1);
}

/* Its threads may be about to end, and do something in that. */
static void a_crowd_without_its_first_thread_is_looked_at(void **state)
{
    bool has_run;
    (void)state;
    start_crowd_with_one_that_lies();
    assert_true(becomes_idle(&has_run)); // it believes the thread that spins
    atomic_store(&rig.shared->is_over, 1);
    syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (int i = 0; i < TRIES && deaf_count() > 0; i++) {
        idle_proof_try(rig.proof, &has_run);
        nap_ms(1);
    }
    assert_int_equal(deaf_count(), 0);
    assert_stays_busy();
}

/* In another process or PID namespace a thread may have the same number. */
static void a_thread_with_the_number_of_a_deaf_one_counts(void **state)
{
    bool has_run;
    (void)state;
    struct clock_slot *slot = start_crowd_with_one_that_lies();
    slot->process++;
    assert_stays_busy();
    slot->process--;
    slot->space++;
    assert_stays_busy();
    slot->space = 0;
    assert_stays_busy();
    slot->space = idle_proof_own_space();
    assert_true(becomes_idle(&has_run)); // it believes the thread that spins
}

static void a_crowd_that_was_killed_is_no_longer_listed(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    kill(rig.child, SIGKILL);
    waitpid(rig.child, NULL, 0);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_process(rig.proof, 0), 0);
    assert_int_equal(deaf_count(), 0);
}

static void one_of_a_crowd_without_its_first_thread_is_read_from_then_on(void **state)
{
    bool has_run;
    (void)state;
    start_crowd(be_crowd_that_stays_deaf);
    assert_true(becomes_idle(&has_run));
    atomic_store(&rig.shared->is_over, 1);
    syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAKE, 1, NULL, NULL, 0);
    nap_ms(1);
    assert_true(becomes_idle(&has_run));
    for (int i = 0; i < 50 && has_run; i++)
        assert_true(becomes_idle(&has_run));
    assert_false(has_run);
    for (int i = 0; i < 20; i++)
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
}

/* In the words of the kernel: signals 13 to 16, and the last one. */
static const char *pending;

static ssize_t say_pending(const char *path, char *bytes, size_t size, ssize_t got)
{
    (void)size;
    char *at = got > 0 && strstr(path, "/status") ? strstr(bytes, "ShdPnd:\t") : NULL;
    if (at)
        memcpy(at + 8, pending, 16);
    return got;
}

static void each_signal_that_no_thread_takes_wakes_one_of_a_crowd(void **state)
{
    static const char *const all[] = {"000000000000f000", "8000000000000000", "0000000000000001"};
    bool has_run;
    (void)state;
    start_crowd(be_crowd);
    assert_true(becomes_idle(&has_run));
    for (int i = 0; i < 3; i++) {
        pending = all[i];
        machine_text = say_pending;
        enum idle_proof_state found = idle_proof_try(rig.proof, &has_run);
        machine_text = NULL;
        assert_int_equal(found, IDLE_PROOF_BUSY);
        assert_int_equal(deaf_count(), DEAF - 1 - i);
        assert_true(becomes_idle(&has_run));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_proof_reads_nothing_of_threads_that_are_deaf),
        TEST(one_of_a_crowd_that_was_woken_runs),
        TEST(one_of_a_crowd_whose_slot_another_has_taken_runs),
        TEST(one_of_a_crowd_hears_what_no_other_thread_takes),
        TEST(a_crowd_without_its_first_thread_is_looked_at),
        TEST(one_of_a_crowd_without_its_first_thread_is_read_from_then_on),
        TEST(each_signal_that_no_thread_takes_wakes_one_of_a_crowd),
        TEST(a_thread_with_the_number_of_a_deaf_one_counts),
        TEST(a_crowd_that_was_killed_is_no_longer_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
