/* Waits of a driver, call by call: which the kernel ends after real time, and which only others
 * end. Each runs in a child process. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/time/idle_proof.h"
#include "tests/support/check.h"
#include "tests/support/machine.h"

struct rig {
    pid_t child;
    struct idle_proof *proof;
    _Atomic int *word; /* shared with the child */
};

static struct rig rig;
static const struct timespec hour = {.tv_sec = 3600};

static int setup(void **state)
{
    (void)state;
    rig = (struct rig){.word = mmap(NULL, sizeof *rig.word, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    assert_true(rig.word != MAP_FAILED);
    return 0;
}

static void end_child(void)
{
    idle_proof_destroy(rig.proof);
    rig.proof = NULL;
    if (rig.child > 0) {
        kill(rig.child, SIGKILL);
        waitpid(rig.child, NULL, 0);
    }
    rig.child = 0;
}

static int teardown(void **state)
{
    (void)state;
    end_child();
    munmap((void *)rig.word, sizeof *rig.word);
    return 0;
}

static void start(void (*behave)(bool is_timed), bool is_timed)
{
    rig.child = fork();
    assert_true(rig.child >= 0);
    if (rig.child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "waiter");
        behave(is_timed);
        _exit(1);
    }
    rig.proof = idle_proof_create(rig.child, NULL);
    assert_non_null(rig.proof);
}

static bool is_idle(void)
{
    bool has_run;
    return idle_proof_try(rig.proof, &has_run) == IDLE_PROOF_IDLE;
}

/* ---- Calls ---- */

static void by_clock_nanosleep(bool is_timed)
{
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, is_timed ? &hour : NULL, NULL);
}

static void by_nanosleep(bool is_timed)
{
    syscall(SYS_nanosleep, is_timed ? &hour : NULL, NULL);
}

static void by_ppoll(bool is_timed)
{
    struct timespec left = hour;
    syscall(SYS_ppoll, NULL, 0, is_timed ? &left : NULL, NULL, 8);
}

static void by_pselect(bool is_timed)
{
    struct timespec left = hour;
    syscall(SYS_pselect6, 0, NULL, NULL, NULL, is_timed ? &left : NULL, NULL);
}

static void by_epoll_pwait(bool is_timed)
{
    struct epoll_event event;
    syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, is_timed ? 3600000 : -1, NULL, 8);
}

#ifdef SYS_poll
static void by_poll(bool is_timed)
{
    syscall(SYS_poll, NULL, 0, is_timed ? 3600000 : -1);
}

static void by_select(bool is_timed)
{
    struct timeval left = {.tv_sec = 3600};
    syscall(SYS_select, 0, NULL, NULL, NULL, is_timed ? &left : NULL);
}

static void by_epoll_wait(bool is_timed)
{
    struct epoll_event event;
    syscall(SYS_epoll_wait, epoll_create1(0), &event, 1, is_timed ? 3600000 : -1);
}
#endif

static void by_futex(bool is_timed)
{
    syscall(SYS_futex, rig.word, FUTEX_WAIT, 0, is_timed ? &hour : NULL, NULL, 0);
}

static void by_private_futex(bool is_timed)
{
    int own = 0;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += 3600;
    syscall(SYS_futex, &own, FUTEX_WAIT_BITSET_PRIVATE, 0, is_timed ? &end : NULL, NULL, ~0U);
}

static void by_sigtimedwait(bool is_timed)
{
    const uint64_t usr1 = UINT64_C(1) << (SIGUSR1 - 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    syscall(SYS_rt_sigtimedwait, &usr1, NULL, is_timed ? &hour : NULL, 8);
}

static void by_recvmmsg(bool is_timed)
{
    char byte;
    struct iovec bytes = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &bytes, .msg_iovlen = 1}};
    struct timespec left = hour;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0)
        syscall(SYS_recvmmsg, pair[0], &message, 1, 0, is_timed ? &left : NULL);
}

static void by_pause(bool is_timed)
{
    (void)is_timed;
    for (;;)
        pause();
}

static void by_sigsuspend(bool is_timed)
{
    (void)is_timed;
    sigset_t none;
    sigemptyset(&none);
    syscall(SYS_rt_sigsuspend, &none, 8);
}

static void by_read(bool is_timed)
{
    char byte;
    int ends[2];
    (void)is_timed;
    if (pipe(ends) == 0)
        (void)!read(ends[0], &byte, 1);
}

