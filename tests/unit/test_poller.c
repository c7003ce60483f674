/* Descriptors and deadlines that a loop waits for, and the signals that request the end. Each case
 * of signals runs in a child process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/links/poller.h"
#include "tests/support/machine.h"

#define LATER_NS INT64_C(60000000000) /* reached only on a failure */

static struct poller open_poller(void)
{
    struct poller poller;
    struct error error = {0};
    if (!poller_open(&poller, &error))
        fail_msg("%s", error.text);
    return poller;
}

/* The reports of one wait for OWNER; INDEX is the last one's. */
static size_t reports_of(struct poller *poller, int64_t until_ns, enum poller_owner owner,
                         size_t *index)
{
    struct poller_ready ready[POLLER_READY_MAX];
    size_t found = 0, count = poller_wait(poller, until_ns, ready);
    for (size_t i = 0; i < count; i++) {
        if (ready[i].owner != owner)
            continue;
        *index = ready[i].index;
        found++;
    }
    return found;
}

static void a_wait_ends_at_its_time_and_not_before(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    size_t index;
    for (int i = 0; i < 5; i++) {
        int64_t until_ns = poller_now_ns() + 3000000;
        assert_int_equal(reports_of(&poller, until_ns, POLLER_TIMER, &index), 1);
        assert_int_equal(index, 0);
        assert_true(poller_now_ns() >= until_ns);
        assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 0);
    }
    assert_true(poller_now_ns() / 1000000000 > 0);
    poller_close(&poller);
}

/* These replace functions of the C library, and note their last arguments. */
static struct timespec deadline;
static int timeout_ms;
static pid_t parents[2]; /* the next answers of getppid; 0: the real one */
static bool is_parent_outside, has_timers = true;

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int timerfd_settime(int fd, int flags, const struct itimerspec *wanted, struct itimerspec *before)
{
    deadline = wanted->it_value;
    return (int)syscall(SYS_timerfd_settime, fd, flags, wanted, before);
}

int timerfd_create(int clock, int flags)
{
    if (has_timers)
        return (int)syscall(SYS_timerfd_create, clock, flags);
    errno = ENODEV;
    return -1;
}

int epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
    timeout_ms = timeout;
    return (int)syscall(SYS_epoll_pwait, fd, events, room, timeout, NULL, 8);
}

pid_t getppid(void)
{
    pid_t answer = parents[0];
    parents[0] = parents[1];
    if (answer > 0 || is_parent_outside)
        return answer;
    return (pid_t)syscall(SYS_getppid);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static void the_time_is_that_of_the_clock(void **state)
{
    (void)state;
    machine_time_ms = 7654321;
    int64_t now_ns = poller_now_ns();
    machine_time_ms = 0;
    assert_int_equal(now_ns, INT64_C(7654321000000));
}

static void a_wait_for_a_time_that_has_come_ends_at_once(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    size_t index;
    machine_time_ms = 1;
    for (int64_t until_ns = 0; until_ns <= 1000000; until_ns += 500000) {
        assert_int_equal(reports_of(&poller, until_ns, POLLER_TIMER, &index), 0);
        assert_int_equal(timeout_ms, 0);
    }
    assert_int_equal(reports_of(&poller, 1000001, POLLER_TIMER, &index), 1);
    assert_true(timeout_ms < 0);
    machine_time_ms = 0;
    poller_close(&poller);
}

/* Also to the nanosecond before a full second. On the stopped clock these times are in the future,
 * on the machine's clock in the past. */
static void a_deadline_is_exact_at_each_part_of_a_second(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    size_t index;
    machine_time_ms = 1;
    for (int64_t until_ns = 1000000000 - 2; until_ns < 1000000000 + 2; until_ns++) {
        assert_int_equal(reports_of(&poller, until_ns, POLLER_TIMER, &index), 1);
        assert_int_equal(deadline.tv_sec, until_ns >= 1000000000);
        assert_int_equal(deadline.tv_nsec, until_ns % 1000000000);
    }
    machine_time_ms = 0;
    poller_close(&poller);
}

static void a_ready_descriptor_is_reported_with_its_owner_and_number(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    int ends[2];
    size_t index = 0;
    assert_int_equal(pipe(ends), 0);
    assert_true(poller_set(&poller, ends[0], EPOLLIN, POLLER_CLIENT, 70000));
    assert_int_equal(reports_of(&poller, 0, POLLER_CLIENT, &index), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(reports_of(&poller, poller_now_ns() + LATER_NS, POLLER_CLIENT, &index), 1);
    assert_int_equal(index, 70000);
    assert_true(poller_set(&poller, ends[0], EPOLLIN, POLLER_LISTENER, 3));
    assert_int_equal(reports_of(&poller, 0, POLLER_LISTENER, &index), 1);
    poller_drop(&poller, ends[0]);
    assert_int_equal(reports_of(&poller, 0, POLLER_LISTENER, &index), 0);
    close(ends[0]);
    close(ends[1]);
    poller_close(&poller);
}

/* Pipes with a byte in each. */
static void open_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        assert_int_equal(write(pipes[i][1], "x", 1), 1);
    }
}

