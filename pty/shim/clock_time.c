/* The clock shim for reading the time, sleeping and timers. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <unistd.h>

#include "pty/shim/clock_shm.h"

/* The C library's headers use parameter names such as __req. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* ---- Reading the time ---- */

SHIM_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
#ifdef __x86_64__
    // A sanitizer asks for the time while dlsym frees the message of its last failure. Another
    // dlsym would free it again (glibc 2.41 with gcc 14 or clang 19). Therefore no dlsym is called
    // until all functions have been found.
    long early = SYS_clock_gettime;
    if (!next_functions_found) {
        __asm__ volatile("syscall" : "+a"(early) : "D"(clock), "S"(now) : "rcx", "r11", "memory");
        return early == 0 ? 0 : (errno = (int)-early, -1);
    }
#endif
    SHIM_NEXT(clock_gettime);
    /* A bad address fails, or ends the program, as it would without the shim. */
    int result = next(clock, now);
    if (result == 0 && clock_read(clock, now))
        clock_count_poll(1);
    return result;
}

SHIM_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec fine;
    struct timeval *volatile wanted = now; /* or NULL, whatever its declaration says */
    SHIM_NEXT(gettimeofday);
    int result = next(now, zone);
    if (result == 0 && wanted != NULL && clock_read(CLOCK_REALTIME, &fine)) {
        *wanted = (struct timeval){.tv_sec = fine.tv_sec, .tv_usec = fine.tv_nsec / 1000};
        clock_count_poll(1);
    }
    return result;
}

SHIM_EXPORT time_t time(time_t *out)
{
    struct timespec fine;
    SHIM_NEXT(time);
    if (!clock_read(CLOCK_REALTIME, &fine))
        return next(out);
    clock_count_poll(1);
    if (out != NULL)
        *out = fine.tv_sec;
    return fine.tv_sec;
}

SHIM_EXPORT int timespec_get(struct timespec *now, int base)
{
    SHIM_NEXT(timespec_get);
    int result = next(now, base);
    if (result == TIME_UTC)
        clock_read(CLOCK_REALTIME, now);
    return result;
}

/* ---- Sleeping ---- */

/* Returns 0 or an error number, as clock_nanosleep does. */
static int sleep_until(int64_t deadline)
{
    int reason = 0;
    SHIM_NEXT(clock_nanosleep);
    struct clock_slot *wait = clock_wait_begin(deadline);
    if (wait != NULL) {
        clock_wait_sleep(wait, true);
        return clock_wait_finish(wait) ? 0 : EINTR;
    }
    while (reason == 0 && clock_is_early(deadline)) {
        const struct timespec real = clock_moment(CLOCK_MONOTONIC, deadline);
        reason = next(CLOCK_MONOTONIC, TIMER_ABSTIME, &real, NULL);
    }
    return reason;
}

static int sleep_for(int64_t deadline, struct timespec *rest)
{
    int reason = sleep_until(deadline);
    if (reason == EINTR && rest != NULL)
        *rest = clock_timespec(clock_left_ns(deadline));
    return reason;
}

SHIM_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                                struct timespec *rest)
{
    int64_t deadline, moment;
    struct timespec now;
    SHIM_NEXT(clock_nanosleep);
    if (flags == TIMER_ABSTIME && clock_until(clock, request, &moment))
        return sleep_until(moment);
    /* Only for virtual clocks. */
    if (flags == 0 && clock_read(clock, &now) && clock_after(request, &deadline))
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
    return clock_after(request, &deadline) ? set_errno(sleep_for(deadline, rest))
                                           : next(request, rest);
}

SHIM_EXPORT int __nanosleep(const struct timespec *request, struct timespec *rest);
SHIM_EXPORT int __nanosleep(const struct timespec *request, struct timespec *rest)
{
    return nanosleep(request, rest);
}

/* ISO C: -1 for a signal, another negative number for other failures. */
SHIM_EXPORT int thrd_sleep(const struct timespec *request, struct timespec *rest)
{
    int64_t deadline;
    SHIM_NEXT(thrd_sleep);
    if (!clock_after(request, &deadline))
        return next(request, rest);
    int reason = sleep_for(deadline, rest);
    return reason == 0 ? 0 : reason == EINTR ? -1 : -2;
}

SHIM_EXPORT int usleep(useconds_t span_us)
{
    int64_t deadline;
    SHIM_NEXT(usleep);
    return clock_after_ns((int64_t)span_us * 1000, &deadline) ? set_errno(sleep_for(deadline, NULL))
                                                              : next(span_us);
}

