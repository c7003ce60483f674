/* The waits that the clock shim covers, as the real library preloaded into this program: sleeps,
 * descriptors, timers, sockets, terminals. A wait of some seconds takes a fiftieth of that time, is
 * never too short, and ends in the correct way. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>

#include "tests/support/warped_wait.h"

/* ---- Sleeping ---- */

static void by_nanosleep(void)
{
    assert_int_equal(nanosleep(&span, NULL), 0);
}

static void by_clock_nanosleep(void)
{
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL), 0);
}

static void by_clock_nanosleep_of_realtime(void)
{
    assert_int_equal(clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL), 0);
}

static void by_clock_nanosleep_until(void)
{
    const struct timespec when = after(CLOCK_MONOTONIC);
    assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL), 0);
}

static void by_clock_nanosleep_until_realtime(void)
{
    const struct timespec when = after(CLOCK_REALTIME);
    assert_int_equal(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, NULL), 0);
}

static void by_usleep(void)
{
    assert_int_equal(usleep(SPAN_S * 1000000), 0);
}

static void by_sleep(void)
{
    assert_int_equal(sleep(SPAN_S), 0);
}

static void by_thrd_sleep(void)
{
    assert_int_equal(thrd_sleep(&span, NULL), 0);
}

/* ---- Descriptors ---- */

static int silent[2]; /* a pipe that never receives data */

static void by_poll(void)
{
    struct pollfd fd = {.fd = silent[0], .events = POLLIN};
    assert_int_equal(poll(&fd, 1, SPAN_MS), 0);
}

static void by_ppoll(void)
{
    struct pollfd fd = {.fd = silent[0], .events = POLLIN};
    assert_int_equal(ppoll(&fd, 1, &span, NULL), 0);
}

static void by_select(void)
{
    fd_set in;
    struct timeval left = {.tv_sec = SPAN_S};
    FD_ZERO(&in);
    FD_SET(silent[0], &in);
    assert_int_equal(select(silent[0] + 1, &in, NULL, NULL, &left), 0);
    assert_false(FD_ISSET(silent[0], &in));
    assert_true(left.tv_sec == 0 && left.tv_usec == 0);
}

static void by_pselect(void)
{
    assert_int_equal(pselect(0, NULL, NULL, NULL, &span, NULL), 0);
}

static int make_epoll(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, silent[0], &event), 0);
    return epoll;
}

static void by_epoll_wait(void)
{
    struct epoll_event event;
    int epoll = make_epoll();
    assert_int_equal(epoll_wait(epoll, &event, 1, SPAN_MS), 0);
    close(epoll);
}

static void by_epoll_pwait(void)
{
    struct epoll_event event;
    sigset_t none;
    int epoll = make_epoll();
    sigemptyset(&none);
    assert_int_equal(epoll_pwait(epoll, &event, 1, SPAN_MS, &none), 0);
    close(epoll);
}

static void by_epoll_pwait2(void)
{
    struct epoll_event event;
    int epoll = make_epoll();
    assert_int_equal(epoll_pwait2(epoll, &event, 1, &span, NULL), 0);
    close(epoll);
}

/* ---- Timers ---- */

static void wait_timerfd(clockid_t clock, int flags, struct timespec value)
{
    uint64_t count = 0;
    int timer = timerfd_create(clock, 0);
    const struct itimerspec wanted = {.it_value = value};
    assert_int_equal(timerfd_settime(timer, flags, &wanted, NULL), 0);
    assert_int_equal(read(timer, &count, sizeof count), sizeof count);
    assert_int_equal(count, 1);
    close(timer);
}

static void by_timerfd(void)
{
    wait_timerfd(CLOCK_MONOTONIC, 0, span);
}

static void by_timerfd_until(void)
{
    wait_timerfd(CLOCK_MONOTONIC, TFD_TIMER_ABSTIME, after(CLOCK_MONOTONIC));
}

static void by_timerfd_until_realtime(void)
{
    wait_timerfd(CLOCK_REALTIME, TFD_TIMER_ABSTIME, after(CLOCK_REALTIME));
}

/* SIGALRM is blocked from the start of the program. */
static void wait_alarm(void)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    assert_int_equal(sigwait(&set, &number), 0);
}

static void wait_timer(clockid_t clock, int flags, struct timespec value)
{
    timer_t timer;
    const struct itimerspec wanted = {.it_value = value};
    assert_int_equal(timer_create(clock, NULL, &timer), 0);
    assert_int_equal(timer_settime(timer, flags, &wanted, NULL), 0);
    wait_alarm();
    timer_delete(timer);
}

static void by_timer(void)
{
    wait_timer(CLOCK_MONOTONIC, 0, span);
}