static void an_owner_whose_descriptors_change_is_reported_for_the_new_ones(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    struct poller_set set = {0}, wanted = {.count = 2};
    int pipes[3][2];
    size_t index;
    open_pipes(pipes);
    for (int i = 0; i < 2; i++)
        wanted.fds[i] = (struct pollfd){.fd = pipes[i][0], .events = POLLIN};
    for (int again = 0; again < 2; again++) {
        poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
        assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 2);
    }
    wanted.fds[1].fd = pipes[2][0];
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 2);
    wanted.fds[1].events = 0;
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 1);
    /* Another pipe of the same number: only the version shows it. */
    assert_int_equal(dup2(pipes[2][0], pipes[0][0]), pipes[0][0]);
    wanted.version++;
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 1);
    wanted.count = 0;
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 0);
    for (int i = 0; i < 6; i++)
        close(pipes[i / 2][i % 2]);
    poller_close(&poller);
}

/* Also if another poller used that memory before, with a deadline in the future. */
static void a_new_poller_sets_its_timer(void **state)
{
    (void)state;
    size_t index;
    int64_t until_ns = poller_now_ns() + 3000000;
    struct poller poller = {.set_ns = until_ns};
    struct error error = {0};
    assert_true(poller_open(&poller, &error));
    assert_int_equal(reports_of(&poller, until_ns, POLLER_TIMER, &index), 1);
    poller_close(&poller);
}

static void a_change_of_events_or_of_a_descriptor_alone_is_followed(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    struct poller_set set = {0}, wanted = {.count = 1};
    int pipes[3][2];
    size_t index;
    open_pipes(pipes);
    wanted.fds[0] = (struct pollfd){.fd = pipes[0][0], .events = POLLIN};
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    wanted.fds[0].events = 0;
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 0);
    wanted.fds[0] =
        (struct pollfd){.fd = pipes[1][0], .events = 0}; /* only the descriptor changes */
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    wanted.fds[0].events = POLLIN;
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(write(pipes[0][1], "y", 1), 1);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 1);
    wanted.fds[0].fd = pipes[2][0];
    assert_int_equal(read(pipes[2][0], &(char){0}, 1), 1);
    poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
    assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 0);
    for (int i = 0; i < 6; i++)
        close(pipes[i / 2][i % 2]);
    poller_close(&poller);
}

/* The owner has fewer descriptors than there is room for. */
static void the_descriptors_of_others_stay_when_an_owner_changes(void **state)
{
    (void)state;
    struct poller poller = open_poller();
    struct poller_set set = {0}, wanted = {.count = 1};
    int pipes[3][2];
    size_t index;
    open_pipes(pipes);
    wanted.fds[0] = (struct pollfd){.fd = pipes[0][0], .events = POLLIN};
    wanted.fds[1] = (struct pollfd){.fd = pipes[2][0], .events = POLLIN}; /* beyond the count */
    assert_true(poller_set(&poller, pipes[2][0], EPOLLIN, POLLER_CLIENT, 1));
    for (int i = 0; i < 3; i++) {
        poller_follow(&poller, &set, &wanted, POLLER_LINK, 5);
        assert_int_equal(reports_of(&poller, 0, POLLER_CLIENT, &index), 1);
        assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 1);
        wanted.fds[0].fd = pipes[i & 1][0];
    }
    for (int i = 0; i < 6; i++)
        close(pipes[i / 2][i % 2]);
    poller_close(&poller);
}

