/* The host clock's answers to those who ask for the time, and to those who sleep. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <threads.h>
#include <unistd.h>

/* The C library's headers call the parameters __req and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* ---- What time it is ---- */

SHIM_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    SHIM_NEXT(clock_gettime);
    /* A bad address is refused, or ends the program, as it would without us. */
    int result = next(clock, now);
    if (result == 0)
        host_clock_read(clock, now);
    return result;
}

SHIM_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec fine;
    struct timeval *volatile wanted = now; /* or NULL, whatever its declaration says */
    SHIM_NEXT(gettimeofday);
    int result = next(now, zone);
    if (result == 0 && wanted != NULL && host_clock_read(CLOCK_REALTIME, &fine))
        *wanted = (struct timeval){.tv_sec = fine.tv_sec, .tv_usec = fine.tv_nsec / 1000};
    return result;
}

SHIM_EXPORT time_t time(time_t *out)
{
    struct timespec fine;
    SHIM_NEXT(time);
    if (!host_clock_read(CLOCK_REALTIME, &fine))
        return next(out);
    if (out != NULL)
        *out = fine.tv_sec;
    return fine.tv_sec;
}

SHIM_EXPORT int timespec_get(struct timespec *now, int base)
{
    SHIM_NEXT(timespec_get);
    int result = next(now, base);
    if (result == TIME_UTC)
        host_clock_read(CLOCK_REALTIME, now);
    return result;
}

/* ---- Sleeping ---- */

/* Returns 0 or an error number, as clock_nanosleep does. */
static int sleep_until(int64_t deadline)
{
    int reason = 0;
    SHIM_NEXT(clock_nanosleep);
    while (reason == 0 && host_clock_is_early(deadline)) {
        const struct timespec real = host_clock_moment(CLOCK_MONOTONIC, deadline);
        reason = next(CLOCK_MONOTONIC, TIMER_ABSTIME, &real, NULL);
    }
    return reason;
}

static int sleep_for(int64_t deadline, struct timespec *rest)
{
    int reason = sleep_until(deadline);
    if (reason == EINTR && rest != NULL)
        *rest = host_clock_timespec(host_clock_left_ns(deadline));
    return reason;
}

SHIM_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                                struct timespec *rest)
{
    int64_t deadline, moment;
    struct timespec now;
    SHIM_NEXT(clock_nanosleep);
    if (flags == TIMER_ABSTIME && host_clock_until(clock, request, &moment))
        return sleep_until(moment);
    /* Only of clocks that are warped. */
    if (flags == 0 && host_clock_read(clock, &now) && host_clock_after(request, &deadline))
        return sleep_for(deadline, rest);
    return next(clock, flags, request, rest);
}

static int set_errno(int reason)
{
    if (reason == 0)
        return 0;
    errno = reason;
    return -1;
}

SHIM_EXPORT int nanosleep(const struct timespec *request, struct timespec *rest)
{
    int64_t deadline;
    SHIM_NEXT(nanosleep);
    return host_clock_after(request, &deadline) ? set_errno(sleep_for(deadline, rest))
                                                : next(request, rest);
}

SHIM_EXPORT int __nanosleep(const struct timespec *request, struct timespec *rest);
SHIM_EXPORT int __nanosleep(const struct timespec *request, struct timespec *rest)
{
    return nanosleep(request, rest);
}

/* ISO C: -1 where a signal came, another negative number of any other failure. */
SHIM_EXPORT int thrd_sleep(const struct timespec *request, struct timespec *rest)
{
    int64_t deadline;
    SHIM_NEXT(thrd_sleep);
    if (!host_clock_after(request, &deadline))
        return next(request, rest);
    int reason = sleep_for(deadline, rest);
    return reason == 0 ? 0 : reason == EINTR ? -1 : -2;
}

SHIM_EXPORT int usleep(useconds_t span_us)
{
    int64_t deadline;
    SHIM_NEXT(usleep);
    return host_clock_after_ns((int64_t)span_us * 1000, &deadline)
               ? set_errno(sleep_for(deadline, NULL))
               : next(span_us);
}

SHIM_EXPORT unsigned sleep(unsigned span_s)
{
    int64_t deadline;
    SHIM_NEXT(sleep);
    if (!host_clock_after_ns((int64_t)span_s * 1000000000, &deadline))
        return next(span_s);
    int reason = sleep_until(deadline);
    if (reason == 0)
        return 0;
    errno = reason;
    return (unsigned)(host_clock_left_ns(deadline) / 1000000000); /* cut, as the C library does */
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