static void by_timer_until(void)
{
    wait_timer(CLOCK_MONOTONIC, TIMER_ABSTIME, after(CLOCK_MONOTONIC));
}

static void by_timer_until_realtime(void)
{
    wait_timer(CLOCK_REALTIME, TIMER_ABSTIME, after(CLOCK_REALTIME));
}

static void by_setitimer(void)
{
    const struct itimerval wanted = {.it_value.tv_sec = SPAN_S};
    assert_int_equal(setitimer(ITIMER_REAL, &wanted, NULL), 0);
    wait_alarm();
}

static void by_alarm(void)
{
    assert_int_equal(alarm(SPAN_S), 0);
    wait_alarm();
}

static void by_ualarm(void)
{
    assert_int_equal(ualarm(SPAN_S * 1000000, 0), 0);
    wait_alarm();
}

/* ---- Sockets and terminals ---- */

static void wait_socket(int option)
{
    char bytes[4096] = {0};
    int ends[2];
    const struct timeval wanted = {.tv_sec = SPAN_S};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, option, &wanted, sizeof wanted), 0);
    if (option == SO_RCVTIMEO)
        assert_int_equal(recv(ends[0], bytes, sizeof bytes, 0), -1);
    else
        while (send(ends[0], bytes, sizeof bytes, 0) > 0)
            ;
    assert_int_equal(errno, EAGAIN);
    close(ends[0]);
    close(ends[1]);
}

static void by_so_rcvtimeo(void)
{
    wait_socket(SO_RCVTIMEO);
}

static void by_so_sndtimeo(void)
{
    wait_socket(SO_SNDTIMEO);
}

static ssize_t fill_by_sendmsg(int fd)
{
    static char bytes[4096];
    struct iovec part = {bytes, sizeof bytes};
    return sendmsg(fd, &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
}

static ssize_t fill_by_sendto(int fd)
{
    static char bytes[4096];
    return sendto(fd, bytes, sizeof bytes, 0, NULL, 0);
}

static ssize_t fill_by_write(int fd)
{
    static char bytes[4096];
    return write(fd, bytes, sizeof bytes);
}

static ssize_t fill_by_writev(int fd)
{
    static char bytes[4096];
    return writev(fd, &(struct iovec){bytes, sizeof bytes}, 1);
}

/* The other end never reads. Sending therefore fills the socket at once, and then waits. */
static void wait_to_send(ssize_t (*fill)(int fd))
{
    int ends[2];
    const struct timeval timeout = {.tv_sec = SPAN_S};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout), 0);
    while (fill(ends[0]) > 0)
        ;
    assert_int_equal(errno, EAGAIN);
    close(ends[0]);
    close(ends[1]);
}

static void by_so_sndtimeo_of_sendmsg(void)
{
    wait_to_send(fill_by_sendmsg);
}

static void by_so_sndtimeo_of_sendto(void)
{
    wait_to_send(fill_by_sendto);
}

static void by_so_sndtimeo_of_write(void)
{
    wait_to_send(fill_by_write);
}

static void by_so_sndtimeo_of_writev(void)
{
    wait_to_send(fill_by_writev);
}

