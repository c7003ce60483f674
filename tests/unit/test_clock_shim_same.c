/* Calls return the same with the clock shim and without it: result, errno and data. This program
 * makes many calls that do not wait, or only for milliseconds, and writes a line for each. The
 * tests run it with a real clock, and with each kind of virtual clock, and compare the lines. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>

#include "tests/support/held.h"

enum { ERRNO_BEFORE = 77 };

/* Makes one call, and writes its result and errno. A call without a failure does not change errno,
 * except on a held clock, where a wait that has ended may change it. */
#define SAY(call)                                                                                  \
    do {                                                                                           \
        errno = ERRNO_BEFORE;                                                                      \
        long result_ = (long)(call);                                                               \
        int reason_ = result_ < 0 || !warped_is_held() ? errno : ERRNO_BEFORE;                     \
        printf("line %d: %ld, errno %d\n", __LINE__, result_, reason_);                            \
    } while (0)

/* Valid, invalid and past spans and moments. None takes long. */
static const struct timespec spans[] = {
    {0, 0}, {0, 1}, {0, 1000000}, {-1, 0}, {0, -1}, {0, SECOND_NS}, {-1, SECOND_NS - 1},
};
enum { SPANS = sizeof spans / sizeof *spans };

/* Wrong arguments, and the compiler would warn about them. */
static void *volatile nowhere = (void *)8;
static volatile int minus_one = -1;

/* ---- Before the library is ready ---- */

static long early[4];

/* The libraries have not been initialized yet. */
static void look_early(void)
{
    struct timespec now;
    errno = 77;
    early[0] = clock_gettime(CLOCK_MONOTONIC, &now);
    early[1] = errno;
    early[2] = clock_gettime(12345, &now);
    early[3] = errno;
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = look_early;

/* ---- Time ---- */

static void read_clocks(void)
{
    struct timespec now;
    for (int i = 0; i < 4; i++)
        SAY(early[i]);
    SAY(fcntl(0, F_GETFD));
    for (clockid_t clock = -1; clock <= 12; clock++)
        SAY(clock_gettime(clock, &now));
    SAY(clock_gettime(12345, &now));
    SAY(gettimeofday(&(struct timeval){0}, NULL));
    SAY(timespec_get(&now, TIME_UTC));
    SAY(timespec_get(&now, 0));
    SAY(time(NULL) > 0);
}

static void sleep_for_each_span(void)
{
    for (int i = 0; i < SPANS; i++) {
        struct timespec rest = {.tv_sec = 5};
        SAY(nanosleep(&spans[i], &rest));
        SAY(clock_nanosleep(CLOCK_MONOTONIC, 0, &spans[i], &rest));
        SAY(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &spans[i], &rest));
        SAY(clock_nanosleep(12345, 0, &spans[i], &rest));
        SAY(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &spans[i], &rest));
        SAY(thrd_sleep(&spans[i], &rest));
        SAY(rest.tv_sec);
    }
    SAY(usleep(0));
    SAY(usleep(1));
    SAY(sleep(0));
}

/* ---- Descriptors ---- */

static int ends[2]; /* of a pipe with a byte; descriptor BAD is closed */
enum { BAD = 900 };

extern int __poll(struct pollfd *fds, nfds_t count, int timeout_ms);
extern int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t room);
extern int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *time,
                       const sigset_t *mask, size_t room);
extern int __select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time);
extern ssize_t __read(int fd, void *bytes, size_t size);
extern ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
extern ssize_t __recv_chk(int fd, void *bytes, size_t size, size_t room, int flags);

static void poll_descriptors(void)
{
    static const int timeouts_ms[] = {0, 1, -1, 1000};
    for (size_t i = 0; i < 4; i++) {
        struct pollfd fds[3] = {{ends[0], POLLIN, 0}, {BAD, POLLIN, 0}, {-1, POLLIN, 0}};
        SAY(poll(fds, 3, timeouts_ms[i]));
        SAY(fds[0].revents * 10000 + fds[1].revents * 100 + fds[2].revents);
        SAY(__poll(fds, 1, timeouts_ms[i]));
        SAY(__poll_chk(fds, 1, timeouts_ms[i], sizeof fds[0]));
    }
    SAY(poll(NULL, 0, 1));
    for (int i = 0; i < SPANS; i++) {
        struct pollfd fd = {ends[0], POLLIN, 0};
        SAY(ppoll(NULL, 0, &spans[i], NULL));
        SAY(ppoll(&fd, 1, &spans[i], &(sigset_t){0}));
        SAY(__ppoll_chk(&fd, 1, &spans[i], NULL, sizeof fd));
    }
}