/* The others are reported by the next wait. */
static void many_that_are_ready_are_reported_in_turn(void **state)
{
    (void)state;
    enum { MANY = 2 * POLLER_READY_MAX };
    struct poller poller = open_poller();
    struct poller_ready ready[POLLER_READY_MAX + 1];
    int ends[2], copies[MANY];
    bool is_reported[MANY] = {false};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    for (size_t i = 0; i < MANY; i++) {
        copies[i] = dup(ends[0]);
        assert_true(poller_set(&poller, copies[i], EPOLLIN, POLLER_LINK, i));
    }
    for (int i = 0; i < 2; i++) {
        memset(&ready[POLLER_READY_MAX], 0x55, sizeof *ready);
        assert_int_equal(poller_wait(&poller, 0, ready), POLLER_READY_MAX);
        assert_int_equal(ready[POLLER_READY_MAX].events, 0x55555555);
        for (size_t j = 0; j < POLLER_READY_MAX; j++)
            is_reported[ready[j].index] = true;
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_true(is_reported[i]);
        close(copies[i]);
    }
    close(ends[0]);
    close(ends[1]);
    poller_close(&poller);
}

/* Without a descriptor for the timer, or for epoll. */
static void a_poller_without_descriptors_is_an_error_and_leaves_none(void **state)
{
    (void)state;
    struct rlimit before, few;
    unsigned open_before = descriptor_count();
    int lowest = dup(STDIN_FILENO);
    assert_true(lowest >= 0);
    close(lowest);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (rlim_t more = 0; more < 2; more++) {
        struct poller poller;
        struct error error = {0};
        few = (struct rlimit){.rlim_cur = (rlim_t)lowest + more, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        bool is_open = poller_open(&poller, &error);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_false(is_open);
        assert_string_equal(error.text, "cannot set up the event loop: Too many open files");
        assert_int_equal(descriptor_count(), open_before);
    }
}

static void a_closed_poller_leaves_no_descriptor(void **state)
{
    (void)state;
    unsigned before = descriptor_count();
    struct poller poller = open_poller();
    assert_int_equal(descriptor_count(), before + 2);
    poller_close(&poller);
    assert_int_equal(descriptor_count(), before);
    /* A second close must not close a descriptor that others have opened since. */
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    poller_close(&poller);
    assert_int_equal(descriptor_count(), before + 1);
    close(other);
}

/* ---- Signals: each case is a child, and returns whether all is as it should be ---- */

static struct poller signalled;

static bool catch_signals(void)
{
    struct error error = {0};
    return poller_open(&signalled, &error) && stop_catch(&signalled, &error);
}

static bool is_woken(void)
{
    size_t index;
    return reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_STOP, &index) == 1 &&
           index == 0;
}

static bool is_awake(void)
{
    size_t index;
    return reports_of(&signalled, 0, POLLER_STOP, &index) != 0;
}

static bool each_signal_asks_for_the_end(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGHUP, SIG_DFL); /* this test may run under nohup */
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(catch_signals() && !stop_is_wanted() && !is_awake() && raise(numbers[i]) == 0 &&
                          stop_is_wanted() && stop_number() == numbers[i] && is_woken()
                      ? 0
                      : 1);
        int status = 1;
        if (waitpid(child, &status, 0) != child || status != 0)
            return false;
    }
    return true;
}

static bool a_hang_up_that_nohup_ignores_stays_ignored(void)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN); /* as a shell does for its background jobs */
    if (!catch_signals())
        return false;
    raise(SIGHUP);
    bool was_ignored = !stop_is_wanted();
    raise(SIGINT);
    return was_ignored && stop_number() == SIGINT;
}

static bool a_second_signal_within_a_second_changes_nothing(void)
{
    machine_time_ms = 1000;
    signal(SIGHUP, SIG_DFL);
    if (!catch_signals())
        return false;
    raise(SIGHUP);
    machine_time_ms = 1999;
    raise(SIGTERM);
    return stop_number() == SIGHUP && !stop_is_urgent();
}

