/* The proof that a driver waits, on real processes that run, wait, end and create others. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/time/hold.h"
#include "tests/support/check.h"
#include "tests/unit/idle_rig.h"

/* ---- Behavior of children ---- */

static void *spin_in_thread(void *unused)
{
    (void)unused;
    spin();
    return NULL;
}

static void wait_beside_a_thread_that_spins(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin_in_thread, NULL);
    wait_for_ever();
}

static void wait_for_a_child_that_spins(void)
{
    if (fork() == 0)
        spin();
    wait_for_ever();
}

static void leave_one_that_spins(void)
{
    if (fork() == 0) {
        if (fork() == 0)
            spin();
        _exit(0);
    }
    wait_for_ever();
}

static void wait_in_vfork(void)
{
    pid_t child = vfork(); // NOLINT: it is the case
    if (child == 0) {
        pause(); // NOLINT: as above
        _exit(0);
    }
    wait_for_ever();
}

static void sleep_by_the_kernel(void)
{
    for (;;)
        nap_ms(1000000);
}

/* ---- Proven facts ---- */

static void one_that_waits_is_quiet_and_stays_so(void **state)
{
    bool has_run = false;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
        assert_false(has_run);
    }
    assert_false(idle_proof_is_foreign(rig.proof));
    assert_int_equal(idle_proof_process(rig.proof, 0), rig.child);
    assert_int_equal(idle_proof_process(rig.proof, 1), 0);
}

/* While a thread busy-waits, every proof fails; after it stops, a proof succeeds. */
static void check_spinner(void (*behave)(void))
{
    bool has_run;
    start(behave);
    for (int i = 0; i < 50; i++) {
        assert_int_not_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
        nap_ms(1);
    }
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
}

static void one_that_spins_is_not(void **state)
{
    (void)state;
    check_spinner(spin);
}

static void one_thread_that_spins_is_enough(void **state)
{
    (void)state;
    start(wait_beside_a_thread_that_spins);
    /* A proof may see the first thread before the second exists: this is quiet only once. */
    nap_ms(200);
    bool has_run;
    for (int i = 0; i < 50; i++)
        assert_int_not_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
    assert_true(idle_proof_busy_ns(rig.proof) > 0);
    atomic_store(&rig.shared->stop, 1);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_stats(rig.proof)->threads_max, 2);
}

static void a_child_counts(void **state)
{
    (void)state;
    check_spinner(wait_for_a_child_that_spins);
}

static void what_is_left_behind_counts(void **state)
{
    (void)state;
    check_spinner(leave_one_that_spins);
}

static void a_parent_in_vfork_waits_too(void **state)
{
    bool has_run;
    (void)state;
    start(wait_in_vfork);
    assert_true(becomes_idle(&has_run));
}

static void one_that_is_stopped_is_neither(void **state)
{
    bool has_run;
    int status;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    kill(rig.child, SIGSTOP);
    assert_int_equal(waitpid(rig.child, &status, WUNTRACED), rig.child);
    // The first attempt finds that the child no longer sleeps, the second finds the reason.
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_BUSY);
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_STOPPED);
    kill(rig.child, SIGCONT);
    assert_true(becomes_idle(&has_run));
}

static void a_wait_that_the_kernel_ends_is_reported(void **state)
{
    bool has_run;
    (void)state;
    start(sleep_by_the_kernel);
    assert_true(becomes_idle(&has_run));
    assert_true(idle_proof_is_foreign(rig.proof));
    const struct idle_proof_foreign *foreign = &idle_proof_stats(rig.proof)->foreign;
    assert_int_equal(foreign->process, rig.child);
    assert_string_equal(foreign->call, "clock_nanosleep");
}

static void one_that_has_ended_is_quiet(void **state)
{
    bool has_run;
    (void)state;
    start(spin);
    kill(rig.child, SIGKILL);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(waitpid(rig.child, NULL, 0), rig.child);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_process(rig.proof, 0), 0);
}

/* The output of a process before its end is still to be read, even before the parent has waited for
 * it. */
static void one_that_has_ended_has_run(void **state)
{
    bool has_run;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
    assert_false(has_run);
    kill(rig.child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)rig.child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    assert_int_equal(waitpid(rig.child, NULL, 0), rig.child);
}

static void wait_for_children(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            wait_for_ever();
    while (waitpid(-1, NULL, 0) > 0)
        ;
    wait_for_ever();
}

/* Processes that ended are counted once. */
static void a_process_that_has_ended_has_run_before_one_proof(void **state)
{
    bool has_run;
    (void)state;
    start(wait_for_children);
    do
        assert_true(becomes_idle(&has_run));
    while (has_run || idle_proof_process(rig.proof, 2) == 0);
    assert_int_equal(idle_proof_ran(rig.proof), 0);
    for (size_t i = 2; i >= 1; i--) {
        kill(idle_proof_process(rig.proof, i), SIGKILL);
        do
            assert_true(becomes_idle(&has_run));
        while (idle_proof_process(rig.proof, i) != 0);
        assert_int_equal(idle_proof_ran(rig.proof), 2); // the process and its parent
        assert_int_equal(idle_proof_try(rig.proof, &has_run), IDLE_PROOF_IDLE);
        assert_int_equal(idle_proof_ran(rig.proof), 0);
    }
}

static void it_works_here(void **state)
{
    struct error error = {0};
    (void)state;
    if (!idle_proof_test(&error))
        fail_msg("%s", error.text);
}

/* A wait of PROCESS in the page of a driver with damaged memory. Exits with 0 if it is freed. */
static _Noreturn void end_wait(pid_t process)
{
    static struct clock_shm page;
    struct hold hold;
    int64_t wake_ns;
    setpgid(0, 0);
    hold_open(&hold, &page);
    page.slots[0] = (struct clock_slot){.state = CLOCK_SLOT_ARMED,
                                        .kind = CLOCK_SLOT_ALARM,
                                        .process = process,
                                        .space = idle_proof_own_space()};
    page.slots_used = 1;
    if (!hold_watch(&hold, getpid()))
        _exit(3);
    hold.grant_ns = HOLD_NEVER;
    hold_next(&hold, false, INT64_MAX / 2, &wake_ns);
    _exit(page.slots[0].state == CLOCK_SLOT_FREE ? 0 : 1);
}

static void the_wait_of_no_process_is_freed_and_signals_nobody(void **state)
{
    (void)state;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        end_wait(0); // kill(0, ...) would signal the whole process group
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The proof reads the state and the run count of the child. */
static void a_proof_reads_nothing_of_a_keeper_that_waits(void **state)
{
    bool has_run;
    (void)state;
    start(wait_for_ever);
    assert_true(becomes_idle(&has_run));
    assert_int_equal(fewest_reads(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_that_waits_is_quiet_and_stays_so),
        TEST(one_that_spins_is_not),
        TEST(one_thread_that_spins_is_enough),
        TEST(a_child_counts),
        TEST(what_is_left_behind_counts),
        TEST_KEPT(a_child_counts),
        TEST_KEPT(what_is_left_behind_counts),
        TEST(a_parent_in_vfork_waits_too),
        TEST(one_that_is_stopped_is_neither),
        TEST(a_wait_that_the_kernel_ends_is_reported),
        TEST(one_that_has_ended_is_quiet),
        TEST(one_that_has_ended_has_run),
        TEST(a_process_that_has_ended_has_run_before_one_proof),
        TEST_KEPT(a_proof_reads_nothing_of_a_keeper_that_waits),
        cmocka_unit_test(the_wait_of_no_process_is_freed_and_signals_nobody),
        cmocka_unit_test(it_works_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