/* Writes the result, the bits of all sets, and whether the span is still there. */
static void say_select(int count, fd_set sets[3], struct timeval *span)
{
    SAY(select(count, &sets[0], &sets[1], &sets[2], span));
    for (int i = 0; i < 3; i++)
        SAY((FD_ISSET(ends[0], &sets[i]) ? 1 : 0) + (FD_ISSET(ends[1], &sets[i]) ? 2 : 0) +
            (FD_ISSET(BAD, &sets[i]) ? 4 : 0));
    SAY(span != NULL && span->tv_sec >= 900);
}

static void select_descriptors(void)
{
    static const struct timeval times[] = {{0, 0},         {0, 1000},      {0, 1},
                                           {-1, 0},        {0, -1},        {1000, 500},
                                           {900, 1 << 30}, {INT32_MAX, 0}, {5, -2000000}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (int with = 0; with < 4; with++) {
            fd_set sets[3];
            struct timeval span = times[i];
            memset(sets, 0, sizeof sets);
            FD_SET(ends[0], &sets[2]);
            FD_SET(ends[with != 0], &sets[0]);
            FD_SET(ends[with != 0], &sets[1]);
            if (with == 2)
                FD_SET(BAD, &sets[1]);
            bool is_ready = with == 0 || with == 1;
            if (is_ready || times[i].tv_sec < 900)
                say_select(with == 3 ? -1 : 1000, sets, &span);
        }
    fd_set in;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    SAY(select(100, &in, NULL, NULL, NULL));
    fd_set out = in, except = in;
    FD_SET(ends[1], &out);
    SAY(__select(100, &in, &out, &except, &(struct timeval){.tv_sec = 1000}));
    SAY(FD_ISSET(ends[0], &in) && FD_ISSET(ends[1], &out) && !FD_ISSET(ends[0], &except));
    for (int i = 0; i < SPANS; i++) {
        SAY(pselect(100, &in, NULL, NULL, &spans[i], NULL));
        SAY(pselect(0, NULL, NULL, NULL, &spans[i], &(sigset_t){0}));
        SAY(pselect(-1, NULL, NULL, NULL, &spans[i], NULL));
    }
}

static void wait_by_epoll(void)
{
    static const int timeouts_ms[] = {0, 1, -1, 1000};
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 5}, found[2];
    int epoll = epoll_create1(0), empty = epoll_create1(0);
    SAY(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
    for (size_t i = 0; i < 4; i++) {
        SAY(epoll_wait(epoll, found, 2, timeouts_ms[i]));
        SAY(found[0].data.u32 * 100 + found[0].events);
        SAY(epoll_wait(epoll, found, 0, timeouts_ms[i]));
        SAY(epoll_pwait(epoll, found, minus_one, timeouts_ms[i], NULL));
        SAY(epoll_wait(BAD, found, 1, timeouts_ms[i]));
        SAY(epoll_pwait(ends[0], found, 1, timeouts_ms[i], &(sigset_t){0}));
    }
    SAY(epoll_wait(empty, found, 1, 1));
    for (int i = 0; i < SPANS; i++) {
        SAY(epoll_pwait2(empty, found, 1, &spans[i], NULL));
        SAY(epoll_pwait2(epoll, found, 1, &spans[i], &(sigset_t){0}));
        SAY(epoll_pwait2(BAD, found, 1, &spans[i], NULL));
    }
    SAY(epoll_pwait2(epoll, found, 1, NULL, NULL));
    close(epoll);
    close(empty);
}

/* ---- Calls of programs that were built with _FORTIFY_SOURCE ---- */

static char small[8];

static void read_too_much(void)
{
    __read_chk(ends[0], small, 2, 1);
}

static void receive_too_much(void)
{
    __recv_chk(ends[0], small, 2, 1, MSG_DONTWAIT);
}

static void poll_too_many(void)
{
    struct pollfd fds[2] = {{ends[0], POLLIN, 0}, {ends[0], POLLIN, 0}};
    __poll_chk(fds, 2, 0, sizeof fds - 1);
}

static void ppoll_too_many(void)
{
    struct pollfd fds[2] = {{ends[0], POLLIN, 0}, {ends[0], POLLIN, 0}};
    __ppoll_chk(fds, 2, &spans[0], NULL, sizeof fds - 1);
}

static void say_how_it_ends(void (*does)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), 2);
        does();
        _exit(0);
    }
    SAY(waitpid(child, &status, 0) == child);
    SAY(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void check_sizes(void)
{
    void (*const calls[])(void) = {read_too_much, receive_too_much, poll_too_many, ppoll_too_many};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        say_how_it_ends(calls[i]);
}

/* ---- Sockets ---- */

static ssize_t receive_message(int fd, size_t size, int flags)
{
    char bytes[8];
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t got = recvmsg(fd, &message, flags);
    return got < 0 ? got : got * 100 + message.msg_flags;
}

static void receive_in_each_way(int fd, int flags)
{
    char bytes[8] = "";
    struct sockaddr_un from;
    socklen_t size = sizeof from;
    SAY(recv(fd, bytes, sizeof bytes, flags));
    SAY(bytes[0]);
    SAY(__recv_chk(fd, bytes, 1, 1, flags));
    SAY(recvfrom(fd, bytes, 1, flags, (struct sockaddr *)&from, &size));
    SAY(size);
    SAY(receive_message(fd, 1, flags));
    SAY(recv(fd, nowhere, 1, flags));
}

static void receive(void)
{
    char bytes[8];
    int pair[2], messages[2];
    const struct timeval soon = {.tv_usec = 1000};
    SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    SAY(socketpair(AF_UNIX, SOCK_DGRAM, 0, messages));
    receive_in_each_way(pair[0], MSG_DONTWAIT);
    SAY(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon));
    receive_in_each_way(pair[0], 0);
    SAY(read(pair[0], bytes, 1));
    SAY(write(pair[1], "abc", 3));
    receive_in_each_way(pair[0], MSG_PEEK);
    SAY(read(pair[0], bytes, 2));
    SAY(__read(pair[0], bytes, 0));
    SAY(__read_chk(pair[0], bytes, 8, 8));
    SAY(send(messages[1], "defg", 4, 0));
    receive_in_each_way(messages[0], MSG_PEEK | MSG_TRUNC);
    close(pair[1]);
    receive_in_each_way(pair[0], 0);
    receive_in_each_way(BAD, 0);
    receive_in_each_way(ends[0], 0);
    SAY(read(BAD, bytes, 0));
    SAY(read(BAD, bytes, 1));
    SAY(read(ends[1], bytes, 1));
    close(pair[0]);
    close(messages[0]);
    close(messages[1]);
}