static bool a_late_signal_makes_the_end_urgent_where_children_are_to_end(void)
{
    machine_time_ms = 1000;
    if (!catch_signals())
        return false;
    stop_stay();
    raise(SIGTERM);
    bool was_urgent = stop_is_urgent();
    machine_time_ms = 2000;
    raise(SIGTERM);
    return !was_urgent && stop_is_urgent();
}

/* SIGHUP, which the kernel delivers before the others. */
static bool the_first_of_signals_that_come_at_once_counts(void)
{
    sigset_t all, before;
    signal(SIGHUP, SIG_DFL);
    sigfillset(&all);
    if (!catch_signals() || sigprocmask(SIG_BLOCK, &all, &before) != 0)
        return false;
    raise(SIGTERM);
    raise(SIGINT);
    raise(SIGHUP);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return stop_number() == SIGHUP;
}

static bool an_end_without_a_signal_is_one(void)
{
    if (!catch_signals() || stop_is_wanted())
        return false;
    stop_ask();
    return stop_is_wanted() && stop_number() == SIGTERM;
}

/* A signal counts as urgent from a second after the first request to end, whichever way that
 * request came. */
static bool a_signal_soon_after_another_wish_changes_nothing(void)
{
    machine_time_ms = 5000;
    if (!catch_signals())
        return false;
    stop_stay();
    stop_ask();
    machine_time_ms = 5999;
    stop_ask();
    raise(SIGTERM);
    bool was_urgent = stop_is_urgent();
    machine_time_ms = 6000;
    raise(SIGTERM);
    return !was_urgent && stop_is_urgent();
}

/* A second release must not close descriptors that others have opened since. */
static bool a_release_gives_each_descriptor_back_once(void)
{
    unsigned before = descriptor_count();
    if (!catch_signals())
        return false;
    stop_with_parent(&signalled);
    stop_release();
    bool is_back = descriptor_count() == before + 2; /* those of the poller */
    dup(STDERR_FILENO);
    dup(STDERR_FILENO);
    stop_release();
    return is_back && descriptor_count() == before + 4;
}

/* The drivers that this process starts. */
static bool no_other_program_gets_its_descriptors(void)
{
    unsigned before = inherited_count();
    if (!catch_signals())
        return false;
    stop_with_parent(&signalled);
    return inherited_count() == before;
}

static bool a_release_of_nothing_closes_nothing(void)
{
    unsigned before = descriptor_count();
    stop_release();
    return descriptor_count() == before;
}

/* A program may be started without standard input: then the lowest descriptor is 0. */
static bool a_poller_may_have_descriptor_0(void)
{
    struct poller poller;
    struct error error = {0};
    unsigned before = descriptor_count();
    close(STDIN_FILENO);
    if (!poller_open(&poller, &error) || poller.timer != STDIN_FILENO)
        return false;
    poller_close(&poller);
    return descriptor_count() == before - 1;
}

static bool a_poller_without_a_timer_gives_descriptor_0_back(void)
{
    struct poller poller;
    struct error error = {0};
    unsigned before = descriptor_count();
    close(STDIN_FILENO);
    has_timers = false;
    return !poller_open(&poller, &error) && descriptor_count() == before - 1 &&
           strcmp(error.text, "cannot set up the event loop: No such device") == 0;
}

static bool signals_may_have_descriptor_0(void)
{
    struct error error = {0};
    if (!poller_open(&signalled, &error))
        return false;
    unsigned before = descriptor_count();
    close(STDIN_FILENO);
    if (!stop_catch(&signalled, &error) || raise(SIGTERM) != 0 || !is_woken())
        return false;
    stop_release();
    return descriptor_count() == before - 1;
}

static bool a_watched_parent_may_have_descriptor_0(void)
{
    if (!catch_signals())
        return false;
    unsigned before = descriptor_count();
    int signal_of_death = 0;
    close(STDIN_FILENO);
    stop_with_parent(&signalled);
    if (descriptor_count() != before || prctl(PR_GET_PDEATHSIG, &signal_of_death) != 0)
        return false;
    stop_release();
    return signal_of_death == 0 && descriptor_count() == before - 2;
}