static void by_msgrcv(bool is_timed)
{
    char message[16];
    (void)is_timed;
    int queue = msgget(IPC_PRIVATE, 0600);
    atomic_store(rig.word, queue);
    msgrcv(queue, message, 8, 1, 0);
}

static const struct {
    const char *name;
    void (*behave)(bool is_timed);
    bool is_always; /* there is none without a timeout */
} calls[] = {
    {"clock_nanosleep", by_clock_nanosleep, true},
    {"nanosleep", by_nanosleep, true},
    {"ppoll", by_ppoll, false},
    {"pselect", by_pselect, false},
    {"epoll_pwait", by_epoll_pwait, false},
#ifdef SYS_poll
    {"poll", by_poll, false},
    {"select", by_select, false},
    {"epoll_wait", by_epoll_wait, false},
#endif
    {"futex", by_futex, false},
    {"futex", by_private_futex, false},
    {"sigtimedwait", by_sigtimedwait, false},
    {"recvmmsg", by_recvmmsg, false},
};

static void a_wait_with_a_timeout_is_named_by_its_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        start(calls[i].behave, true);
        WAIT_UNTIL(is_idle());
        const struct idle_proof_foreign *foreign = &idle_proof_stats(rig.proof)->foreign;
        if (!idle_proof_is_foreign(rig.proof) || foreign->seen == 0)
            fail_msg("%s is not reported", calls[i].name);
        assert_string_equal(foreign->call, calls[i].name);
        assert_string_equal(foreign->name, "waiter");
        assert_int_equal(foreign->process, rig.child);
        end_child();
    }
}

static void a_wait_without_a_timeout_is_not_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (calls[i].is_always)
            continue;
        start(calls[i].behave, false);
        WAIT_UNTIL(is_idle());
        if (idle_proof_is_foreign(rig.proof) || idle_proof_stats(rig.proof)->foreign.seen > 0)
            fail_msg("%s is reported", calls[i].name);
        end_child();
    }
}

static void a_wait_that_has_no_timeout_is_not_reported(void **state)
{
    (void)state;
    static void (*const untimed[])(bool) = {by_pause, by_sigsuspend, by_read, by_msgrcv};
    for (size_t i = 0; i < sizeof untimed / sizeof *untimed; i++) {
        start(untimed[i], false);
        WAIT_UNTIL(is_idle());
        if (idle_proof_is_foreign(rig.proof))
            fail_msg("%zu: %s is reported", i, idle_proof_stats(rig.proof)->foreign.call);
        end_child();
    }
    msgctl(atomic_load(rig.word), IPC_RMID, NULL);
}

static void sleep_in_two_processes(bool is_timed)
{
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "second");
        by_nanosleep(is_timed);
    }
    by_ppoll(is_timed);
}

static void the_first_wait_of_real_time_is_reported(void **state)
{
    (void)state;
    start(sleep_in_two_processes, true);
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 1) != 0);
    idle_proof_destroy(rig.proof); // another one finds both at once
    rig.proof = idle_proof_create(rig.child, NULL);
    assert_non_null(rig.proof);
    WAIT_UNTIL(is_idle());
    const struct idle_proof_foreign *foreign = &idle_proof_stats(rig.proof)->foreign;
    assert_int_equal(foreign->process, rig.child);
    assert_string_equal(foreign->name, "waiter");
    assert_string_equal(foreign->call, "ppoll");
}

static void sleep_then_pause(bool is_timed)
{
    while (!atomic_load(rig.word))
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 300000000}, NULL);
    by_pause(is_timed);
}

static bool is_foreign_idle(void)
{
    return is_idle() && idle_proof_is_foreign(rig.proof);
}

static bool is_other_idle(void)
{
    return is_idle() && !idle_proof_is_foreign(rig.proof);
}

static void a_wait_of_real_time_counts_as_long_as_it_lasts(void **state)
{
    (void)state;
    start(sleep_then_pause, true);
    WAIT_UNTIL(is_foreign_idle());
    assert_true(is_foreign_idle()); // also where it is known to sleep on
    atomic_store(rig.word, 1);
    WAIT_UNTIL(is_other_idle());
    assert_true(idle_proof_stats(rig.proof)->foreign.seen > 0);
}

/* ---- Threads that run at the same time ---- */

static int pipes[2][2];

static void *read_on(void *end)
{
    char byte;
    while (read(*(const int *)end, &byte, 1) == 1)
        ;
    return NULL;
}

static void read_in_two_threads(bool is_timed)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, read_on, &pipes[i][0]) != 0)
            return;
    by_pause(is_timed);
}