static void send_to(int fd, int flags)
{
    struct iovec part = {(void *)"hi", 2};
    SAY(send(fd, "hi", 2, flags));
    SAY(sendto(fd, "hi", 2, flags, NULL, 0));
    SAY(sendmsg(fd, &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, flags));
    SAY(write(fd, "hi", 2));
    SAY(write(fd, nowhere, 2));
    SAY(writev(fd, &part, 1));
    SAY(writev(fd, &part, minus_one));
}

static void send_in_each_way(void)
{
    static char many[4096];
    int pair[2], given[2];
    const struct timeval soon = {.tv_usec = 1000};
    signal(SIGPIPE, SIG_IGN);
    SAY(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    SAY(pipe(given));
    send_to(pair[0], 0);
    send_to(given[1], 0);
    SAY(setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon));
    send_to(pair[0], 0);
    while (send(pair[0], many, sizeof many, MSG_DONTWAIT) > 0)
        ;
    while (send(pair[0], many, 1, MSG_DONTWAIT) > 0)
        ;
    send_to(pair[0], MSG_DONTWAIT);
    send_to(pair[0], 0);
    close(pair[1]);
    close(given[0]);
    send_to(pair[0], MSG_NOSIGNAL);
    send_to(given[1], 0);
    send_to(BAD, 0);
    close(pair[0]);
    close(given[1]);
}

static void connect_in_each_way(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un missing = {.sun_family = AF_UNIX, .sun_path = "/dev/null/x"};
    struct sockaddr *at = (struct sockaddr *)&own;
    socklen_t size = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM, 0), host = socket(AF_INET, SOCK_STREAM, 0);
    int other = socket(AF_UNIX, SOCK_STREAM, 0);
    SAY(bind(server, at, size));
    SAY(getsockname(server, at, &size));
    SAY(connect(host, at, size));
    SAY(listen(server, 4));
    SAY(connect(host, at, size));
    SAY(connect(host, at, size));
    SAY(connect(BAD, at, size));
    SAY(connect(ends[0], at, size));
    SAY(connect(host, at, 1));
    SAY(connect(other, (struct sockaddr *)&missing, sizeof missing));
    int peer = accept4(server, at, &size, SOCK_NONBLOCK);
    SAY(peer >= 0 && size == sizeof own && (fcntl(peer, F_GETFL) & O_NONBLOCK) != 0);
    SAY(fcntl(server, F_SETFL, O_NONBLOCK));
    SAY(accept(server, NULL, NULL));
    SAY(accept4(server, NULL, NULL, 12345));
    SAY(accept4(server, at, &size, 0));
    SAY(accept(peer, NULL, NULL));
    SAY(accept(BAD, NULL, NULL));
    const int all[] = {server, host, other, peer};
    for (int i = 0; i < 4; i++)
        close(all[i]);
}