static bool signals_without_a_descriptor_are_an_error(void)
{
    struct error error = {0};
    struct rlimit none = {0};
    if (!poller_open(&signalled, &error) || setrlimit(RLIMIT_NOFILE, &none) != 0)
        return false;
    return !stop_catch(&signalled, &error) &&
           strcmp(error.text, "cannot set up the signal handlers: Too many open files") == 0;
}

static bool a_parent_that_ended_before_it_was_watched_asks_for_the_end(void)
{
    if (!catch_signals())
        return false;
    stop_with_parent(&signalled);
    bool was_wanted = stop_is_wanted();
    parents[0] = getppid();
    parents[1] = 1;
    stop_with_parent(&signalled);
    return !was_wanted && stop_is_wanted();
}

static bool the_first_process_is_a_parent_like_any_other(void)
{
    int signal_of_death = 0;
    if (!catch_signals())
        return false;
    parents[0] = parents[1] = 1;
    stop_with_parent(&signalled);
    return !stop_is_wanted() && prctl(PR_GET_PDEATHSIG, &signal_of_death) == 0 &&
           signal_of_death == 0;
}

/* The parent of a container's first process has no number in it. */
static bool of_a_parent_in_another_container_the_thread_counts(void)
{
    int signal_of_death = 0;
    unsigned before = descriptor_count();
    if (!catch_signals())
        return false;
    is_parent_outside = true;
    stop_with_parent(&signalled);
    if (stop_is_wanted() || prctl(PR_GET_PDEATHSIG, &signal_of_death) != 0)
        return false;
    stop_release();
    poller_close(&signalled);
    return signal_of_death == SIGTERM && descriptor_count() == before;
}

/* If a parent cannot be watched, the end of the thread that started this process counts. */
static void *start_child_and_end(void *way)
{
    int *told = way;
    struct rlimit few = {.rlim_cur = 0};
    pid_t child = fork();
    if (child == 0) {
        bool is_good = catch_signals() && getrlimit(RLIMIT_NOFILE, &few) == 0;
        few.rlim_cur = 0;
        is_good = is_good && setrlimit(RLIMIT_NOFILE, &few) == 0;
        stop_with_parent(&signalled);
        is_good = is_good && write(told[1], "w", 1) == 1;
        while (is_good && !stop_is_wanted()) {
            size_t index; /* a signal ends the first wait */
            int64_t until_ns = poller_now_ns() + LATER_NS;
            is_good = reports_of(&signalled, until_ns, POLLER_TIMER, &index) == 0;
        }
        _exit(is_good && is_woken() ? 0 : 1);
    }
    char byte;
    told[2] = read(told[0], &byte, 1) == 1 ? child : -1;
    return NULL;
}

static bool the_end_of_a_thread_counts_where_no_process_can_be_watched(void)
{
    int told[3], status = 1;
    pthread_t thread;
    if (pipe(told) != 0 || pthread_create(&thread, NULL, start_child_and_end, told) != 0)
        return false;
    return pthread_join(thread, NULL) == 0 && told[2] > 0 &&
           waitpid(told[2], &status, 0) == told[2] && status == 0;
}

static bool a_closed_input_is_reported(void)
{
    int ends[2];
    size_t index;
    if (!catch_signals() || pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) != STDIN_FILENO)
        return false;
    close(ends[0]);
    stop_with_input(&signalled);
    bool was_silent = reports_of(&signalled, 0, POLLER_GONE, &index) == 0;
    close(ends[1]);
    return was_silent &&
           reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_GONE, &index) == 1 &&
           index == 0;
}

/* A terminal is neither a pipe nor a socket: people may close it under a program. */
static bool a_terminal_as_input_is_not_watched(void)
{
    size_t index;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (!catch_signals() || master < 0 || unlockpt(master) != 0)
        return false;
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (dup2(terminal, STDIN_FILENO) != STDIN_FILENO)
        return false;
    stop_with_input(&signalled);
    close(master);
    return reports_of(&signalled, 0, POLLER_GONE, &index) == 0;
}