static bool are_three_idle(void)
{
    return is_idle() && idle_proof_stats(rig.proof)->threads_max == 3;
}

/* Both threads, or one, get a byte, and then all wait. */
static void wake(int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(write(pipes[i][1], "x", 1), 1);
    WAIT_UNTIL(is_idle() && idle_proof_ran(rig.proof) == (size_t)count);
}

static void two_threads_that_ran_between_two_proofs_are_found(void **state)
{
    (void)state;
    struct idle_proof_race race = {0};
    assert_int_equal(pipe(pipes[0]) + pipe(pipes[1]), 0);
    start(read_in_two_threads, false);
    WAIT_UNTIL(are_three_idle());
    WAIT_UNTIL(is_idle() && idle_proof_ran(rig.proof) == 0);
    assert_false(idle_proof_find_race(rig.proof, &race));
    wake(1);
    assert_false(idle_proof_find_race(rig.proof, &race));
    kill(rig.child, SIGSTOP); // so that both run before the next look
    WAIT_UNTIL(waitpid(rig.child, NULL, WUNTRACED) == rig.child);
    assert_int_equal(write(pipes[0][1], "x", 1) + write(pipes[1][1], "x", 1), 2);
    kill(rig.child, SIGCONT);
    sleep_ms(50);
    WAIT_UNTIL(is_idle());
    assert_true(idle_proof_find_race(rig.proof, &race));
    assert_int_equal(race.process, rig.child);
    assert_true(race.threads[0] < race.threads[1]); // in the order of the list
    assert_true(idle_proof_has_run(rig.proof, race.process, race.threads[0]));
    assert_string_equal(race.name, "waiter");
    // One of them only came to wait for its turn; then the others.
    for (int i = 0; i < 4 && idle_proof_find_race(rig.proof, &race); i++)
        idle_proof_excuse(rig.proof, race.process, race.threads[1]);
    assert_false(idle_proof_find_race(rig.proof, &race));
    for (int i = 0; i < 4; i++)
        close(pipes[i / 2][i % 2]);
}

/* ---- Processes that run at the same time ---- */

static void poll_on(int end)
{
    char byte;
    struct pollfd wait = {.fd = end, .events = POLLIN};
    while (poll(&wait, 1, -1) == 1 && read(end, &byte, 1) == 1)
        ;
}

/* The first process polls a pipe, and its child reads from another pipe. */
static void wait_in_two_processes(bool is_timed)
{
    (void)is_timed;
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "reader");
        read_on(&pipes[1][0]);
    } else {
        poll_on(pipes[0][0]);
    }
}

static bool are_two_idle(void)
{
    return is_idle() && idle_proof_process(rig.proof, 1) > 0;
}

/* Both run between two proofs. */
static void wake_both(void)
{
    pid_t reader = idle_proof_process(rig.proof, 1);
    kill(reader, SIGSTOP);
    kill(rig.child, SIGSTOP);
    WAIT_UNTIL(waitpid(rig.child, NULL, WUNTRACED) == rig.child);
    assert_int_equal(write(pipes[0][1], "x", 1) + write(pipes[1][1], "x", 1), 2);
    kill(reader, SIGCONT);
    kill(rig.child, SIGCONT);
    sleep_ms(50);
    WAIT_UNTIL(is_idle());
}

/* The end of a poll has an order, the end of a read has none. */
static void of_two_processes_the_one_that_waited_without_order_is_named(void **state)
{
    (void)state;
    struct idle_proof_race race = {0};
    assert_int_equal(pipe(pipes[0]) + pipe(pipes[1]), 0);
    start(wait_in_two_processes, false);
    WAIT_UNTIL(are_two_idle());
    WAIT_UNTIL(is_idle() && idle_proof_ran(rig.proof) == 0);
    assert_false(idle_proof_find_race(rig.proof, &race));
    wake_both();
    assert_true(idle_proof_find_race(rig.proof, &race));
    assert_int_equal(race.process, idle_proof_process(rig.proof, 1));
    assert_int_equal(race.threads[0], rig.child);
    assert_int_equal(race.threads[1], race.process);
    assert_string_equal(race.name, "reader and waiter");
    assert_string_equal(race.call, "read");
    kill(race.process, SIGKILL);
    for (int i = 0; i < 4; i++)
        close(pipes[i / 2][i % 2]);
}

static void ignore(int number)
{
    (void)number;
}