static void say_option(int fd, int level, int option)
{
    int value[4] = {-1, -1, -1, -1};
    socklen_t size = sizeof value;
    SAY(getsockopt(fd, level, option, value, &size));
    SAY(size);
    SAY(value[0]);
}

/* On a held clock, TCP sends at once whatever the program sets. */
static bool is_delaying(int tcp)
{
    static bool is_set;
    int value = -1;
    socklen_t size = sizeof value;
    is_set = !is_set;
    return getsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &value, &size) == 0 &&
           (warped_is_held() ? is_set : value == 0);
}

static void set_options(void)
{
    static const struct timeval times[] = {{0, 0}, {1000, 0}, {-1, 0}, {0, 1000000}, {0, -1}};
    const int on = 1, off = 0;
    int tcp = socket(AF_INET, SOCK_STREAM, 0);
    SAY(is_delaying(tcp));
    SAY(setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    SAY(is_delaying(tcp));
    SAY(setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &off, sizeof off));
    SAY(is_delaying(tcp));
    for (int option = SO_RCVTIMEO; option <= SO_SNDTIMEO; option++) {
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            SAY(setsockopt(tcp, SOL_SOCKET, option, &times[i], sizeof times[i]));
            say_option(tcp, SOL_SOCKET, option);
        }
        SAY(setsockopt(tcp, SOL_SOCKET, option, &times[1], sizeof times[1] - 1));
        SAY(setsockopt(tcp, SOL_SOCKET, option, &on, sizeof on));
        SAY(setsockopt(tcp, SOL_SOCKET, option, NULL, sizeof times[1]));
        SAY(setsockopt(BAD, SOL_SOCKET, option, &times[1], sizeof times[1]));
        say_option(BAD, SOL_SOCKET, option);
    }
    SAY(setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, 1));
    SAY(setsockopt(tcp, SOL_SOCKET, SO_BROADCAST, &on, sizeof on));
    say_option(tcp, SOL_SOCKET, SO_BROADCAST);
    SAY(socket(AF_INET, 12345, 0));
    close(tcp);
}

/* ---- Terminals ---- */

/* Reads from a raw terminal with BYTES in it. */
static void say_terminal(cc_t least, cc_t tenths, int flags, const char *bytes)
{
    char got[8] = "";
    int robot, host, there = 0;
    struct termios mode;
    if (openpty(&robot, &host, NULL, NULL, NULL) != 0 || tcgetattr(host, &mode) != 0)
        return;
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = least;
    mode.c_cc[VTIME] = tenths;
    SAY(tcsetattr(host, TCSANOW, &mode));
    SAY(fcntl(host, F_SETFL, flags));
    SAY(write(robot, bytes, strlen(bytes)));
    while (there < (int)strlen(bytes))
        syscall(SYS_ioctl, host, FIONREAD, &there);
    SAY(ioctl(host, FIONREAD, &there));
    SAY(there);
    SAY(read(host, got, sizeof got));
    printf("%s\n", got);
    SAY(read(host, NULL, 0));
    close(robot);
    SAY(read(host, got, sizeof got));
    close(host);
}

/* The terminal is the program's own: the other end has been closed. */
static void say_closed_terminal(void)
{
    char got[8];
    int own, other;
    struct termios mode;
    if (openpty(&own, &other, NULL, NULL, NULL) != 0 || tcgetattr(own, &mode) != 0)
        return;
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 1;
    SAY(tcsetattr(own, TCSANOW, &mode));
    close(other);
    SAY(read(own, got, sizeof got));
    close(own);
}

static void read_terminals(void)
{
    char mode[256];
    say_terminal(0, 0, 0, "");
    say_terminal(0, 0, 0, "abc");
    say_terminal(2, 0, 0, "abc");
    say_terminal(0, 1, 0, "");
    say_terminal(0, 1, 0, "abc");
    say_terminal(5, 1, 0, "abc");
    say_terminal(2, 200, 0, "abc");
    say_terminal(1, 200, O_NONBLOCK, "");
    say_terminal(0, 200, O_NONBLOCK, "");
    say_terminal(5, 200, O_NONBLOCK, "abc");
    say_closed_terminal();
    SAY(ioctl(BAD, TCGETS, mode));
    SAY(ioctl(ends[0], TCSETS, mode));
    SAY(ioctl(ends[0], TCSETS, NULL));
    SAY(ioctl(BAD, FIONREAD, mode));
    SAY(tcsetattr(ends[0], TCSANOW, (struct termios *)(void *)mode));
}

/* ---- Timers ---- */

