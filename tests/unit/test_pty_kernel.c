/* The behavior of Linux's pseudo-terminals that the pty link relies on. If a test fails here, the
 * kernel differs: read pty/terminal/pty_device.c and pty/terminal/host_watch.c again. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

#include <sys/epoll.h>
#include <sys/inotify.h>

struct pair {
    int master;
    char node[32];
};

static int pair_open(void **state)
{
    static struct pair pair;
    unsigned number;

    pair.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (pair.master < 0 || unlockpt(pair.master) != 0 || ioctl(pair.master, TIOCGPTN, &number) != 0)
        return -1;
    snprintf(pair.node, sizeof pair.node, "/dev/pts/%u", number);
    *state = &pair;
    return 0;
}

static int pair_close(void **state)
{
    close(((struct pair *)*state)->master);
    return 0;
}

static int slave_open(const struct pair *pair)
{
    int slave = open(pair->node, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    assert_true(slave >= 0);
    return slave;
}

static int peer_open(const struct pair *pair)
{
    return ioctl(pair->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static void make_raw(int fd)
{
    struct termios mode;

    assert_int_equal(tcgetattr(fd, &mode), 0);
    cfmakeraw(&mode);
    assert_int_equal(tcsetattr(fd, TCSANOW, &mode), 0);
}

static void leave_stale_bytes(const struct pair *pair)
{
    int slave = slave_open(pair);

    make_raw(slave);
    assert_int_equal(write(pair->master, "stale", 5), 5);
    struct pollfd ready = {.fd = slave, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, TEST_TIMEOUT_MS), 1);
    close(slave);
}

static void a_new_slave_echoes(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);
    char bytes[8];

    assert_int_equal(write(pair->master, "abc", 3), 3);
    assert_int_equal(host_read(pair->master, bytes, 3), 3);
    assert_memory_equal(bytes, "abc", 3);
    close(slave);
}

static void the_master_sets_the_mode_of_the_slave(void **state)
{
    const struct pair *pair = *state;
    struct termios mode;

    make_raw(pair->master);
    int slave = slave_open(pair);
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (tcflag_t)(ECHO | ICANON), 0);
    close(slave);
}

static void flushing_the_master_leaves_stale_bytes(void **state)
{
    const struct pair *pair = *state;
    char bytes[8];

    leave_stale_bytes(pair);
    assert_int_equal(tcflush(pair->master, TCIOFLUSH), 0);
    int slave = slave_open(pair);
    assert_int_equal(read(slave, bytes, sizeof bytes), 5);
    close(slave);
}

static void flushing_through_the_peer_leaves_none(void **state)
{
    const struct pair *pair = *state;
    char bytes[8];

    leave_stale_bytes(pair);
    int peer = peer_open(pair);
    assert_true(peer >= 0);
    assert_int_equal(tcflush(peer, TCIFLUSH), 0);
    close(peer);
    int slave = slave_open(pair);
    assert_int_equal(read(slave, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EAGAIN);
    close(slave);
}

static void mode_and_speed_survive_from_host_to_host(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);
    struct termios mode;

    assert_int_equal(tcgetattr(slave, &mode), 0);
    cfmakeraw(&mode);
    cfsetspeed(&mode, B57600);
    mode.c_cc[VMIN] = 7;
    assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
    close(slave);

    slave = slave_open(pair);
    assert_int_equal(tcgetattr(slave, &mode), 0);
    assert_int_equal(mode.c_lflag & (tcflag_t)ECHO, 0);
    assert_int_equal(cfgetospeed(&mode), B57600);
    assert_int_equal(mode.c_cc[VMIN], 7);
    close(slave);
}

static void the_master_shows_the_speed_of_the_slave(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);
    struct termios mode;

    assert_int_equal(tcgetattr(slave, &mode), 0);
    cfsetspeed(&mode, B230400);
    assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
    assert_int_equal(tcgetattr(pair->master, &mode), 0);
    assert_int_equal(cfgetospeed(&mode), B230400);
    close(slave);
}

static void exclusive_mode_survives_its_host_unseen_by_the_master(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);
    int is_exclusive = -1;

    assert_int_equal(ioctl(slave, TIOCEXCL), 0);
    close(slave);
    assert_int_equal(ioctl(pair->master, TIOCGEXCL, &is_exclusive), 0);
    assert_int_equal(is_exclusive, 0);
    assert_int_equal(ioctl(pair->master, TIOCNXCL), 0);

    /* Root bypasses exclusive mode, so the refusal is tested without root's rights. */
    assert_int_equal(chmod(pair->node, 0666), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(1);
        if (open(pair->node, O_RDWR | O_NOCTTY) >= 0 || errno != EBUSY)
            _exit(2);
        _exit(peer_open(pair) < 0 && errno == EBUSY ? 0 : 3);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_stopped_output_survives_its_host(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);

    assert_int_equal(tcflow(slave, TCOOFF), 0);
    close(slave);
    slave = slave_open(pair);
    assert_int_equal(write(slave, "x", 1), -1);
    assert_int_equal(tcflow(slave, TCOON), 0);
    assert_int_equal(write(slave, "x", 1), 1);
    close(slave);
}

