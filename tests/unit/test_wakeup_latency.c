/* The short slices of a thread, as the kernel reports them. Each test runs in a child process, and
 * its settings end with it. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/time/wakeup_latency.h"
#include "tests/support/check.h"

enum { SLICE_NS = 100000, RESET_ON_FORK = 1 };

/* struct sched_attr of Linux, which older headers lack. */
struct slice {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

static struct slice own_slice(void)
{
    struct slice slice = {.size = sizeof slice};
    if (syscall(SYS_sched_getattr, 0, &slice, sizeof slice, 0) != 0)
        _exit(100);
    return slice;
}

/* Runs a test in a child process. Returns its answer; 2: this kernel has no slices. */
static int in_child(int (*look)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(look());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool has_slices(void)
{
    struct slice wanted = own_slice();
    wanted.runtime_ns = 2 * SLICE_NS;
    return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0 && own_slice().runtime_ns == 2 * SLICE_NS;
}

static int look_inherited(void)
{
    if (!has_slices())
        return 2;
    setpriority(PRIO_PROCESS, 0, 7);
    wakeup_latency_shorten(true);
    struct slice slice = own_slice();
    return slice.runtime_ns == SLICE_NS && (slice.flags & RESET_ON_FORK) == 0 && slice.nice == 7 &&
           prctl(PR_GET_TIMERSLACK) == 1000;
}

static int look_alone(void)
{
    if (!has_slices())
        return 2;
    int slack = prctl(PR_GET_TIMERSLACK);
    wakeup_latency_shorten(false);
    struct slice slice = own_slice();
    return slice.runtime_ns == SLICE_NS && (slice.flags & RESET_ON_FORK) != 0 &&
           prctl(PR_GET_TIMERSLACK) == slack;
}

static int look_other_policy(void)
{
    const struct sched_param none = {0};
    int slack = prctl(PR_GET_TIMERSLACK);
    if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
        return 2;
    wakeup_latency_shorten(true);
    return sched_getscheduler(0) == SCHED_BATCH && own_slice().runtime_ns != SLICE_NS &&
           prctl(PR_GET_TIMERSLACK) == slack;
}

static void slices_are_short_for_this_thread_or_for_its_children_too(void **state)
{
    (void)state;
    assert_int_not_equal(in_child(look_inherited), 0);
    assert_int_not_equal(in_child(look_alone), 0);
}

static void another_policy_of_the_user_stays(void **state)
{
    (void)state;
    assert_int_not_equal(in_child(look_other_policy), 0);
}

static int look_realtime(void)
{
    struct error error = {0};
    if (!wakeup_latency_realtime(&error))
        return strstr(error.text, "--realtime: Operation not permitted; ") &&
                       strstr(error.text, "ulimit -r 1`")
                   ? 2
                   : 0;
    struct sched_param priority;
    return sched_getscheduler(0) == (SCHED_FIFO | SCHED_RESET_ON_FORK) &&
           sched_getparam(0, &priority) == 0 && priority.sched_priority == 1;
}

static int look_realtime_refused(void)
{
    if (geteuid() == 0 && seteuid(65534) != 0)
        return 2;
    return look_realtime() == 2;
}

static void ptybot_runs_before_others_at_the_least_priority_or_says_what_is_missing(void **state)
{
    (void)state;
    assert_int_not_equal(in_child(look_realtime), 0);
    assert_int_not_equal(in_child(look_realtime_refused), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_short_for_this_thread_or_for_its_children_too),
        cmocka_unit_test(another_policy_of_the_user_stays),
        cmocka_unit_test(ptybot_runs_before_others_at_the_least_priority_or_says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