static const struct itimerspec timer_times[] = {
    {{0, 0}, {0, 0}},  {{0, 0}, {0, 1}},         {{0, 1}, {500, 0}},       {{0, 0}, {-1, 0}},
    {{0, 0}, {0, -1}}, {{0, 0}, {0, SECOND_NS}}, {{0, SECOND_NS}, {1, 0}}, {{-1, 0}, {1, 0}},
    {{0, -1}, {0, 0}}, {{0, 0}, {500, 5}},       {{0, 0}, {0, 0}},
};
enum { TIMER_TIMES = sizeof timer_times / sizeof *timer_times };

/* A rest that does not depend on the speed of the machine, nor on rounding. */
static long coarse(struct timespec time)
{
    return time.tv_sec >= 400 ? 2 : time.tv_sec > 0 || time.tv_nsec > 100;
}

static void set_timerfds(void)
{
    uint64_t count = 0;
    struct itimerspec before;
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    SAY(timerfd_create(12345, 0));
    SAY(timerfd_create(CLOCK_MONOTONIC, 12345));
    for (int i = 0; i < TIMER_TIMES; i++) {
        bool is_quiet = timer_times[i].it_value.tv_sec != 0 || timer_times[i].it_value.tv_nsec != 1;
        SAY(timerfd_settime(timer, 0, &timer_times[i], &before));
        SAY(timerfd_settime(timer, TFD_TIMER_ABSTIME, &timer_times[i], NULL));
        SAY(timerfd_settime(BAD, 0, &timer_times[i], &before));
        SAY(timerfd_settime(ends[0], 0, &timer_times[i], &before));
        SAY(timerfd_settime(timer, 0, &timer_times[i], &before));
        if (is_quiet) {
            SAY(read(timer, &count, sizeof count));
            SAY(timerfd_gettime(timer, &before));
            SAY(coarse(before.it_value) * 10 + coarse(before.it_interval));
        }
        SAY(poll(&(struct pollfd){timer, POLLIN, 0}, 1, is_quiet ? 0 : 10000));
    }
    SAY(timerfd_settime(timer, 12345, &timer_times[1], NULL));
    SAY(timerfd_settime(timer, 0, NULL, NULL));
    SAY(timerfd_gettime(BAD, &before));
    SAY(timerfd_gettime(ends[0], &before));
    close(timer);
}

static void set_alarms(void)
{
    struct itimerval now;
    const struct itimerval off = {0};
    for (int i = 0; i < TIMER_TIMES; i++) {
        const struct itimerspec *fine = &timer_times[i];
        const struct itimerval wanted = {
            {fine->it_interval.tv_sec, fine->it_interval.tv_nsec / 1000},
            {fine->it_value.tv_sec, fine->it_value.tv_nsec / 1000}};
        if (fine->it_value.tv_nsec == -1 || fine->it_interval.tv_nsec == -1)
            continue;
        SAY(setitimer(ITIMER_REAL, &wanted, &now));
        SAY(now.it_value.tv_sec >= 400);
        SAY(getitimer(ITIMER_REAL, &now));
        SAY(now.it_value.tv_sec >= 400);
        SAY(setitimer(ITIMER_VIRTUAL, &wanted, NULL));
        SAY(setitimer(12345, &wanted, NULL));
    }
    SAY(setitimer(ITIMER_VIRTUAL, &off, NULL));
    SAY(getitimer(ITIMER_PROF, &now));
    SAY(getitimer(12345, &now));
    SAY(getitimer(ITIMER_REAL, nowhere));
    SAY(alarm(1000) >= 400);
    SAY(alarm(0) >= 400);
    SAY(alarm(0));
    SAY(ualarm(900000, 0));
    SAY(ualarm(0, 0) > 0);
    SAY(ualarm(0, 0));
}

static void set_timers(void)
{
    timer_t timer;
    struct itimerspec now;
    struct sigevent quiet = {.sigev_notify = SIGEV_NONE};
    SAY(timer_create(CLOCK_MONOTONIC, &quiet, &timer));
    for (int i = 0; i < TIMER_TIMES; i++) {
        SAY(timer_settime(timer, 0, &timer_times[i], &now));
        SAY(timer_gettime(timer, &now));
        SAY(coarse(now.it_value));
        SAY(timer_settime(timer, TIMER_ABSTIME, &timer_times[i], NULL));
    }
    SAY(timer_settime(timer, 0, NULL, NULL));
    SAY(timer_delete(timer));
}

/* ---- Locks ---- */

static const struct timespec past = {.tv_sec = 1}, crowded = {.tv_nsec = SECOND_NS};

static struct timespec soon(clockid_t clock)
{
    struct timespec when;
    clock_gettime(clock, &when);
    when.tv_nsec += 1000000;
    when.tv_sec += when.tv_nsec / SECOND_NS;
    when.tv_nsec %= SECOND_NS;
    return when;
}

