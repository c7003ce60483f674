/* The threads that a proof reads: all threads of a driver, wherever they are, and no others. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/allocations.h"
#include "tests/support/check.h"
#include "tests/support/machine.h"
#include "tests/unit/idle_rig.h"

static enum idle_proof_state try(void)
{
    bool has_run;
    return idle_proof_try(rig.proof, &has_run);
}

static bool is_idle(void)
{
    return try() == IDLE_PROOF_IDLE;
}

static bool is_read(pid_t process)
{
    pid_t other;
    for (size_t i = 0; (other = idle_proof_process(rig.proof, i)) != 0; i++)
        if (other == process)
            return true;
    return false;
}

static void assert_stays_busy(void)
{
    for (int i = 0; i < 20; i++)
        assert_int_equal(try(), IDLE_PROOF_BUSY);
}

/* ---- Other children of ptybot ---- */

/* A child that busy-waits. IS_APART: it is not in the process group of the test. */
static pid_t spin_beside(bool is_apart)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        spin();
    }
    if (is_apart)
        setpgid(child, child);
    return child;
}

static void end_process(pid_t process)
{
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, NULL, 0), process);
}

static void the_keeper_of_another_driver_counts_and_a_viewer_does_not(void **state)
{
    (void)state;
    start(wait_for_ever);
    pid_t viewer = spin_beside(false);
    WAIT_UNTIL(is_idle());
    assert_true(is_read(rig.child));
    assert_false(is_read(viewer));
    pid_t other = spin_beside(true);
    idle_proof_renew(rig.proof);
    assert_stays_busy();
    assert_true(is_read(rig.child));
    assert_true(is_read(other));
    assert_false(is_read(viewer));
    end_process(other);
    WAIT_UNTIL(is_idle());
    assert_false(is_read(other));
    end_process(viewer);
}

/* ---- Processes that leave the driver ---- */

static void wait_with_a_child_and_one_of_that(void)
{
    bool is_inner = fork() == 0;
    if (is_inner && fork() == 0) {
        atomic_store(&rig.shared->count, (int)getpid());
        spin();
    }
    wait_for_ever();
}

/* The child of CHILD. */
static pid_t between(pid_t child, pid_t last)
{
    for (size_t i = 0; i < 3; i++) {
        pid_t one = idle_proof_process(rig.proof, i);
        if (one != child && one != last)
            return one;
    }
    return 0;
}

static bool is_ours(pid_t process)
{
    return waitid(P_PID, (id_t)process, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* The test adopts it, into its own group. */
static void a_process_that_has_left_the_driver_does_not_count(void **state)
{
    (void)state;
    if (getpgrp() == 0) // it is one of an outer PID namespace
        assert_int_equal(setpgid(0, 0), 0);
    start(wait_with_a_child_and_one_of_that);
    WAIT_UNTIL(atomic_load(&rig.shared->count) != 0);
    pid_t last = atomic_load(&rig.shared->count);
    idle_proof_renew(rig.proof);
    assert_true(is_read(last));
    assert_stays_busy();
    kill(between(rig.child, last), SIGKILL);
    WAIT_UNTIL(is_ours(last));
    assert_stays_busy();
    setpgid(last, getpgrp());
    idle_proof_renew(rig.proof);
    bool is_still_read = is_read(last), becomes_quiet = false;
    for (int i = 0; i < 200 && !becomes_quiet; i++, nap_ms(5))
        becomes_quiet = is_idle();
    end_process(last);
    assert_false(is_still_read);
    assert_true(becomes_quiet);
}

/* ---- Process IDs that are used again ---- */

/* Its child waits. After that child has ended, another with the same process ID busy-waits. */
static void replace_a_child(void)
{
    pid_t child = fork();
    if (child == 0)
        wait_for_ever();
    atomic_store(&rig.shared->count, (int)child);
    waitpid(child, NULL, 0);
    while (atomic_load(&rig.shared->is_over) == 0)
        ;
    const struct clone_args arguments = {
        .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&child, .set_tid_size = 1};
    long other = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (other == 0)
        spin();
    atomic_store(&rig.shared->total, other < 0 ? -1 : 1);
    wait_for_ever();
}

static bool is_gone(pid_t process)
{
    return kill(process, 0) != 0;
}

static void a_process_with_the_number_of_one_that_has_ended_is_another_one(void **state)
{
    (void)state;
    start(replace_a_child);
    WAIT_UNTIL(is_idle() && atomic_load(&rig.shared->count) != 0 &&
               is_read(atomic_load(&rig.shared->count)));
    pid_t child = atomic_load(&rig.shared->count);
    kill(child, SIGKILL);
    WAIT_UNTIL(is_gone(child));
    assert_stays_busy();
    atomic_store(&rig.shared->is_over, 1);
    WAIT_UNTIL(atomic_load(&rig.shared->total) != 0);
    if (atomic_load(&rig.shared->total) < 0)
        skip(); // only a privileged process can choose a process ID
    idle_proof_renew(rig.proof);
    assert_true(is_read(child));
    assert_stays_busy();
    atomic_store(&rig.shared->stop, 1);
    WAIT_UNTIL(is_idle());
}

/* ---- PID namespaces ---- */

static void *wait_in_thread(void *unused)
{
    wait_for_ever();
    return unused;
}

/* Two processes, each the first in a namespace. Only the second process has two threads. */
static void make_two_spaces(void)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        if (fork() != 0)
            continue;
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
            atomic_store(&rig.shared->stop, 1);
        } else if (fork() == 0) {
            if (i == 1)
                pthread_create(&thread, NULL, wait_in_thread, NULL);
            atomic_fetch_add(&rig.shared->count, 1);
            wait_for_ever();
        }
        waitpid(-1, NULL, 0);
        wait_for_ever();
    }
    wait_for_ever();
}