/* Each waits until it is woken, by a byte or a signal. */
static void in_poll(int end)
{
    poll(&(struct pollfd){.fd = end, .events = POLLIN}, 1, -1);
}

static void in_read(int end)
{
    char byte;
    (void)!read(end, &byte, 1);
}

static void in_recv(int end)
{
    char byte;
    syscall(SYS_recvfrom, end, &byte, 1, 0, NULL, NULL);
}

static void in_sleep(int end)
{
    (void)end;
    syscall(SYS_nanosleep, &hour, NULL);
}

static void in_clock_sleep(int end)
{
    (void)end;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &hour, NULL);
}

static void in_sigtimedwait(int end)
{
    const uint64_t usr2 = UINT64_C(1) << (SIGUSR2 - 1);
    (void)end;
    syscall(SYS_rt_sigtimedwait, &usr2, NULL, &hour, 8);
}

static void (*waits[2])(int end); /* of a process and of its child */

static void wait_by_two_calls(bool is_timed)
{
    signal(SIGUSR1, ignore);
    int index = fork() == 0;
    if (index == 1)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    waits[index](pipes[index][0]);
    atomic_fetch_add(rig.word, 1);
    by_pause(is_timed);
}

/* The order of such an end depends on the kernel. */
static void the_process_of_a_race_is_the_one_whose_wait_has_no_order(void **state)
{
    static const struct {
        void (*waits[2])(int end);
        int late;
        const char *call;
    } cases[] = {
        {{in_poll, in_read}, 1, "read"},
        {{in_read, in_poll}, 0, "read"},
        {{in_read, in_read}, 0, "read"},
        {{in_poll, in_sleep}, 0, "poll"},
        {{in_clock_sleep, in_poll}, 0, "clock_nanosleep"},
        {{in_poll, in_clock_sleep}, 0, "poll"},
        {{in_poll, in_sigtimedwait}, 1, "sigtimedwait"},
        {{in_poll, in_recv}, 1, NULL},
    };
    char number[32];
    (void)state;
    snprintf(number, sizeof number, "system call %d", SYS_recvfrom);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct idle_proof_race race = {0};
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pipes[0]), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pipes[1]), 0);
        memcpy(waits, cases[i].waits, sizeof waits);
        atomic_store(rig.word, 0);
        start(wait_by_two_calls, false);
        WAIT_UNTIL(are_two_idle());
        WAIT_UNTIL(is_idle() && idle_proof_ran(rig.proof) == 0);
        pid_t both[] = {rig.child, idle_proof_process(rig.proof, 1)};
        for (int j = 0; j < 2; j++) {
            assert_int_equal(write(pipes[j][1], "x", 1), 1);
            kill(both[j], SIGUSR1);
        }
        WAIT_UNTIL(atomic_load(rig.word) == 2);
        WAIT_UNTIL(is_idle());
        assert_true(idle_proof_find_race(rig.proof, &race));
        assert_int_equal(race.process, both[cases[i].late]);
        assert_string_equal(race.call, cases[i].call ? cases[i].call : number);
        kill(both[1], SIGKILL);
        end_child();
        for (int j = 0; j < 4; j++)
            close(pipes[j / 2][j % 2]);
    }
}

/* Each time that it is woken, a new child waits. */
static void start_children(bool is_timed)
{
    char byte;
    while (read(pipes[0][0], &byte, 1) == 1)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            by_pause(is_timed);
        }
}

static void a_process_and_its_new_child_are_no_race(void **state)
{
    (void)state;
    struct idle_proof_race race = {0};
    assert_int_equal(pipe(pipes[0]), 0);
    start(start_children, false);
    WAIT_UNTIL(is_idle() && idle_proof_ran(rig.proof) == 0);
    for (int i = 1; i < 4; i++) {
        assert_int_equal(write(pipes[0][1], "x", 1), 1);
        WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, (size_t)i) > 0);
        assert_false(idle_proof_find_race(rig.proof, &race));
    }
    close(pipes[0][0]);
    close(pipes[0][1]);
}

/* ---- Programs without the clock library ---- */

static const char *script;

/* A shell whose standard input never ends. */
static void run_shell(bool is_timed)
{
    (void)is_timed;
    dup2(pipes[0][0], 0);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
}

static void read_then_run_shell(bool is_timed)
{
    char byte;
    (void)!read(pipes[1][0], &byte, 1);
    run_shell(is_timed);
}

static bool is_shell(void)
{
    char name[32];
    idle_proof_read_name(rig.child, name);
    return strcmp(name, "sh") == 0;
}