static void take_semaphores(void)
{
    sem_t semaphore;
    for (int value = 0; value < 2; value++) {
        const struct timespec date = soon(CLOCK_REALTIME), moment = soon(CLOCK_MONOTONIC);
        const struct timespec *const dates[] = {&past, &crowded, &spans[4], &spans[3], &date};
        const struct timespec *const moments[] = {&past, &crowded, &spans[4], &spans[3], &moment};
        for (int i = 0; i < 5; i++) {
            sem_init(&semaphore, 0, (unsigned)value);
            SAY(sem_timedwait(&semaphore, dates[i]));
            sem_init(&semaphore, 0, (unsigned)value);
            SAY(sem_clockwait(&semaphore, CLOCK_MONOTONIC, moments[i]));
            SAY(sem_clockwait(&semaphore, 12345, moments[i]));
            SAY(sem_trywait(&semaphore));
        }
    }
    sem_init(&semaphore, 0, 1);
    SAY(sem_wait(&semaphore));
}

static pthread_mutex_t taken;
static pthread_rwlock_t locked;
static sem_t are_held, may_go;

static void *hold_locks(void *unused)
{
    pthread_mutex_lock(&taken);
    pthread_rwlock_wrlock(&locked);
    sem_post(&are_held);
    sem_wait(&may_go);
    pthread_rwlock_unlock(&locked);
    pthread_mutex_unlock(&taken);
    return unused;
}

static void lock_until(pthread_mutex_t *mutex)
{
    const struct timespec date = soon(CLOCK_REALTIME), moment = soon(CLOCK_MONOTONIC);
    const struct timespec *const dates[] = {&past, &crowded, &spans[4], &spans[3], &date};
    for (int i = 0; i < 5; i++) {
        SAY(pthread_mutex_timedlock(mutex, dates[i]));
        SAY(mtx_timedlock((mtx_t *)mutex, dates[i]));
    }
    SAY(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &moment));
    SAY(pthread_mutex_clocklock(mutex, 12345, &moment));
    SAY(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &crowded));
    SAY(pthread_mutex_trylock(mutex));
}

static void lock_mutexes(void)
{
    static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
                                PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_DEFAULT};
    lock_until(&taken);
    for (size_t i = 0; i < 4; i++)
        for (int robust = 0; robust < 2; robust++) {
            pthread_mutex_t own;
            pthread_mutexattr_t how;
            pthread_mutexattr_init(&how);
            pthread_mutexattr_settype(&how, kinds[i]);
            pthread_mutexattr_setrobust(&how, robust);
            pthread_mutex_init(&own, &how);
            SAY(pthread_mutex_lock(&own));
            lock_until(&own);
            if (kinds[i] == PTHREAD_MUTEX_ERRORCHECK)
                SAY(mtx_lock((mtx_t *)&own));
            while (pthread_mutex_unlock(&own) == 0 && kinds[i] == PTHREAD_MUTEX_RECURSIVE)
                ;
            lock_until(&own);
        }
}

static void wait_on_conditions(void)
{
    pthread_mutexattr_t how;
    pthread_mutex_t mutex;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec *const times[] = {&past, &crowded, &spans[4], &spans[3]};
    mtx_t own;
    cnd_t c11;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &how);
    SAY(mtx_init(&own, mtx_recursive));
    SAY(cnd_init(&c11));
    SAY(pthread_cond_wait(&condition, &mutex));
    SAY(cnd_wait(&c11, &own));
    SAY(pthread_mutex_lock(&mutex));
    SAY(mtx_lock(&own));
    for (int i = 0; i < 4; i++) {
        SAY(pthread_cond_timedwait(&condition, &mutex, times[i]));
        SAY(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, times[i]));
        SAY(pthread_cond_clockwait(&condition, &mutex, 12345, times[i]));
        SAY(cnd_timedwait(&c11, &own, times[i]));
    }
    SAY(pthread_cond_signal(&condition));
    SAY(pthread_cond_broadcast(&condition));
    SAY(cnd_signal(&c11));
    SAY(cnd_broadcast(&c11));
    SAY(pthread_mutex_unlock(&mutex));
    SAY(mtx_unlock(&own));
    SAY(pthread_cond_destroy(&condition));
}

static void lock_for_reading_until(pthread_rwlock_t *lock)
{
    const struct timespec date = soon(CLOCK_REALTIME), moment = soon(CLOCK_MONOTONIC);
    const struct timespec *const dates[] = {&past, &crowded, &spans[4], &spans[3], &date};
    for (int i = 0; i < 5; i++) {
        SAY(pthread_rwlock_timedwrlock(lock, dates[i]));
        SAY(pthread_rwlock_timedrdlock(lock, dates[i]));
    }
    SAY(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &moment));
    SAY(pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &moment));
    SAY(pthread_rwlock_clockwrlock(lock, 12345, &moment));
}