SHIM_EXPORT unsigned sleep(unsigned span_s)
{
    int64_t deadline;
    SHIM_NEXT(sleep);
    if (!clock_after_ns((int64_t)span_s * 1000000000, &deadline))
        return next(span_s);
    int reason = sleep_until(deadline);
    if (reason == 0)
        return 0;
    errno = reason;
    return (unsigned)(clock_left_ns(deadline) / 1000000000); /* cut, as the C library does */
}

/* ---- Timers ----
 *
 * If time is not held, the kernel runs the timers: they follow the factor, and do not wait for a
 * world that has fallen behind. If time is held, timerfd and setitimer stay disarmed in the kernel,
 * and the simulation lets them expire.
 *
 * A timer with an absolute time does not contain its clock. The time itself shows it:
 * CLOCK_REALTIME is decades ahead of the time since boot. */

enum { DECADE_S = 315360000 };

/* Converts an absolute time into the span until then. A time that has passed is due immediately. */
static void make_relative(struct timespec *moment, int *flags, int absolute)
{
    int64_t deadline;
    clockid_t clock = moment->tv_sec > DECADE_S ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (!clock_until(clock, moment, &deadline))
        return;
    *moment = clock_rest(deadline);
    if (moment->tv_sec == 0 && moment->tv_nsec == 0)
        moment->tv_nsec = 1;
    *flags &= ~absolute;
}

static int64_t ns_of(struct timespec span)
{
    return span.tv_sec * INT64_C(1000000000) + span.tv_nsec;
}

static void held_timer_get(uint32_t kind, int handle, struct itimerspec *out)
{
    int64_t interval_ns, left_ns = clock_timer_get(kind, handle, &interval_ns);
    *out = (struct itimerspec){.it_interval = clock_timespec(interval_ns),
                               .it_value = clock_timespec(left_ns)};
}

/* Stores the deadline of a timer that stays disarmed in the kernel. */
static bool held_timer_set(uint32_t kind, int handle, bool is_absolute,
                           const struct itimerspec *wanted)
{
    int64_t deadline = 0;
    bool is_set = ns_of(wanted->it_value) != 0;
    clockid_t clock = wanted->it_value.tv_sec > DECADE_S ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (is_set && !(is_absolute ? clock_until(clock, &wanted->it_value, &deadline)
                                : clock_after(&wanted->it_value, &deadline)))
        return false;
    // 0 means no deadline.
    if (is_set && deadline <= 0)
        deadline = 1;
    return clock_timer_set(kind, handle, deadline, ns_of(wanted->it_interval));
}

static struct itimerspec shrink(const struct itimerspec *wanted, int *flags, int absolute)
{
    struct itimerspec real = {.it_interval = clock_shrink(wanted->it_interval),
                              .it_value = wanted->it_value};
    bool is_set = wanted->it_value.tv_sec != 0 || wanted->it_value.tv_nsec != 0;
    if ((*flags & absolute) == 0)
        real.it_value = clock_shrink(wanted->it_value);
    else if (is_set)
        make_relative(&real.it_value, flags, absolute);
    return real;
}

static void stretch(struct itimerspec *out)
{
    out->it_value = clock_stretch(out->it_value);
    out->it_interval = clock_stretch(out->it_interval);
}

static bool is_valid(const struct itimerspec *wanted)
{
    return wanted->it_value.tv_sec >= 0 && wanted->it_value.tv_nsec >= 0 &&
           wanted->it_value.tv_nsec < 1000000000 && wanted->it_interval.tv_sec >= 0 &&
           wanted->it_interval.tv_nsec >= 0 && wanted->it_interval.tv_nsec < 1000000000;
}

static int timerfd_settime_held(int timer, int flags, const struct itimerspec *wanted,
                                struct itimerspec *before)
{
    const struct itimerspec none = {0};
    struct itimerspec kept;
    SHIM_NEXT(timerfd_settime);
    if (next(timer, flags & ~TFD_TIMER_CANCEL_ON_SET, &none, NULL) != 0)
        return -1;
    held_timer_get(CLOCK_SLOT_TIMER, timer, &kept);
    if (before != NULL)
        *before = kept;
    bool is_absolute = (flags & TFD_TIMER_ABSTIME) != 0;
    return held_timer_set(CLOCK_SLOT_TIMER, timer, is_absolute, wanted)
               ? 0
               : next(timer, flags, wanted, NULL);
}