/* The library catches signal 62, but not 63. Go catches all signals. */
static void a_program_that_does_not_catch_the_signal_of_the_library_is_noted(void **state)
{
    static const struct {
        const char *script;
        bool is_noted;
    } cases[] = {
        {"trap : 62; read word", false},
        {"read word", true},
        {"trap : 63; read word", true},
        {"trap : 62 63; read word", true},
    };
    (void)state;
    assert_int_equal(pipe(pipes[0]), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        script = cases[i].script;
        start(run_shell, false);
        WAIT_UNTIL(is_shell());
        WAIT_UNTIL(is_idle());
        const struct idle_proof_stats *stats = idle_proof_stats(rig.proof);
        assert_int_equal(stats->clockless, cases[i].is_noted ? rig.child : 0);
        assert_string_equal(stats->clockless_name, cases[i].is_noted ? "sh" : "");
        end_child();
    }
    close(pipes[0][0]);
    close(pipes[0][1]);
}

/* A process that has not executed a program yet is still ptybot. */
static void a_shell_that_waits_for_a_program_is_not_noted_but_the_program_is(void **state)
{
    (void)state;
    assert_int_equal(pipe(pipes[0]) + pipe(pipes[1]), 0);
    script = "exec 2>/dev/null; cat; cat";
    start(read_then_run_shell, false);
    WAIT_UNTIL(is_idle());
    assert_true(is_idle());
    assert_int_equal(idle_proof_stats(rig.proof)->clockless, 0);
    assert_int_equal(write(pipes[1][1], "x", 1), 1);
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 1) != 0 &&
               idle_proof_stats(rig.proof)->clockless != 0);
    pid_t first = idle_proof_process(rig.proof, 1);
    assert_int_equal(idle_proof_stats(rig.proof)->clockless, first);
    assert_string_equal(idle_proof_stats(rig.proof)->clockless_name, "cat");
    kill(first, SIGKILL); // another one follows
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 1) != 0 &&
               idle_proof_process(rig.proof, 1) != first);
    assert_int_equal(idle_proof_stats(rig.proof)->clockless, first);
    kill(idle_proof_process(rig.proof, 1), SIGKILL);
    for (int i = 0; i < 4; i++)
        close(pipes[i / 2][i % 2]);
}

/* ---- Children of vfork ---- */

/* By the call that libraries use for it. */
static void spawn(bool is_timed)
{
    struct clone_args arguments = {.flags = CLONE_VFORK, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        by_pause(is_timed);
    }
}

static void a_parent_of_a_child_of_clone3_waits_too(void **state)
{
    (void)state;
    start(spawn, false);
    WAIT_UNTIL(is_idle());
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 1) > 0);
    assert_int_equal(idle_proof_process(rig.proof, 0), rig.child);
    kill(idle_proof_process(rig.proof, 1), SIGKILL);
}

/* ---- Resources ---- */

static void all_files_of_threads_are_closed_at_their_end(void **state)
{
    (void)state;
    unsigned count = descriptor_count();
    start(by_pause, false);
    WAIT_UNTIL(is_idle());
    end_child();
    assert_int_equal(descriptor_count(), count);
    start(by_pause, false);
    count = descriptor_count();
    WAIT_UNTIL(is_idle());
    assert_true(descriptor_count() > count);
    kill(rig.child, SIGKILL);
    waitpid(rig.child, NULL, 0);
    rig.child = 0;
    WAIT_UNTIL(is_idle() && idle_proof_process(rig.proof, 0) == 0);
    assert_int_equal(descriptor_count(), count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_wait_with_a_timeout_is_named_by_its_call),
        TEST(a_wait_without_a_timeout_is_not_reported),
        TEST(a_wait_that_has_no_timeout_is_not_reported),
        TEST(the_first_wait_of_real_time_is_reported),
        TEST(a_wait_of_real_time_counts_as_long_as_it_lasts),
        TEST(two_threads_that_ran_between_two_proofs_are_found),
        TEST(of_two_processes_the_one_that_waited_without_order_is_named),
        TEST(the_process_of_a_race_is_the_one_whose_wait_has_no_order),
        TEST(a_process_and_its_new_child_are_no_race),
        TEST(a_program_that_does_not_catch_the_signal_of_the_library_is_noted),
        TEST(a_shell_that_waits_for_a_program_is_not_noted_but_the_program_is),
        TEST(a_parent_of_a_child_of_clone3_waits_too),
        TEST(all_files_of_threads_are_closed_at_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