static void lock_for_reading(void)
{
    pthread_rwlock_t own = PTHREAD_RWLOCK_INITIALIZER, read = PTHREAD_RWLOCK_INITIALIZER;
    lock_for_reading_until(&locked);
    SAY(pthread_rwlock_rdlock(&read));
    SAY(pthread_rwlock_rdlock(&read));
    lock_for_reading_until(&read);
    SAY(pthread_rwlock_wrlock(&own));
    SAY(pthread_rwlock_wrlock(&own));
    SAY(pthread_rwlock_rdlock(&own));
    lock_for_reading_until(&own);
    SAY(pthread_rwlock_unlock(&own));
}

static void *come_and_go(void *data)
{
    return data;
}

static void join_threads(pthread_t running)
{
    pthread_t other;
    pthread_barrier_t barrier;
    void *out = NULL;
    const struct timespec date = soon(CLOCK_REALTIME), moment = soon(CLOCK_MONOTONIC);
    SAY(pthread_timedjoin_np(running, &out, &past));
    SAY(pthread_timedjoin_np(running, &out, &date));
    SAY(pthread_clockjoin_np(running, &out, CLOCK_MONOTONIC, &moment));
    SAY(pthread_clockjoin_np(running, &out, 12345, &moment));
    struct timespec later = soon(CLOCK_REALTIME);
    later.tv_sec += 1000;
    SAY(pthread_create(&other, NULL, come_and_go, &barrier));
    SAY(pthread_timedjoin_np(other, &out, &later));
    SAY(out == &barrier);
    SAY(pthread_barrier_init(&barrier, NULL, 1));
    SAY(pthread_barrier_wait(&barrier));
    SAY(pthread_kill(pthread_self(), 0));
    SAY(pthread_kill(pthread_self(), 12345));
    SAY(tgkill(getpid(), gettid(), 0));
    SAY(tgkill(getpid(), gettid(), 12345));
}

static void use_locks(void)
{
    pthread_t holder;
    pthread_mutex_init(&taken, NULL);
    pthread_rwlock_init(&locked, NULL);
    sem_init(&are_held, 0, 0);
    sem_init(&may_go, 0, 0);
    SAY(pthread_create(&holder, NULL, hold_locks, NULL));
    SAY(sem_wait(&are_held));
    take_semaphores();
    lock_mutexes();
    wait_on_conditions();
    lock_for_reading();
    join_threads(holder);
    sem_post(&may_go);
    SAY(pthread_join(holder, NULL));
}

/* ---- Messages, signals and system calls ---- */

static void exchange_messages(void)
{
    char name[64], byte;
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    const struct timespec date = soon(CLOCK_REALTIME);
    const struct timespec *const dates[] = {&past, &crowded, &spans[4], &spans[3], &date};
    snprintf(name, sizeof name, "/unit-same-%ld", (long)getpid());
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    mq_unlink(name);
    for (int i = 0; i < 5; i++) {
        SAY(mq_timedreceive(queue, &byte, 1, NULL, dates[i]));
        SAY(mq_timedsend(queue, "ab", 2, 0, dates[i]));
        SAY(mq_timedsend(queue, "a", 1, 3, dates[i]));
        SAY(mq_timedsend(queue, "a", 1, 3, dates[i]));
        SAY(mq_timedreceive(queue, &byte, 0, NULL, dates[i]));
        SAY(mq_timedreceive(queue, &byte, 1, &(unsigned){0}, dates[i]));
        SAY(mq_timedreceive(BAD, &byte, 1, NULL, dates[i]));
        SAY(mq_timedsend(BAD, &byte, 1, 0, dates[i]));
    }
    mq_close(queue);
    int semaphores = semget(IPC_PRIVATE, 1, 0600);
    for (int i = 0; i < SPANS; i++) {
        SAY(semtimedop(semaphores, &(struct sembuf){.sem_op = -1}, 1, &spans[i]));
        SAY(semtimedop(semaphores, &(struct sembuf){.sem_op = 0}, 1, &spans[i]));
        SAY(semtimedop(-1, &(struct sembuf){.sem_op = -1}, 1, &spans[i]));
    }
    SAY(semtimedop(semaphores, &(struct sembuf){.sem_op = 0}, 1, NULL));
    semctl(semaphores, 0, IPC_RMID);
}

