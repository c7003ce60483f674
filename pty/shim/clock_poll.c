/* The host clock for those who wait on descriptors. Time-outs of milliseconds are handed on in
 * nanoseconds, since a warped millisecond is a short time. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* The C library's headers call the parameters __fds and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* In milliseconds; not those that mean at once or for ever. */
static bool is_timed(int timeout_ms, int64_t *deadline)
{
    return timeout_ms > 0 && host_clock_after_ns((int64_t)timeout_ms * 1000000, deadline);
}

/* ---- poll ---- */

static int poll_until(struct pollfd *fds, nfds_t count, int64_t deadline, const sigset_t *mask)
{
    int ready;
    SHIM_NEXT(ppoll);
    do {
        const struct timespec rest = host_clock_rest(deadline);
        ready = next(fds, count, &rest, mask);
    } while (ready == 0 && host_clock_is_early(deadline));
    return ready;
}

SHIM_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    int64_t deadline;
    SHIM_NEXT(poll);
    return is_timed(timeout_ms, &deadline) ? poll_until(fds, count, deadline, NULL)
                                           : next(fds, count, timeout_ms);
}

SHIM_EXPORT int __poll(struct pollfd *fds, nfds_t count, int timeout_ms);
SHIM_EXPORT int __poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    return poll(fds, count, timeout_ms);
}

SHIM_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
                      const sigset_t *mask)
{
    int64_t deadline;
    SHIM_NEXT(ppoll);
    return host_clock_after(span, &deadline) ? poll_until(fds, count, deadline, mask)
                                             : next(fds, count, span, mask);
}

/* What fortified programs call; what is wrong with the room is for the next one to say. */
SHIM_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room);
SHIM_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room)
{
    SHIM_NEXT(__poll_chk);
    return room / sizeof *fds < count ? next(fds, count, timeout_ms, room)
                                      : poll(fds, count, timeout_ms);
}

SHIM_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *span,
                            const sigset_t *mask, size_t room);
SHIM_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *span,
                            const sigset_t *mask, size_t room)
{
    SHIM_NEXT(__ppoll_chk);
    return room / sizeof *fds < count ? next(fds, count, span, mask, room)
                                      : ppoll(fds, count, span, mask);
}

/* ---- select ---- */

/* The sets as they were asked for: a time-out empties them. */
struct sets {
    fd_set *at[3];
    fd_set asked[3];
    bool is_kept; /* false: larger than usual, and not to be asked for again */
};

static void sets_keep(struct sets *sets, int count, fd_set *in, fd_set *out, fd_set *except)
{
    fd_set *const at[3] = {in, out, except};
    sets->is_kept = count <= FD_SETSIZE;
    for (int i = 0; i < 3; i++) {
        sets->at[i] = at[i];
        if (sets->is_kept && at[i] != NULL)
            memcpy(&sets->asked[i], at[i], sizeof(fd_set));
    }
}

static void sets_restore(const struct sets *sets)
{
    for (int i = 0; i < 3; i++)
        if (sets->at[i] != NULL)
            memcpy(sets->at[i], &sets->asked[i], sizeof(fd_set));
}

static int select_until(int count, struct sets *sets, int64_t deadline, const sigset_t *mask)
{
    SHIM_NEXT(pselect);
    for (;;) {
        const struct timespec rest = host_clock_rest(deadline);
        int ready = next(count, sets->at[0], sets->at[1], sets->at[2], &rest, mask);
        if (ready != 0 || !sets->is_kept || !host_clock_is_early(deadline))
            return ready;
        sets_restore(sets);
    }
}

SHIM_EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out,
                       fd_set *restrict except, struct timeval *restrict span)
{
    int64_t deadline;
    struct sets sets;
    struct timespec fine;
    SHIM_NEXT(select);
    /* This one takes more microseconds than a second has. */
    if (span != NULL && span->tv_sec >= 0 && span->tv_usec >= 0 && span->tv_sec < INT32_MAX &&
        span->tv_usec < INT32_MAX) {
        fine = (struct timespec){.tv_sec = span->tv_sec + span->tv_usec / 1000000,
                                 .tv_nsec = span->tv_usec % 1000000 * 1000};
        if (host_clock_after(&fine, &deadline)) {
            sets_keep(&sets, count, in, out, except);
            int ready = select_until(count, &sets, deadline, NULL);
            *span = host_clock_timeval(host_clock_left_ns(deadline));
            return ready;
        }
    }
    return next(count, in, out, except, span);
}

SHIM_EXPORT int __select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *span);
SHIM_EXPORT int __select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *span)
{
    return select(count, in, out, except, span);
}

SHIM_EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out,
                        fd_set *restrict except, const struct timespec *restrict span,
                        const sigset_t *restrict mask)
{
    int64_t deadline;
    struct sets sets;
    SHIM_NEXT(pselect);
    if (!host_clock_after(span, &deadline))
        return next(count, in, out, except, span, mask);
    sets_keep(&sets, count, in, out, except);
    return select_until(count, &sets, deadline, mask);
}

/* ---- epoll ---- */

static int rest_ms(int64_t deadline)
{
    const struct timespec rest = host_clock_rest(deadline);
    int64_t ms = rest.tv_sec * INT64_C(1000) + (rest.tv_nsec + 999999) / 1000000;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

static int epoll_until(int epoll, struct epoll_event *events, int count, int64_t deadline,
                       const sigset_t *mask)
{
    int ready;
    SHIM_NEXT(epoll_pwait2);
    SHIM_NEXT_AS(coarse, epoll_pwait);
    bool is_fine = next != NULL;
    do {
        const struct timespec rest = host_clock_rest(deadline);
        ready = is_fine ? next(epoll, events, count, &rest, mask)
                        : coarse(epoll, events, count, rest_ms(deadline), mask);
        /* Kernels before 5.11, and sandboxes. */
        bool is_missing = is_fine && ready < 0 && (errno == ENOSYS || errno == EPERM);
        if (is_missing) {
            is_fine = false;
            ready = 0;
        }
    } while (ready == 0 && host_clock_is_early(deadline));
    return ready;
}

SHIM_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    int64_t deadline;
    SHIM_NEXT(epoll_wait);
    return is_timed(timeout_ms, &deadline) ? epoll_until(epoll, events, count, deadline, NULL)
                                           : next(epoll, events, count, timeout_ms);
}

SHIM_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms,
                            const sigset_t *mask)
{
    int64_t deadline;
    SHIM_NEXT(epoll_pwait);
    return is_timed(timeout_ms, &deadline) ? epoll_until(epoll, events, count, deadline, mask)
                                           : next(epoll, events, count, timeout_ms, mask);
}

SHIM_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int count,
                             const struct timespec *span, const sigset_t *mask)
{
    int64_t deadline;
    SHIM_NEXT(epoll_pwait2);
    return host_clock_after(span, &deadline) ? epoll_until(epoll, events, count, deadline, mask)
                                             : next(epoll, events, count, span, mask);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