/* The middle process ends while its child watches it; the child reports through a pipe. */
static bool the_end_of_the_parent_is_reported(void)
{
    int told[2], watched[2];
    char verdict = 'n', byte;
    if (pipe(told) != 0 || pipe(watched) != 0)
        return false;
    pid_t middle = fork();
    if (middle == 0) {
        if (fork() == 0) {
            size_t index;
            bool is_open = catch_signals();
            stop_with_parent(&signalled);
            bool is_good =
                is_open && write(watched[1], "w", 1) == 1 &&
                reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_GONE, &index) == 1 &&
                index == 0;
            stop_release();
            _exit(write(told[1], is_good ? "y" : "n", 1) == 1 ? 0 : 1);
        }
        _exit(read(watched[0], &byte, 1) == 1 ? 0 : 1);
    }
    close(told[1]);
    bool is_read = read(told[0], &verdict, 1) == 1;
    return waitpid(middle, NULL, 0) == middle && is_read && verdict == 'y';
}

static void signals_and_ends_are_heard_as_promised(void **state)
{
    (void)state;
    static const struct {
        bool (*is_good)(void);
        const char *name;
    } cases[] = {
#define CASE(name) {name, #name}
        CASE(each_signal_asks_for_the_end),
        CASE(a_hang_up_that_nohup_ignores_stays_ignored),
        CASE(a_second_signal_within_a_second_changes_nothing),
        CASE(a_late_signal_makes_the_end_urgent_where_children_are_to_end),
        CASE(the_first_of_signals_that_come_at_once_counts),
        CASE(an_end_without_a_signal_is_one),
        CASE(a_signal_soon_after_another_wish_changes_nothing),
        CASE(a_release_gives_each_descriptor_back_once),
        CASE(a_release_of_nothing_closes_nothing),
        CASE(no_other_program_gets_its_descriptors),
        CASE(a_poller_may_have_descriptor_0),
        CASE(a_poller_without_a_timer_gives_descriptor_0_back),
        CASE(signals_may_have_descriptor_0),
        CASE(a_watched_parent_may_have_descriptor_0),
        CASE(signals_without_a_descriptor_are_an_error),
        CASE(a_parent_that_ended_before_it_was_watched_asks_for_the_end),
        CASE(the_first_process_is_a_parent_like_any_other),
        CASE(of_a_parent_in_another_container_the_thread_counts),
        CASE(the_end_of_a_thread_counts_where_no_process_can_be_watched),
        CASE(a_closed_input_is_reported),
        CASE(a_terminal_as_input_is_not_watched),
        CASE(the_end_of_the_parent_is_reported),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = 1;
        pid_t child = fork();
        if (child == 0)
            _exit(cases[i].is_good() ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("%s: status %d", cases[i].name, status);
    }
}

static void a_second_signal_after_a_second_ends_the_process_at_once(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        machine_time_ms = 1000;
        if (!catch_signals())
            _exit(1);
        raise(SIGTERM);
        machine_time_ms = 2000;
        raise(SIGINT);
        _exit(2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_ends_at_its_time_and_not_before),
        cmocka_unit_test(the_time_is_that_of_the_clock),
        cmocka_unit_test(a_wait_for_a_time_that_has_come_ends_at_once),
        cmocka_unit_test(a_deadline_is_exact_at_each_part_of_a_second),
        cmocka_unit_test(a_ready_descriptor_is_reported_with_its_owner_and_number),
        cmocka_unit_test(an_owner_whose_descriptors_change_is_reported_for_the_new_ones),
        cmocka_unit_test(a_new_poller_sets_its_timer),
        cmocka_unit_test(a_change_of_events_or_of_a_descriptor_alone_is_followed),
        cmocka_unit_test(the_descriptors_of_others_stay_when_an_owner_changes),
        cmocka_unit_test(many_that_are_ready_are_reported_in_turn),
        cmocka_unit_test(a_poller_without_descriptors_is_an_error_and_leaves_none),
        cmocka_unit_test(a_closed_poller_leaves_no_descriptor),
        cmocka_unit_test(signals_and_ends_are_heard_as_promised),
        cmocka_unit_test(a_second_signal_after_a_second_ends_the_process_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
