/* The clock shim for waits for input and output: poll, select and epoll, and the timeouts of
 * sockets and terminals. */
#include "pty/shim/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "pty/shim/clock_shm.h"

/* The C library's headers use parameter names such as __fds. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */

/* ---- Waiting for descriptors ----
 *
 * Timeouts in milliseconds are converted to nanoseconds, because a virtual millisecond can be
 * short. */

/* Whether a timeout is neither zero nor infinite. */
static bool is_timed(int timeout_ms, int64_t *deadline)
{
    return timeout_ms > 0 && clock_after_ns((int64_t)timeout_ms * 1000000, deadline);
}

static bool is_span(const struct timespec *span, int64_t *deadline)
{
    return (span->tv_sec != 0 || span->tv_nsec != 0) && clock_after(span, deadline);
}

/* Counts a poll without a result. */
static int count_poll(int ready)
{
    if (ready == 0)
        clock_count_poll(CLOCK_POLL_CALL);
    return ready;
}

static const struct timespec at_once = {0};
static const int64_t FOREVER = INT64_MAX;

/* A call that waits for descriptors: poll, select or epoll. */
struct io_call {
    /* Calls the kernel. SPAN NULL: without a timeout. */
    int (*ask)(const struct io_call *self, const struct timespec *span);
    const sigset_t *mask;
    int epoll, count;
    void *at[3];            /* the descriptors, the events, or the sets */
    const fd_set *asked[3]; /* copies of the sets, because a timeout empties them */
    bool is_once;           /* the sets are larger than an fd_set and were not copied, so the
                             * call cannot be repeated */
};

static int ask_poll(const struct io_call *self, const struct timespec *span)
{
    SHIM_NEXT(ppoll);
    return next(self->at[0], (nfds_t)self->count, span, self->mask);
}

static int ask_select(const struct io_call *self, const struct timespec *span)
{
    SHIM_NEXT(pselect);
    for (int i = 0; i < 3; i++)
        if (self->asked[i] != NULL)
            memcpy(self->at[i], self->asked[i], sizeof(fd_set));
    return next(self->count, self->at[0], self->at[1], self->at[2], span, self->mask);
}

static int ask_epoll(const struct io_call *self, const struct timespec *span)
{
    SHIM_NEXT(epoll_pwait2);
    SHIM_NEXT_AS(coarse, epoll_pwait);
    bool is_fine = next != NULL && span != NULL && span != &at_once;
    int ready = is_fine ? next(self->epoll, self->at[0], self->count, span, self->mask) : -1;
    /* Kernels before 5.11, and sandboxes, do not have it. */
    if (is_fine && (ready >= 0 || (errno != ENOSYS && errno != EPERM)))
        return ready;
    int64_t ms = span ? span->tv_sec * INT64_C(1000) + (span->tv_nsec + 999999) / 1000000 : -1;
    return coarse(self->epoll, self->at[0], self->count, ms < INT_MAX ? (int)ms : INT_MAX,
                  self->mask);
}

/* Clears the sets as the kernel does after a timeout. */
static void empty_sets(const struct io_call *call)
{
    const size_t word = 8 * sizeof(long);
    for (int i = 0; call->ask == ask_select && i < 3; i++)
        if (call->at[i] != NULL)
            memset(call->at[i], 0, ((size_t)call->count + word - 1) / word * sizeof(long));
}

/* While time is held, a call that returns immediately does not count as woken. */
static int io_wait(const struct io_call *call, int64_t deadline)
{
    int ready = clock_held() != NULL && !call->is_once ? call->ask(call, &at_once) : 0;
    if (ready != 0)
        return ready;
    struct clock_slot *wait = deadline == FOREVER ? NULL : clock_wait_begin(deadline);
    if (wait != NULL || deadline == FOREVER) {
        clock_input_begin();
        if (wait == NULL)
            clock_announce();
        ready = call->ask(call, NULL);
        bool is_over = clock_wait_end(wait);
        clock_input_end(is_over);
        if (!clock_wait_is_timeout(is_over, ready < 0))
            return ready;
        empty_sets(call);
        return 0;
    }
    do {
        const struct timespec rest = clock_rest(deadline);
        ready = call->ask(call, &rest);
    } while (ready == 0 && !call->is_once && clock_is_early(deadline));
    return ready;
}

static int poll_until(struct pollfd *fds, nfds_t count, int64_t deadline, const sigset_t *mask)
{
    return io_wait(
        &(struct io_call){.ask = ask_poll, .at = {fds}, .count = (int)count, .mask = mask},
        deadline);
}