static void a_hung_up_master_spins_in_poll(void **state)
{
    const struct pair *pair = *state;

    close(slave_open(pair));
    for (int i = 0; i < 100; i++) {
        struct pollfd ready = {.fd = pair->master};

        assert_int_equal(poll(&ready, 1, TEST_TIMEOUT_MS), 1);
        assert_int_equal(ready.revents, POLLHUP);
    }
}

static void epoll_has_no_event_for_an_open(void **state)
{
    const struct pair *pair = *state;
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    int set = epoll_create1(EPOLL_CLOEXEC);

    close(slave_open(pair));
    assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, pair->master, &event), 0);
    assert_int_equal(epoll_wait(set, &event, 1, TEST_TIMEOUT_MS), 1);
    assert_true((event.events & EPOLLHUP) != 0);
    int slave = slave_open(pair);
    assert_int_equal(epoll_wait(set, &event, 1, 50), 0);
    close(slave);
    close(set);
}

static uint32_t told(int watch)
{
    _Alignas(struct inotify_event) char buffer[4096];
    ssize_t size = read(watch, buffer, sizeof buffer);
    uint32_t mask = 0;

    for (ssize_t at = 0; at < size;) {
        const struct inotify_event *event = (const void *)(buffer + at);

        mask |= event->mask;
        at += (ssize_t)(sizeof *event + event->len);
    }
    return mask;
}

static void inotify_reports_opens_writes_and_closes(void **state)
{
    const struct pair *pair = *state;
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    assert_true(inotify_add_watch(watch, pair->node, IN_OPEN | IN_CLOSE | IN_MODIFY) >= 0);
    int slave = slave_open(pair);
    assert_int_equal(told(watch), IN_OPEN);
    assert_int_equal(write(slave, "x", 1), 1);
    assert_int_equal(told(watch), IN_MODIFY);
    assert_int_equal(write(pair->master, "x", 1), 1);
    assert_int_equal(told(watch), 0);
    close(slave);
    assert_int_equal(told(watch), IN_CLOSE_WRITE);
    close(watch);
}

static void bytes_before_a_hang_up_are_read_before_it(void **state)
{
    const struct pair *pair = *state;
    int slave = slave_open(pair);
    char bytes[8];

    make_raw(slave);
    assert_int_equal(write(slave, "last", 4), 4);
    close(slave);
    assert_int_equal(read(pair->master, bytes, sizeof bytes), 4);
    assert_int_equal(read(pair->master, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EIO);
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, pair_open, pair_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FACT(a_new_slave_echoes),
        FACT(the_master_sets_the_mode_of_the_slave),
        FACT(flushing_the_master_leaves_stale_bytes),
        FACT(flushing_through_the_peer_leaves_none),
        FACT(mode_and_speed_survive_from_host_to_host),
        FACT(the_master_shows_the_speed_of_the_slave),
        FACT(exclusive_mode_survives_its_host_unseen_by_the_master),
        FACT(a_stopped_output_survives_its_host),
        FACT(a_hung_up_master_spins_in_poll),
        FACT(epoll_has_no_event_for_an_open),
        FACT(inotify_reports_opens_writes_and_closes),
        FACT(bytes_before_a_hang_up_are_read_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