/* A server that accepts no connection, and whose queue is full. */
static void by_so_sndtimeo_of_connect(void)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    const struct timeval timeout = {.tv_sec = SPAN_S};
    snprintf(own.sun_path + 1, sizeof own.sun_path - 1, "ptybot-test-%d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_STREAM, 0), clients[2];
    assert_int_equal(bind(server, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(server, 0), 0);
    for (int i = 0; i < 2; i++) {
        clients[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(setsockopt(clients[i], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout),
                         0);
        assert_int_equal(connect(clients[i], (struct sockaddr *)&own, sizeof own), -i);
    }
    assert_int_equal(errno, EAGAIN);
    close(clients[0]);
    close(clients[1]);
    close(server);
}

static int open_terminal(int *robot, cc_t least)
{
    int host;
    struct termios mode;
    assert_int_equal(openpty(robot, &host, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(host, &mode), 0);
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = least;
    mode.c_cc[VTIME] = SPAN_S * 10;
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    return host;
}

static void by_vtime(void)
{
    char bytes[8];
    int robot, host = open_terminal(&robot, 0);
    assert_int_equal(read(host, bytes, sizeof bytes), 0);
    close(host);
    close(robot);
}

static void by_vtime_between_bytes(void)
{
    char bytes[8];
    int robot, host = open_terminal(&robot, 8);
    assert_int_equal(write(robot, "abc", 3), 3);
    assert_int_equal(read(host, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "abc", 3);
    close(host);
    close(robot);
}

/* VTIME is set without the C library, as libraries do for baud rates that it does not know. */
static void by_vtime_set_by_ioctl(void)
{
    char bytes[8], mode[256]; /* the kernel's struct; it begins like that of the C library */
    int robot, host;
    assert_int_equal(openpty(&robot, &host, NULL, NULL, NULL), 0);
    assert_int_equal(ioctl(host, TCGETS, mode), 0);
    struct termios *head = (struct termios *)(void *)mode;
    head->c_lflag = 0;
    head->c_cc[VMIN] = 0;
    head->c_cc[VTIME] = SPAN_S * 10;
    assert_int_equal(ioctl(host, TCSETS, mode), 0);
    assert_int_equal(read(host, bytes, sizeof bytes), 0);
    close(host);
    close(robot);
}

/* ---- Under a signal handler ---- */

static sigjmp_buf before;
static int handled;

static void sleep_two_seconds(int number)
{
    (void)number;
    assert_int_equal(nanosleep(&(struct timespec){.tv_sec = SPAN_S - 1}, NULL), 0);
}

static void jump(int number)
{
    (void)number;
    siglongjmp(before, 1);
}

static void note(int number)
{
    (void)number;
    handled++;
}

static void handle_alarm_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigset_t set;
    sigfillset(&action.sa_mask);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void handle_alarm(void (*handler)(int))
{
    handle_alarm_with(handler, 0);
}

static void ignore_alarm(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGALRM, SIG_DFL);
}

/* The interrupted wait would have ended before the handler does. */
static void by_a_handler_that_sleeps(void)
{
    handle_alarm(sleep_two_seconds);
    alarm(1);
    assert_int_equal(poll(NULL, 0, SPAN_MS - 1000), -1);
    assert_int_equal(errno, EINTR);
    ignore_alarm();
}

static void *write_later(void *memory)
{
    (void)memory;
    assert_int_equal(nanosleep(&(struct timespec){.tv_sec = SPAN_S}, NULL), 0);
    assert_int_equal(write(silent[1], "", 1), 1);
    return NULL;
}

/* Runs in a separate process, because a handler that interrupts system calls affects the whole
 * program. */
static void by_a_read_that_a_handler_does_not_end(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char byte;
        pthread_t writer;
        handle_alarm_with(note, SA_RESTART);
        alarm(1);
        pthread_create(&writer, NULL, write_later, NULL);
        _exit(read(silent[0], &byte, 1) == 1 && handled > 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The handler leaves a sleep by a jump. The end of that sleep falls into the next wait, which has
 * no timeout and must continue. */
static void after_a_handler_that_jumps(void)
{
    char byte;
    handle_alarm(jump);
    alarm(1);
    if (sigsetjmp(before, 1) == 0)
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    handle_alarm(note);
    handled = 0;
    alarm(SPAN_S - 1);
    while (handled == 0 && read(silent[0], &byte, 1) < 0)
        assert_int_equal(errno, EINTR);
    ignore_alarm();
}

/* ---- */

static int open_all(void **state)
{
    sigset_t set;
    (void)state;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return pipe(silent);
}

static int close_all(void **state)
{
    (void)state;
    close(silent[0]);
    close(silent[1]);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    warped_preload(argv);
    const struct CMUnitTest tests[] = {
        WAIT(by_nanosleep),
        WAIT(by_clock_nanosleep),
        WAIT(by_clock_nanosleep_of_realtime),
        WAIT(by_clock_nanosleep_until),
        WAIT(by_clock_nanosleep_until_realtime),
        WAIT(by_usleep),
        WAIT(by_sleep),
        WAIT(by_thrd_sleep),
        WAIT(by_poll),
        WAIT(by_ppoll),
        WAIT(by_select),
        WAIT(by_pselect),
        WAIT(by_epoll_wait),
        WAIT(by_epoll_pwait),
        WAIT(by_epoll_pwait2),
        WAIT(by_timerfd),
        WAIT(by_timerfd_until),
        WAIT(by_timerfd_until_realtime),
        WAIT_IN_KERNEL(by_timer),
        WAIT_IN_KERNEL(by_timer_until),
        WAIT_IN_KERNEL(by_timer_until_realtime),
        WAIT(by_setitimer),
        WAIT(by_alarm),
        WAIT(by_ualarm),
        WAIT(by_so_rcvtimeo),
        WAIT(by_so_sndtimeo),
        WAIT(by_so_sndtimeo_of_sendmsg),
        WAIT(by_so_sndtimeo_of_sendto),
        WAIT(by_so_sndtimeo_of_write),
        WAIT(by_so_sndtimeo_of_writev),
        WAIT(by_so_sndtimeo_of_connect),
        WAIT(by_vtime),
        WAIT(by_vtime_between_bytes),
        WAIT(by_vtime_set_by_ioctl),
        WAIT(by_a_read_that_a_handler_does_not_end),
        WAIT(by_a_handler_that_sleeps),
        WAIT(after_a_handler_that_jumps),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