static uint64_t space_of(pid_t process)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)process);
    assert_int_equal(stat(path, &about), 0);
    return about.st_ino;
}

static bool finds(uint64_t space, pid_t process, pid_t thread, pid_t *process_here,
                  pid_t *thread_here)
{
    const struct idle_proof_name name = {.space = space, .process = process, .thread = thread};
    return idle_proof_find(rig.proof, &name, process_here, thread_here);
}

static void a_thread_is_found_by_the_numbers_of_its_namespace(void **state)
{
    pid_t inner[2], process = 0, thread = 0;
    uint64_t own = idle_proof_own_space(), space[2];
    size_t count = 0;
    (void)state;
    start(make_two_spaces);
    WAIT_UNTIL(atomic_load(&rig.shared->count) == 2 || atomic_load(&rig.shared->stop) != 0);
    if (atomic_load(&rig.shared->stop) != 0)
        skip(); // this user may not create a namespace
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 4) != 0);
    for (size_t i = 0; i < 5; i++) {
        pid_t one = idle_proof_process(rig.proof, i);
        if (space_of(one) != own)
            inner[count++] = one;
    }
    assert_int_equal(count, 2);
    for (size_t i = 0; i < 2; i++) {
        space[i] = space_of(inner[i]);
        assert_true(finds(space[i], 1, 1, &process, &thread));
        assert_int_equal(process, inner[i]);
        assert_int_equal(thread, inner[i]);
        assert_int_equal(finds(space[i], 1, 2, &process, &thread), i == 1);
        assert_int_equal(process, inner[i]);
        assert_int_equal(thread != inner[i], i == 1);
        assert_true(finds(space[i], 1, 0, &process, &thread));
        assert_int_equal(process, inner[i]);
        assert_false(finds(space[i], 1, 3, &process, &thread));
        assert_false(finds(space[i], inner[i], 0, &process, &thread));
        assert_true(idle_proof_knows_space(rig.proof, space[i]));
    }
    assert_int_not_equal(space[0], space[1]);
    assert_true(finds(0, 1, 1, &process, &thread)); // any of them is correct
    assert_int_not_equal(space_of(process), own);
    assert_true(finds(own, rig.child, rig.child, &process, &thread));
    assert_int_equal(process, rig.child);
    assert_int_equal(thread, rig.child);
    assert_false(finds(own, 1, 0, &process, &thread));
    assert_true(idle_proof_knows_space(rig.proof, own));
    assert_true(idle_proof_knows_space(rig.proof, 0));
    assert_false(idle_proof_knows_space(rig.proof, own + space[0] + space[1]));
    for (size_t i = 0; i < 2; i++)
        kill(inner[i], SIGKILL);
    WAIT_UNTIL(is_idle() && !is_read(inner[0]) && !is_read(inner[1]));
    assert_true(idle_proof_knows_space(rig.proof, space[0])); // it belonged to the driver
    assert_false(finds(space[0], 1, 1, &process, &thread));
}

/* ---- Keepers ---- */

static bool is_in_state(pid_t process, char wanted)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    const char *at = strrchr(text, ')');
    return at && at[2] == wanted;
}

/* Makes it look as if the machine created no threads. */
static ssize_t without_births(const char *path, char *bytes, size_t size, ssize_t got)
{
    return strstr(path, "ns_last_pid") ? snprintf(bytes, size, "1000\n") : got;
}

/* A keeper that sleeps for a long time is not read, but it may run after a process ends. */
static void a_keeper_is_read_after_the_end_of_one_that_it_keeps(void **state)
{
    bool has_run, is_ever_idle = false;
    (void)state;
    machine_text = without_births;
    start(wait_for_ever);
    for (int i = 0; i < 20; i++)
        assert_true(becomes_idle(&has_run));
    kill(rig.keeper.pid, SIGSTOP); // it does not run on
    WAIT_UNTIL(is_in_state(rig.keeper.pid, 'T'));
    bool is_unread = is_idle();
    kill(rig.child, SIGKILL);
    WAIT_UNTIL(is_in_state(rig.child, 'Z'));
    for (int i = 0; i < 5; i++)
        is_ever_idle |= is_idle();
    kill(rig.keeper.pid, SIGCONT);
    assert_true(is_unread);
    assert_false(is_ever_idle);
    assert_true(becomes_idle(&has_run));
    assert_true(has_run);
    machine_text = NULL;
}

