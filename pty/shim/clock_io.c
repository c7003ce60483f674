/* The clock shim for those who wait for input and output: poll, select and epoll, and the time-outs
 * of sockets and terminals. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* The C library's headers call the parameters __fds and the like. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* ---- Waiting for descriptors ----
 *
 * Time-outs of milliseconds are passed on in nanoseconds: a warped millisecond is short. */

/* Whether a time-out in milliseconds is neither at once nor for ever. */
static bool is_timed(int timeout_ms, int64_t *deadline)
{
    return timeout_ms > 0 && clock_after_ns((int64_t)timeout_ms * 1000000, deadline);
}

static int poll_until(struct pollfd *fds, nfds_t count, int64_t deadline, const sigset_t *mask)
{
    int ready;
    SHIM_NEXT(ppoll);
    do {
        const struct timespec rest = clock_rest(deadline);
        ready = next(fds, count, &rest, mask);
    } while (ready == 0 && clock_is_early(deadline));
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
    return clock_after(span, &deadline) ? poll_until(fds, count, deadline, mask)
                                        : next(fds, count, span, mask);
}

/* What programs built with _FORTIFY_SOURCE call; the next function reports a bad size. */
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

/* The sets as requested, since a time-out empties them. */
struct sets {
    fd_set *at[3];
    fd_set asked[3];
    bool is_kept; /* false: they are larger than an fd_set, so there is no second try */
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
        const struct timespec rest = clock_rest(deadline);
        int ready = next(count, sets->at[0], sets->at[1], sets->at[2], &rest, mask);
        if (ready != 0 || !sets->is_kept || !clock_is_early(deadline))
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
    /* select takes a million microseconds and more. */
    if (span != NULL && span->tv_sec >= 0 && span->tv_usec >= 0 && span->tv_sec < INT32_MAX &&
        span->tv_usec < INT32_MAX) {
        fine = (struct timespec){.tv_sec = span->tv_sec + span->tv_usec / 1000000,
                                 .tv_nsec = span->tv_usec % 1000000 * 1000};
        if (clock_after(&fine, &deadline)) {
            sets_keep(&sets, count, in, out, except);
            int ready = select_until(count, &sets, deadline, NULL);
            *span = clock_timeval(clock_left_ns(deadline));
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
    if (!clock_after(span, &deadline))
        return next(count, in, out, except, span, mask);
    sets_keep(&sets, count, in, out, except);
    return select_until(count, &sets, deadline, mask);
}

static int rest_ms(int64_t deadline)
{
    const struct timespec rest = clock_rest(deadline);
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
        const struct timespec rest = clock_rest(deadline);
        ready = is_fine ? next(epoll, events, count, &rest, mask)
                        : coarse(epoll, events, count, rest_ms(deadline), mask);
        /* Kernels before 5.11, and sandboxes, lack it. */
        bool is_missing = is_fine && ready < 0 && (errno == ENOSYS || errno == EPERM);
        if (is_missing) {
            is_fine = false;
            ready = 0;
        }
    } while (ready == 0 && clock_is_early(deadline));
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
    return clock_after(span, &deadline) ? epoll_until(epoll, events, count, deadline, mask)
                                        : next(epoll, events, count, span, mask);
}

/* ---- Sockets: the kernel gets their time-outs scaled ---- */

static bool is_timeout(int level, int option)
{
    return clock_is_on() && level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

SHIM_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    SHIM_NEXT(setsockopt);
    if (!is_timeout(level, option) || value == NULL || size < sizeof(struct timeval))
        return next(fd, level, option, value, size);
    const struct timeval real = clock_shrink_tv(*(const struct timeval *)value);
    return next(fd, level, option, &real, sizeof real);
}

SHIM_EXPORT int getsockopt(int fd, int level, int option, void *restrict value,
                           socklen_t *restrict size)
{
    SHIM_NEXT(getsockopt);
    int result = next(fd, level, option, value, size);
    if (result == 0 && is_timeout(level, option) && *size == sizeof(struct timeval))
        *(struct timeval *)value = clock_stretch_tv(*(const struct timeval *)value);
    return result;
}

/* ---- Terminals ----
 *
 * VTIME counts tenths of a second, too coarse to scale: it stays as the program set it, and read
 * does the waiting itself. */

enum { TENTH_MS = 100 };

/* Whether reading FD waits by VTIME. */
static bool has_vtime(int fd, struct termios *mode)
{
    int reason = errno;
    bool is_so = clock_is_on() && tcgetattr(fd, mode) == 0 && (mode->c_lflag & ICANON) == 0 &&
                 mode->c_cc[VTIME] > 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
    errno = reason;
    return is_so;
}

/* Reads only what is there, without waiting. */
static ssize_t read_there(ssize_t (*next)(int, void *, size_t), int fd, void *bytes, size_t size)
{
    int there = 0;
    if (ioctl(fd, FIONREAD, &there) == 0 && there > 0 && (size_t)there < size)
        size = (size_t)there;
    return next(fd, bytes, size);
}

/* termios(3), non-canonical mode: with VMIN 0 the time runs from the call and one byte ends it;
 * else it runs from each byte on, until there are VMIN bytes. */
static ssize_t read_in_time(ssize_t (*next)(int, void *, size_t), int fd, void *bytes, size_t size,
                            const struct termios *mode)
{
    struct pollfd terminal = {.fd = fd, .events = POLLIN};
    size_t least = mode->c_cc[VMIN] < size ? mode->c_cc[VMIN] : size, got = 0;
    int span_ms = mode->c_cc[VTIME] * TENTH_MS;
    do {
        bool is_first = got == 0 && least > 0;
        int ready = poll(&terminal, 1, is_first ? -1 : span_ms);
        if (ready <= 0)
            return ready < 0 && got == 0 ? -1 : (ssize_t)got;
        ssize_t more = read_there(next, fd, (char *)bytes + got, size - got);
        if (more <= 0)
            return got > 0 ? (ssize_t)got : more;
        got += (size_t)more;
    } while (got < least);
    return (ssize_t)got;
}

SHIM_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
    struct termios mode;
    SHIM_NEXT(read);
    return size > 0 && has_vtime(fd, &mode) ? read_in_time(next, fd, bytes, size, &mode)
                                            : next(fd, bytes, size);
}

SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size);
SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size)
{
    return read(fd, bytes, size);
}

/* What programs built with _FORTIFY_SOURCE call; the next function reports a bad size. */
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room)
{
    SHIM_NEXT(__read_chk);
    return room < size ? next(fd, bytes, size, room) : read(fd, bytes, size);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