/* The descriptor may be a reused one; its old timer is removed. */
SHIM_EXPORT int timerfd_create(__clockid_t clock, int flags)
{
    SHIM_NEXT(timerfd_create);
    int timer = next(clock, flags);
    if (timer >= 0 && clock_held() != NULL)
        clock_timer_set(CLOCK_SLOT_TIMER, timer, 0, 0);
    return timer;
}

SHIM_EXPORT int timerfd_settime(int timer, int flags, const struct itimerspec *wanted,
                                struct itimerspec *before)
{
    SHIM_NEXT(timerfd_settime);
    if (!clock_is_on() || wanted == NULL)
        return next(timer, flags, wanted, before);
    if (clock_held() != NULL && is_valid(wanted))
        return timerfd_settime_held(timer, flags, wanted, before);
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
    if (result == 0 && clock_held() != NULL)
        held_timer_get(CLOCK_SLOT_TIMER, timer, out);
    else if (result == 0)
        stretch(out);
    return result;
}

SHIM_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict wanted,
                              struct itimerspec *restrict before)
{
    SHIM_NEXT(timer_settime);
    if (!clock_is_on() || wanted == NULL)
        return next(timer, flags, wanted, before);
    clock_lost();    // the kernel runs it by real time
    clock_be_loud(); // it may be for one thread
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

static struct timeval timeval_up(struct timespec span)
{
    return clock_timeval(ns_of(span) + 999);
}

static void held_alarm_get(struct itimerval *out)
{
    struct itimerspec fine;
    held_timer_get(CLOCK_SLOT_ALARM, 0, &fine);
    *out = (struct itimerval){.it_interval = timeval_up(fine.it_interval),
                              .it_value = timeval_up(fine.it_value)};
}

static bool held_alarm_set(const struct itimerval *wanted)
{
    const struct itimerspec fine = {.it_interval = {.tv_sec = wanted->it_interval.tv_sec,
                                                    .tv_nsec = wanted->it_interval.tv_usec * 1000},
                                    .it_value = {.tv_sec = wanted->it_value.tv_sec,
                                                 .tv_nsec = wanted->it_value.tv_usec * 1000}};
    return is_valid(&fine) && held_timer_set(CLOCK_SLOT_ALARM, 0, false, &fine);
}

SHIM_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict wanted,
                          struct itimerval *restrict before)
{
    SHIM_NEXT(setitimer);
    if (which != ITIMER_REAL || wanted == NULL)
        return next(which, wanted, before);
    if (clock_held() != NULL) {
        struct itimerval kept;
        held_alarm_get(&kept);
        if (held_alarm_set(wanted)) {
            if (before != NULL)
                *before = kept;
            return 0;
        }
    }
    const struct itimerval real = {.it_interval = clock_shrink_tv(wanted->it_interval),
                                   .it_value = clock_shrink_tv(wanted->it_value)};
    int result = next(which, &real, before);
    if (result == 0 && before != NULL) {
        before->it_interval = clock_stretch_tv(before->it_interval);
        before->it_value = clock_stretch_tv(before->it_value);
    }
    return result;
}

SHIM_EXPORT int getitimer(__itimer_which_t which, struct itimerval *out)
{
    SHIM_NEXT(getitimer);
    int result = next(which, out);
    if (result == 0 && which == ITIMER_REAL && clock_held() != NULL) {
        held_alarm_get(out);
    } else if (result == 0 && which == ITIMER_REAL) {
        out->it_interval = clock_stretch_tv(out->it_interval);
        out->it_value = clock_stretch_tv(out->it_value);
    }
    return result;
}

SHIM_EXPORT unsigned alarm(unsigned span_s)
{
    const struct itimerval wanted = {.it_value.tv_sec = (time_t)span_s};
    struct itimerval before;
    SHIM_NEXT(alarm);
    if (!clock_is_on() || setitimer(ITIMER_REAL, &wanted, &before) != 0)
        return next(span_s);
    /* Rounds as the C library does, but never to 0. */
    bool is_up = before.it_value.tv_usec >= 500000 ||
                 (before.it_value.tv_sec == 0 && before.it_value.tv_usec > 0);
    return (unsigned)before.it_value.tv_sec + is_up;
}

SHIM_EXPORT useconds_t ualarm(useconds_t span_us, useconds_t interval_us)
{
    const struct itimerval wanted = {.it_value = clock_timeval((int64_t)span_us * 1000),
                                     .it_interval = clock_timeval((int64_t)interval_us * 1000)};
    struct itimerval before;
    SHIM_NEXT(ualarm);
    if (!clock_is_on() || setitimer(ITIMER_REAL, &wanted, &before) != 0)
        return next(span_us, interval_us);
    return (useconds_t)(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
