/* The host clock for timers. The kernel runs them: they follow the factor, and do not wait for a
 * world that has fallen behind. Of a timer that is set to a moment, its clock is told by the moment
 * itself: CLOCK_REALTIME is decades ahead of the time since the machine was started. */
#include "pty/shim/clock.h"

#include <signal.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* The C library's headers call the parameters __timerid and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

/* ---- Timers of descriptors and of POSIX ---- */

/* A moment becomes a span: how far away it is. One that has passed is due at once. */
static void make_relative(struct timespec *moment, int *flags, int absolute)
{
    int64_t deadline;
    const time_t decade_s = 315360000;
    clockid_t clock = moment->tv_sec > decade_s ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (!host_clock_until(clock, moment, &deadline))
        return;
    *moment = host_clock_rest(deadline);
    if (moment->tv_sec == 0 && moment->tv_nsec == 0)
        moment->tv_nsec = 1;
    *flags &= ~absolute;
}

static struct itimerspec shrink(const struct itimerspec *wanted, int *flags, int absolute)
{
    struct itimerspec real = {.it_interval = host_clock_shrink(wanted->it_interval),
                              .it_value = wanted->it_value};
    bool is_set = wanted->it_value.tv_sec != 0 || wanted->it_value.tv_nsec != 0;
    if ((*flags & absolute) == 0)
        real.it_value = host_clock_shrink(wanted->it_value);
    else if (is_set)
        make_relative(&real.it_value, flags, absolute);
    return real;
}

static void stretch(struct itimerspec *out)
{
    out->it_value = host_clock_stretch(out->it_value);
    out->it_interval = host_clock_stretch(out->it_interval);
}

SHIM_EXPORT int timerfd_settime(int timer, int flags, const struct itimerspec *wanted,
                                struct itimerspec *before)
{
    SHIM_NEXT(timerfd_settime);
    if (!host_clock_is_on() || wanted == NULL)
        return next(timer, flags, wanted, before);
    const struct itimerspec real = shrink(wanted, &flags, TFD_TIMER_ABSTIME);
    int result = next(timer, flags, &real, before);
    if (result == 0 && before != NULL)
        stretch(before);
    return result;
}

SHIM_EXPORT int timerfd_gettime(int timer, struct itimerspec *out)
{
    SHIM_NEXT(timerfd_gettime);
    int result = next(timer, out);
    if (result == 0)
        stretch(out);
    return result;
}

SHIM_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict wanted,
                              struct itimerspec *restrict before)
{
    SHIM_NEXT(timer_settime);
    if (!host_clock_is_on() || wanted == NULL)
        return next(timer, flags, wanted, before);
    const struct itimerspec real = shrink(wanted, &flags, TIMER_ABSTIME);
    int result = next(timer, flags, &real, before);
    if (result == 0 && before != NULL)
        stretch(before);
    return result;
}

SHIM_EXPORT int timer_gettime(timer_t timer, struct itimerspec *out)
{
    SHIM_NEXT(timer_gettime);
    int result = next(timer, out);
    if (result == 0)
        stretch(out);
    return result;
}

/* ---- The alarm of a process ---- */

SHIM_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict wanted,
                          struct itimerval *restrict before)
{
    SHIM_NEXT(setitimer);
    if (which != ITIMER_REAL || wanted == NULL)
        return next(which, wanted, before);
    const struct itimerval real = {.it_interval = host_clock_shrink_tv(wanted->it_interval),
                                   .it_value = host_clock_shrink_tv(wanted->it_value)};
    int result = next(which, &real, before);
    if (result == 0 && before != NULL) {
        before->it_interval = host_clock_stretch_tv(before->it_interval);
        before->it_value = host_clock_stretch_tv(before->it_value);
    }
    return result;
}

SHIM_EXPORT int getitimer(__itimer_which_t which, struct itimerval *out)
{
    SHIM_NEXT(getitimer);
    int result = next(which, out);
    if (result == 0 && which == ITIMER_REAL) {
        out->it_interval = host_clock_stretch_tv(out->it_interval);
        out->it_value = host_clock_stretch_tv(out->it_value);
    }
    return result;
}

SHIM_EXPORT unsigned alarm(unsigned span_s)
{
    const struct itimerval wanted = {.it_value.tv_sec = span_s};
    struct itimerval before;
    SHIM_NEXT(alarm);
    if (!host_clock_is_on() || setitimer(ITIMER_REAL, &wanted, &before) != 0)
        return next(span_s);
    /* Rounded as the C library does, but never to none. */
    bool is_up = before.it_value.tv_usec >= 500000 ||
                 (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0);
    return (unsigned)before.it_value.tv_sec + is_up;
}

SHIM_EXPORT useconds_t ualarm(useconds_t span_us, useconds_t interval_us)
{
    const struct itimerval wanted = {
        .it_value = {.tv_sec = span_us / 1000000, .tv_usec = span_us % 1000000},
        .it_interval = {.tv_sec = interval_us / 1000000, .tv_usec = interval_us % 1000000}};
    struct itimerval before;
    SHIM_NEXT(ualarm);
    if (!host_clock_is_on() || setitimer(ITIMER_REAL, &wanted, &before) != 0)
        return next(span_us, interval_us);
    return (useconds_t)(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