SHIM_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    int64_t deadline = FOREVER;
    SHIM_NEXT(poll);
    return timeout_ms < 0 || is_timed(timeout_ms, &deadline)
               ? poll_until(fds, count, deadline, NULL)
               : count_poll(next(fds, count, timeout_ms));
}

SHIM_EXPORT int __poll(struct pollfd *fds, nfds_t count, int timeout_ms);
SHIM_EXPORT int __poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    return poll(fds, count, timeout_ms);
}

SHIM_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *span,
                      const sigset_t *mask)
{
    int64_t deadline = FOREVER;
    sigset_t copy;
    SHIM_NEXT(ppoll);
    mask = clock_without_signal(mask, &copy);
    return span == NULL || is_span(span, &deadline) ? poll_until(fds, count, deadline, mask)
                                                    : count_poll(next(fds, count, span, mask));
}

/* Called by programs that were built with _FORTIFY_SOURCE. The next function reports an invalid
 * size. */
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

static int select_until(int count, fd_set *const sets[3], int64_t deadline, const sigset_t *mask)
{
    fd_set asked[3];
    struct io_call call = {
        .ask = ask_select, .mask = mask, .count = count, .is_once = count > FD_SETSIZE};
    for (int i = 0; i < 3; i++) {
        call.at[i] = sets[i];
        if (sets[i] != NULL && !call.is_once)
            call.asked[i] = memcpy(&asked[i], sets[i], sizeof(fd_set));
    }
    return io_wait(&call, deadline);
}

SHIM_EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out,
                       fd_set *restrict except, struct timeval *restrict span)
{
    int64_t deadline = FOREVER;
    fd_set *const sets[3] = {in, out, except};
    SHIM_NEXT(select);
    if (span == NULL)
        return select_until(count, sets, deadline, NULL);
    /* select accepts a million microseconds and more. */
    if (span->tv_sec >= 0 && span->tv_usec >= 0 && span->tv_sec < INT32_MAX &&
        span->tv_usec < INT32_MAX) {
        const struct timespec fine = {.tv_sec = span->tv_sec + span->tv_usec / 1000000,
                                      .tv_nsec = span->tv_usec % 1000000 * 1000};
        if (is_span(&fine, &deadline)) {
            int ready = select_until(count, sets, deadline, NULL);
            *span = clock_timeval(clock_left_ns(deadline));
            return ready;
        }
    }
    return count_poll(next(count, in, out, except, span));
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
    int64_t deadline = FOREVER;
    fd_set *const sets[3] = {in, out, except};
    sigset_t copy;
    SHIM_NEXT(pselect);
    mask = clock_without_signal(mask, &copy);
    return span == NULL || is_span(span, &deadline)
               ? select_until(count, sets, deadline, mask)
               : count_poll(next(count, in, out, except, span, mask));
}

static int epoll_until(int epoll, struct epoll_event *events, int count, int64_t deadline,
                       const sigset_t *mask)
{
    return io_wait(
        &(struct io_call){
            .ask = ask_epoll, .epoll = epoll, .at = {events}, .count = count, .mask = mask},
        deadline);
}

SHIM_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout_ms,
                            const sigset_t *mask)
{
    int64_t deadline = FOREVER;
    sigset_t copy;
    SHIM_NEXT(epoll_pwait);
    mask = clock_without_signal(mask, &copy);
    return timeout_ms < 0 || is_timed(timeout_ms, &deadline)
               ? epoll_until(epoll, events, count, deadline, mask)
               : count_poll(next(epoll, events, count, timeout_ms, mask));
}

SHIM_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    return epoll_pwait(epoll, events, count, timeout_ms, NULL);
}

SHIM_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int count,
                             const struct timespec *span, const sigset_t *mask)
{
    int64_t deadline = FOREVER;
    sigset_t copy;
    SHIM_NEXT(epoll_pwait2);
    mask = clock_without_signal(mask, &copy);
    return span == NULL || is_span(span, &deadline)
               ? epoll_until(epoll, events, count, deadline, mask)
               : count_poll(next(epoll, events, count, span, mask));
}

/* ---- Sockets ----
 *
 * If time is not held, the kernel gets scaled timeouts. If time is held, the kernel gets the
 * timeouts unchanged: a read first waits by poll, and the simulation ends a send. */