/* ---- New processes ---- */

static void start_one_that_spins(void)
{
    while (atomic_load(&rig.shared->is_over) == 0)
        syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAIT, 0, NULL, NULL, 0);
    if (fork() == 0)
        spin();
    wait_for_ever();
}

/* The ID of the machine's newest thread cannot be read. */
static ssize_t hide_births(const char *path, char *bytes, size_t size, ssize_t got)
{
    (void)bytes, (void)size;
    if (!strstr(path, "ns_last_pid"))
        return got;
    errno = EACCES;
    return -1;
}

static void a_new_process_counts_also_where_proc_hides_the_newest_number(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        machine_text = i == 0 ? NULL : hide_births;
        atomic_store(&rig.shared->is_over, 0);
        atomic_store(&rig.shared->stop, 0);
        start(start_one_that_spins);
        for (int tries = 0; tries < 3; tries++)
            WAIT_UNTIL(is_idle());
        assert_int_equal(idle_proof_process(rig.proof, 1), 0);
        atomic_store(&rig.shared->is_over, 1);
        syscall(SYS_futex, &rig.shared->is_over, FUTEX_WAKE, 1, NULL, NULL, 0);
        for (int tries = 0; tries < 20; tries++, nap_ms(1))
            if (is_idle()) // only before it runs
                assert_int_equal(idle_proof_process(rig.proof, 1), 0);
        assert_int_not_equal(idle_proof_process(rig.proof, 1), 0);
        assert_stays_busy();
        atomic_store(&rig.shared->stop, 1);
        WAIT_UNTIL(is_idle());
        machine_text = NULL;
        kill(-rig.child, SIGKILL);
        while (waitpid(-1, NULL, 0) > 0)
            ;
        idle_proof_destroy(rig.proof);
        rig.proof = NULL;
    }
}

/* ---- Memory and descriptors ---- */

static void *spin_in_thread(void *unused)
{
    spin();
    return unused;
}

static void wait_beside_a_thread_that_spins(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin_in_thread, NULL);
    wait_for_ever();
}

static void without_memory_no_proof_succeeds(void **state)
{
    (void)state;
    start(wait_beside_a_thread_that_spins);
    nap_ms(50); // until the thread exists
    for (size_t i = 1; i <= 6; i++) {
        idle_proof_destroy(rig.proof);
        rig.proof = idle_proof_create(rig.child, rig.page);
        allocations_gap = allocations + i;
        enum idle_proof_state first = try();
        allocations_gap = 0;
        assert_int_equal(first, IDLE_PROOF_BUSY);
        assert_stays_busy();
    }
    allocations_end = allocations + 1;
    struct idle_proof *none = idle_proof_create(rig.child, rig.page);
    allocations_end = 0;
    assert_null(none);
    idle_proof_destroy(none);
}

static void sleep_by_the_kernel(void)
{
    prctl(PR_SET_NAME, "sleeper");
    for (;;)
        nap_ms(1000000);
}

/* A user may have closed the standard input. */
static void a_proof_leaves_memory_and_descriptors_as_they_were(void **state)
{
    struct error error = {0};
    (void)state;
    start(sleep_by_the_kernel);
    idle_proof_destroy(rig.proof);
    for (int i = 0; i < 2; i++) {
        int input = dup(0);
        if (i == 1)
            close(0);
        unsigned count = descriptor_count(), inherited = inherited_count();
        size_t held = allocations_held;
        rig.proof = idle_proof_create(rig.child, NULL);
        idle_proof_renew(rig.proof); // no thread has been read yet
        idle_proof_destroy(rig.proof);
        unsigned renewed = descriptor_count();
        rig.proof = idle_proof_create(rig.child, NULL);
        WAIT_UNTIL(is_idle());
        unsigned more = inherited_count();
        bool is_named = strcmp(idle_proof_stats(rig.proof)->foreign.name, "sleeper") == 0;
        pid_t clockless = idle_proof_stats(rig.proof)->clockless;
        idle_proof_destroy(rig.proof);
        rig.proof = NULL;
        bool is_fine = idle_proof_test(&error);
        unsigned left = descriptor_count();
        dup2(input, 0);
        close(input);
        assert_int_equal(allocations_held, held);
        assert_int_equal(renewed, count);
        assert_int_equal(left, count);
        assert_int_equal(more, inherited);
        assert_true(is_named);
        assert_int_equal(clockless, 0); // it has not executed a program
        if (!is_fine)
            fail_msg("%s", error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_keeper_of_another_driver_counts_and_a_viewer_does_not),
        TEST(a_process_that_has_left_the_driver_does_not_count),
        TEST(a_process_with_the_number_of_one_that_has_ended_is_another_one),
        TEST(a_thread_is_found_by_the_numbers_of_its_namespace),
        TEST_KEPT(a_keeper_is_read_after_the_end_of_one_that_it_keeps),
        TEST(a_new_process_counts_also_where_proc_hides_the_newest_number),
        TEST(without_memory_no_proof_succeeds),
        TEST(a_proof_leaves_memory_and_descriptors_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