static void wait_for_signals(void)
{
    sigset_t set, before;
    siginfo_t about;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    SAY(sigprocmask(12345, &set, NULL));
    SAY(pthread_sigmask(12345, &set, NULL));
    SAY(sigprocmask(SIG_BLOCK, &set, &before));
    SAY(sigismember(&before, SIGUSR1));
    for (int i = 0; i < SPANS; i++)
        SAY(sigtimedwait(&set, &about, &spans[i]));
    for (int i = 0; i < SPANS; i++) {
        SAY(raise(SIGUSR1));
        SAY(sigtimedwait(&set, &about, &spans[i]));
    }
    SAY(raise(SIGUSR1));
    SAY(sigwait(&set, &number));
    SAY(number);
    SAY(raise(SIGUSR1));
    SAY(sigwaitinfo(&set, &about));
    SAY(about.si_signo);
    SAY(pthread_sigmask(SIG_UNBLOCK, &set, &before));
    SAY(sigismember(&before, SIGUSR1));
    SAY(sigaction(12345, &(struct sigaction){.sa_handler = SIG_IGN}, NULL));
    SAY(sigaction(SIGKILL, &(struct sigaction){.sa_handler = SIG_IGN}, NULL));
    SAY(signal(SIGKILL, SIG_IGN) == SIG_ERR ? -1 : 0);
    SAY(signal(SIGUSR2, SIG_IGN) == SIG_DFL);
    SAY(signal(SIGUSR2, SIG_DFL) == SIG_IGN);
}

static void call_the_system(void)
{
    static unsigned word = 5, other;
    SAY(syscall(SYS_getpid) == getpid());
    SAY(syscall(12345));
    SAY(sched_yield());
    for (int i = 0; i < SPANS; i++) {
        SAY(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, &spans[i], NULL, 0));
        SAY(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, &spans[i], NULL, 0));
        SAY(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 5, &spans[i], NULL, -1));
        SAY(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 5,
                    &spans[i], NULL, -1));
        SAY(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 5, &spans[i], NULL, 0));
    }
    SAY(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    SAY(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 1L, &other, 5));
    SAY(setuid((uid_t)-1));
    SAY(setgid((gid_t)-1));
    SAY(setuid(getuid()));
    SAY(setgid(getgid()));
    SAY(seteuid(geteuid()));
    SAY(setegid(getegid()));
    SAY(setreuid((uid_t)-1, (uid_t)-1));
    SAY(setregid((gid_t)-1, (gid_t)-1));
    SAY(setresuid((uid_t)-1, (uid_t)-1, (uid_t)-1));
    SAY(setresgid((gid_t)-1, (gid_t)-1, (gid_t)-1));
}

/* ---- */

static void (*const parts[])(void) = {
    read_clocks,         sleep_for_each_span, poll_descriptors, select_descriptors,
    wait_by_epoll,       check_sizes,         receive,          send_in_each_way,
    connect_in_each_way, set_options,         read_terminals,   set_timerfds,
    set_alarms,          set_timers,          use_locks,        exchange_messages,
    wait_for_signals,    call_the_system,
};

/* Writes all lines to a file. */
static int write_lines(const char *path)
{
    if (freopen(path, "w", stdout) == NULL || pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        return 1;
    signal(SIGALRM, SIG_IGN);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fflush(stdout);
        parts[i]();
    }
    return fclose(stdout) == 0 ? 0 : 1;
}

static char path[64], expected[1 << 18], found[1 << 18];

static char *read_lines(char *to)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    to[fread(to, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    return to;
}

/* LIBRARY and FACTOR may be NULL. */
static char *run_with(const char *library, const char *factor, char *to)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (library != NULL)
            setenv("LD_PRELOAD", library, 1);
        if (factor != NULL)
            setenv("PTYBOT_WARP", factor, 1);
        execl("/proc/self/exe", "test", path, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return read_lines(to);
}

static void calls_return_the_same_without_a_factor(void **state)
{
    (void)state;
    check_same_lines(expected, run_with(PTYBOT_CLOCK, NULL, found));
}

static void calls_return_the_same_with_a_factor(void **state)
{
    (void)state;
    check_same_lines(expected, run_with(PTYBOT_CLOCK, "4", found));
}

/* Timers that the kernel runs are not held. */
static void check_slots(struct clock_shm *shm)
{
    shm->unseen = 0;
    held_check_left(shm);
}

static void calls_return_the_same_on_a_held_clock(void **state)
{
    (void)state;
    held_run((char *[]){"/proc/self/exe", path, NULL}, &(struct deed){.after = check_slots});
    check_same_lines(expected, read_lines(found));
}

static int run_without(void **state)
{
    (void)state;
    run_with(NULL, NULL, expected);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_lines(argv[1]);
    snprintf(path, sizeof path, "/dev/shm/unit-same-%ld", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_return_the_same_without_a_factor),
        cmocka_unit_test(calls_return_the_same_with_a_factor),
        cmocka_unit_test(calls_return_the_same_on_a_held_clock),
    };
    return cmocka_run_group_tests(tests, run_without, NULL);
}