static bool is_timeout(int level, int option)
{
    return clock_is_on() && clock_held() == NULL && level == SOL_SOCKET &&
           (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
}

/* TCP delays a small packet until the previous one is acknowledged. The other side's kernel may
 * delay that by 40 ms of real time (tcp(7), TCP_NODELAY), and held time advances much further
 * meanwhile. Therefore this switches the delay off. Accepted connections inherit it. */
static void send_at_once(int fd, int domain, int type)
{
    const int on = 1;
    int reason = errno;
    bool is_tcp = (domain == AF_INET || domain == AF_INET6) && (type & 0xf) == SOCK_STREAM;
    SHIM_NEXT(setsockopt);
    if (fd >= 0 && is_tcp && clock_held() != NULL)
        next(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    errno = reason;
}

SHIM_EXPORT int socket(int domain, int type, int protocol)
{
    SHIM_NEXT(socket);
    int fd = next(domain, type, protocol);
    send_at_once(fd, domain, type);
    return fd;
}

SHIM_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    const int on = 1;
    SHIM_NEXT(setsockopt);
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
        clock_timed_note(option == SO_RCVTIMEO ? CLOCK_TIMED_RECEIVE : CLOCK_TIMED_SEND);
    if (level == IPPROTO_TCP && option == TCP_NODELAY && size == sizeof on && clock_held() != NULL)
        return next(fd, level, option, &on, sizeof on);
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

/* Whether a read of FD may wait. */
static bool is_blocking(int fd)
{
    int reason = errno;
    int flags = fcntl(fd, F_GETFL);
    errno = reason;
    return (flags & O_NONBLOCK) == 0 && (flags & O_ACCMODE) != O_WRONLY;
}

/* Whether a blocking call that reads FD would have to wait. */
static bool is_empty(int fd)
{
    int reason = errno;
    SHIM_NEXT(ppoll);
    bool is_so = clock_held() != NULL &&
                 next(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, &at_once, NULL) == 0;
    errno = reason;
    return is_so;
}

/* Whether FD is a terminal that does not wait for whole lines; gets its mode. By system call,
 * because tcgetattr of the serial shim is slow. The kernel writes the beginning of struct
 * termios. */
static bool is_raw_terminal(int fd, struct termios *mode)
{
    int reason = errno;
    SHIM_NEXT(syscall);
    bool is_so = next(SYS_ioctl, fd, TCGETS, mode) == 0 && (mode->c_lflag & ICANON) == 0;
    errno = reason;
    return is_so;
}

/* Whether a read of FD, a terminal, returns immediately and without an error if there is no data
 * (termios(3)). */
static bool is_impatient(int fd)
{
    struct termios mode;
    return is_raw_terminal(fd, &mode) && mode.c_cc[VMIN] == 0 && mode.c_cc[VTIME] == 0;
}

/* To be called with the result of a read. A read without data counts as a poll. */
static ssize_t received(int fd, ssize_t got, bool was_empty)
{
    bool is_nothing = got < 0 ? errno == EAGAIN || errno == EWOULDBLOCK
                              : got == 0 && was_empty && is_impatient(fd);
    if (was_empty && is_nothing)
        clock_input_drop();
    else if (was_empty)
        clock_input_end(false);
    if (is_nothing) {
        int reason = errno;
        clock_count_poll(CLOCK_POLL_CALL);
        errno = reason;
    }
    return got;
}

/* Whether the program has set a timeout for FD by OPTION. If so, gets its deadline. */
static bool is_socket_timed(int fd, int option, int64_t *deadline)
{
    struct timeval span = {0};
    socklen_t size = sizeof span;
    int reason = errno;
    SHIM_NEXT(getsockopt);
    uint32_t how = option == SO_RCVTIMEO ? CLOCK_TIMED_RECEIVE : CLOCK_TIMED_SEND;
    bool is_set = clock_held() != NULL && clock_timed_any(how) &&
                  next(fd, SOL_SOCKET, option, &span, &size) == 0 &&
                  (span.tv_sec != 0 || span.tv_usec != 0) && is_blocking(fd);
    errno = reason;
    return is_set &&
           clock_after_ns(span.tv_sec * INT64_C(1000000000) + span.tv_usec * INT64_C(1000),
                          deadline);
}

/* Whether threads may share FD so that each takes a part of the data. Lines of a terminal are not
 * shared in this way. */
static bool is_shareable(int fd)
{
    struct stat about;
    int reason = errno;
    bool is_so = fstat(fd, &about) == 0 && !S_ISCHR(about.st_mode) && is_blocking(fd);
    errno = reason;
    return is_so;
}

/* Waits until FD, which was empty, has data. The kernel would give the data to any waiting thread;
 * here, no thread takes data before its turn. False: a signal came. */
static bool await_turn(int fd)
{
    struct pollfd shared = {.fd = fd, .events = POLLIN};
    while (is_empty(fd))
        if (poll_until(&shared, 1, FOREVER, NULL) < 0 &&
            (errno != EINTR || clock_signals_interrupt()))
            return false;
    return true;
}

/* Waits for data. False, with errno: the timeout expired, or a signal came. *WAS_EMPTY: the
 * caller's own call waits, and `received` ends that wait. */
static bool socket_await(int fd, int flags, bool *was_empty)
{
    int64_t deadline;
    bool is_timed = (flags & MSG_DONTWAIT) == 0 && is_socket_timed(fd, SO_RCVTIMEO, &deadline);
    *was_empty = !is_timed && is_empty(fd);
    if (*was_empty && (flags & MSG_DONTWAIT) == 0 && is_shareable(fd)) {
        *was_empty = false;
        return await_turn(fd);
    }
    if (*was_empty) {
        clock_input_begin();
        if (is_blocking(fd))
            clock_announce();
    }
    if (!is_timed)
        return true;
    int ready = poll_until(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, deadline, NULL);
    if (ready == 0)
        errno = EAGAIN;
    return ready > 0;
}

SHIM_EXPORT ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    bool was_empty;
    SHIM_NEXT(recv);
    return socket_await(fd, flags, &was_empty)
               ? received(fd, next(fd, bytes, size, flags), was_empty)
               : -1;
}

SHIM_EXPORT ssize_t recvfrom(int fd, void *restrict bytes, size_t size, int flags,
                             __SOCKADDR_ARG from, socklen_t *restrict from_size)
{
    bool was_empty;
    SHIM_NEXT(recvfrom);
    return socket_await(fd, flags, &was_empty)
               ? received(fd, next(fd, bytes, size, flags, from, from_size), was_empty)
               : -1;
}

SHIM_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    bool was_empty;
    SHIM_NEXT(recvmsg);
    return socket_await(fd, flags, &was_empty) ? received(fd, next(fd, message, flags), was_empty)
                                               : -1;
}

