/* Descriptors and times for which a loop waits, and the signals that ask for the end. Each case of
 * signals runs in a child process. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/links/poller.h"
#include "tests/support/machine.h"

#define LATER_NS INT64_C(60000000000) /* only a failure waits so long */

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
        assert_true(poller_now_ns() >= until_ns);
        assert_int_equal(reports_of(&poller, 0, POLLER_LINK, &index), 0);
    }
    assert_true(poller_now_ns() / 1000000000 > 0);
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

/* Also where another poller was in that memory, with a deadline that is still to come. */
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
    return reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_STOP, &index) == 1;
}

static bool each_signal_asks_for_the_end(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGHUP, SIG_DFL); /* this test may run under nohup */
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(catch_signals() && !stop_is_wanted() && raise(numbers[i]) == 0 &&
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

static bool an_end_without_a_signal_is_one(void)
{
    if (!catch_signals() || stop_is_wanted())
        return false;
    stop_ask();
    return stop_is_wanted() && stop_number() == SIGTERM;
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
    stop_release();
    return is_back && descriptor_count() == before + 2;
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
           reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_GONE, &index) == 1;
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
                reports_of(&signalled, poller_now_ns() + LATER_NS, POLLER_GONE, &index) == 1;
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
        CASE(an_end_without_a_signal_is_one),
        CASE(a_release_gives_each_descriptor_back_once),
        CASE(a_closed_input_is_reported),
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
        cmocka_unit_test(a_ready_descriptor_is_reported_with_its_owner_and_number),
        cmocka_unit_test(an_owner_whose_descriptors_change_is_reported_for_the_new_ones),
        cmocka_unit_test(a_new_poller_sets_its_timer),
        cmocka_unit_test(a_change_of_events_or_of_a_descriptor_alone_is_followed),
        cmocka_unit_test(a_poller_without_descriptors_is_an_error_and_leaves_none),
        cmocka_unit_test(a_closed_poller_leaves_no_descriptor),
        cmocka_unit_test(signals_and_ends_are_heard_as_promised),
        cmocka_unit_test(a_second_signal_after_a_second_ends_the_process_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