/* To be called after connect or accept. The other side may be a process outside the driver and
 * answer immediately, so ptybot checks the sockets before it gives this thread its turn. */
static int connected(int result)
{
    struct clock_shm *shm = clock_held();
    int kept = errno;
    if (shm == NULL || (result < 0 && errno != EINPROGRESS))
        return result;
    atomic_fetch_add(&shm->connects, 1);
    clock_turn(0);
    errno = kept;
    return result;
}

SHIM_EXPORT int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict from_size)
{
    bool was_empty;
    SHIM_NEXT(accept);
    return socket_await(fd, 0, &was_empty)
               ? connected((int)received(fd, next(fd, from, from_size), was_empty))
               : -1;
}

SHIM_EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict from_size, int flags)
{
    bool was_empty;
    SHIM_NEXT(accept4);
    return socket_await(fd, 0, &was_empty)
               ? connected((int)received(fd, next(fd, from, from_size, flags), was_empty))
               : -1;
}

/* Called by programs that were built with _FORTIFY_SOURCE. The next function reports an invalid
 * size. */
SHIM_EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t room, int flags);
SHIM_EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t room, int flags)
{
    SHIM_NEXT(__recv_chk);
    return room < size ? next(fd, bytes, size, room, flags) : recv(fd, bytes, size, flags);
}

/* send_begin and send_end enclose a send. NULL: the send has no timeout of held time. */
static struct clock_slot *send_begin(int fd, int flags)
{
    int64_t deadline;
    bool is_timed = (flags & MSG_DONTWAIT) == 0 && is_socket_timed(fd, SO_SNDTIMEO, &deadline);
    return is_timed ? clock_wait_begin(deadline) : NULL;
}

static void send_end(struct clock_slot *wait, bool has_failed, int time_out)
{
    if (clock_wait_is_timeout(clock_wait_end(wait), has_failed))
        errno = time_out;
}

/* The kernel's timeout has the same length, but in real time. If it expires first, the send is
 * repeated. */
#define SEND(name, fd, flags, ...)                                                                 \
    SHIM_NEXT(name);                                                                               \
    for (;;) {                                                                                     \
        struct clock_slot *wait = send_begin(fd, flags);                                           \
        ssize_t sent = next(fd, __VA_ARGS__);                                                      \
        bool is_early = wait != NULL && sent < 0 && errno == EAGAIN && !clock_wait_is_over(wait);  \
        send_end(wait, sent < 0, EAGAIN);                                                          \
        if (!is_early)                                                                             \
            return sent;                                                                           \
    }

SHIM_EXPORT ssize_t send(int fd, const void *bytes, size_t size,
                         int flags){SEND(send, fd, flags, bytes, size, flags)}

SHIM_EXPORT ssize_t
    sendto(int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG to,
           socklen_t to_size){SEND(sendto, fd, flags, bytes, size, flags, to, to_size)}

SHIM_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message,
                            int flags){SEND(sendmsg, fd, flags, message, flags)}

SHIM_EXPORT ssize_t write(int fd, const void *bytes, size_t size){SEND(write, fd, 0, bytes, size)}

SHIM_EXPORT ssize_t
    writev(int fd, const struct iovec *parts, int count){SEND(writev, fd, 0, parts, count)}

SHIM_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t size)
{
    SHIM_NEXT(connect);
    struct clock_slot *wait = send_begin(fd, 0);
    int result = next(fd, to, size);
    bool is_local = wait != NULL && to.__sockaddr__->sa_family == AF_UNIX;
    send_end(wait, result < 0, is_local ? EAGAIN : EINPROGRESS);
    return connected(result);
}

static void note_vtime(tcflag_t local, const cc_t *codes)
{
    if ((local & ICANON) == 0 && codes[VTIME] > 0)
        clock_timed_note(CLOCK_TIMED_TERMINAL);
}

SHIM_EXPORT int tcsetattr(int fd, int actions, const struct termios *mode)
{
    SHIM_NEXT(tcsetattr);
    if (mode != NULL)
        note_vtime(mode->c_lflag, mode->c_cc);
    return next(fd, actions, mode);
}

/* Asking for the number of readable bytes counts as a poll too. */
SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list more;
    SHIM_NEXT(ioctl);
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    /* TCSETS to TCSETSF, and TCSETS2 to TCSETSF2 (asm-generic/ioctls.h). The numbers of the latter
     * contain the size of a struct that the C library does not define; that struct begins like
     * struct termios. */
    unsigned long code = request & 0xffff;
    bool is_mode = (code >= 0x5402 && code <= 0x5404) || (code >= 0x542b && code <= 0x542d);
    if (is_mode && argument != NULL)
        note_vtime(((const struct termios *)argument)->c_lflag,
                   ((const struct termios *)argument)->c_cc);
    int result = next(fd, request, argument);
    if (request == FIONREAD && result == 0 && *(const int *)argument == 0)
        clock_count_poll(CLOCK_POLL_CALL);
    return result;
}

/* ---- Terminals ----
 *
 * VTIME counts tenths of a second, which is too coarse to scale. It stays as the program set it,
 * and read itself waits. */

enum { TENTH_MS = 100 };

/* Reads only the bytes that are available, without waiting. */
static ssize_t read_there(ssize_t (*next)(int, void *, size_t), int fd, void *bytes, size_t size)
{
    int there = 0;
    if (ioctl(fd, FIONREAD, &there) == 0 && there > 0 && (size_t)there < size)
        size = (size_t)there;
    return next(fd, bytes, size);
}

/* termios(3), non-canonical mode. With VMIN 0, the time runs from the call, and one byte ends it.
 * Otherwise it runs from each byte on, until there are VMIN bytes. */
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
    bool was_empty;
    SHIM_NEXT(read);
    if (size == 0)
        return next(fd, bytes, size);
    if (clock_timed_any(CLOCK_TIMED_TERMINAL) && is_blocking(fd) && is_raw_terminal(fd, &mode) &&
        mode.c_cc[VTIME] > 0)
        return read_in_time(next, fd, bytes, size, &mode);
    return socket_await(fd, 0, &was_empty) ? received(fd, next(fd, bytes, size), was_empty) : -1;
}

SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size);
SHIM_EXPORT ssize_t __read(int fd, void *bytes, size_t size)
{
    return read(fd, bytes, size);
}

/* Called by programs that were built with _FORTIFY_SOURCE. The next function reports an invalid
 * size. */
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
SHIM_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room)
{
    SHIM_NEXT(__read_chk);
    return room < size ? next(fd, bytes, size, room) : read(fd, bytes, size);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming) */
