/* After the barrier, all bytes written to a pty are at its slave, however a driver waits for them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "pty/terminal/pty_barrier.h"
#include "tests/support/machine.h"
#include "tests/unit/test_pty_support.h"

enum { TIMES = 1000, PART = 10 };

struct line {
    int master, slave;
    char node[64];
    uint64_t sent;
    struct pty_barrier barrier;
};

static void line_open(struct line *line)
{
    struct termios mode;
    *line = (struct line){.master = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_int_equal(grantpt(line->master), 0);
    assert_int_equal(unlockpt(line->master), 0);
    assert_int_equal(ptsname_r(line->master, line->node, sizeof line->node), 0);
    line->slave = open(line->node, O_RDWR | O_NOCTTY);
    assert_int_equal(tcgetattr(line->slave, &mode), 0);
    cfmakeraw(&mode);
    assert_int_equal(tcsetattr(line->slave, TCSANOW, &mode), 0);
}

static void line_close(const struct line *line)
{
    close(line->slave);
    close(line->master);
}

static void deliver_part(struct line *line, size_t size)
{
    static const char part[PART] = "0123456789";
    const pid_t host = getpid();
    pty_barrier_begin(&line->barrier, line->sent);
    assert_int_equal(write(line->master, part, size), size);
    line->sent += size;
    pty_barrier(&line->barrier, line->node, line->sent, &host, 1);
}

static void deliver(struct line *line)
{
    deliver_part(line, PART);
}

static int waiting(const struct line *line)
{
    int count;
    assert_int_equal(ioctl(line->slave, FIONREAD, &count), 0);
    return count;
}

static void all_is_there_behind_it(void **state)
{
    struct line line;
    char all[4 * PART];
    (void)state;
    line_open(&line);
    for (int i = 0; i < TIMES; i++) {
        for (int part = 1; part <= 4; part++) {
            deliver(&line);
            assert_int_equal(waiting(&line), part * PART);
        }
        assert_int_equal(read(line.slave, all, sizeof all), sizeof all);
    }
    line_close(&line);
}

static void all_is_there_behind_the_first_one(void **state)
{
    (void)state;
    for (int time = 0; time < 200; time++) {
        struct line line;
        line_open(&line);
        deliver(&line);
        assert_int_equal(waiting(&line), PART);
        pty_barrier_close(&line.barrier);
        line_close(&line);
    }
}

static void a_closed_barrier_can_begin_again(void **state)
{
    (void)state;
    unsigned before = descriptor_count();
    struct line line;
    line_open(&line);
    deliver(&line);
    for (int time = 0; time < 2; time++) {
        pty_barrier_begin(&line.barrier, line.sent);
        pty_barrier_begin(&line.barrier, line.sent);
        pty_barrier_close(&line.barrier);
        assert_int_equal(descriptor_count(), before + 2);
        tcflush(line.slave, TCIFLUSH);
        deliver(&line);
        assert_int_equal(waiting(&line), PART);
    }
    pty_barrier_close(&line.barrier);
    line_close(&line);
    assert_int_equal(descriptor_count(), before);
}

/* A driver that waits for at least VMIN bytes, or until VTIME, polls for other amounts. */
static void all_is_there_whatever_a_driver_waits_for(void **state)
{
    static const struct {
        cc_t at_least, tenths;
    } waits[] = {{1, 0}, {0, 0}, {0, 1}, {200, 0}, {200, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct line line;
        struct termios mode;
        line_open(&line);
        tcgetattr(line.slave, &mode);
        mode.c_cc[VMIN] = waits[i].at_least;
        mode.c_cc[VTIME] = waits[i].tenths;
        tcsetattr(line.slave, TCSANOW, &mode);
        for (int time = 0; time < TIMES / 5; time++) {
            deliver_part(&line, 1);
            assert_int_equal(waiting(&line), 1);
            deliver(&line);
            deliver(&line);
            assert_int_equal(waiting(&line), 1 + 2 * PART);
            tcflush(line.slave, TCIFLUSH);
        }
        line_close(&line);
    }
}

/* The barrier does not wait if the buffer is full, or if some bytes have a meaning for the
 * terminal. */
static void it_ends_where_bytes_cannot_be_counted(void **state)
{
    struct line line;
    struct termios mode;
    (void)state;
    line_open(&line);
    for (int i = 0; i < 500; i++)
        deliver(&line);
    assert_int_equal(waiting(&line), 4095); /* Linux, drivers/tty/n_tty.c: N_TTY_BUF_SIZE - 1 */
    tcflush(line.slave, TCIFLUSH);
    tcgetattr(line.slave, &mode);
    mode.c_lflag |= ICANON;
    tcsetattr(line.slave, TCSANOW, &mode);
    for (int i = 0; i < 100; i++)
        deliver(&line);
    assert_int_equal(waiting(&line), 0); /* no line has ended */
    line_close(&line);
}

static void it_works_where_one_of_the_processes_has_the_slave(void **state)
{
    struct line line;
    const pid_t hosts[] = {getppid(), getpid()};
    (void)state;
    unsigned before = descriptor_count();
    line_open(&line);
    assert_false(pty_barrier(&line.barrier, line.node, 0, hosts, 0));
    assert_false(pty_barrier(&line.barrier, line.node, 0, hosts, 1));
    assert_true(pty_barrier(&line.barrier, line.node, 0, hosts, 2));
    /* The process is still known from the last call. */
    assert_true(pty_barrier(&line.barrier, line.node, 0, hosts, 0));
    int slave = line.slave;
    close(slave);
    assert_int_equal(open("/dev/null", O_RDWR), slave); /* the same number for another file */
    assert_false(pty_barrier(&line.barrier, line.node, 0, hosts, 2));
    assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
    close(slave);
    assert_false(pty_barrier(&line.barrier, line.node, 0, hosts, 2));
    line.slave = open(line.node, O_RDWR | O_NOCTTY);
    assert_true(pty_barrier(&line.barrier, line.node, 0, hosts + 1, 1));
    deliver(&line);
    pty_barrier_close(&line.barrier);
    line_close(&line);
    assert_int_equal(descriptor_count(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_there_behind_it),
        cmocka_unit_test(all_is_there_behind_the_first_one),
        cmocka_unit_test(a_closed_barrier_can_begin_again),
        cmocka_unit_test(all_is_there_whatever_a_driver_waits_for),
        cmocka_unit_test(it_ends_where_bytes_cannot_be_counted),
        cmocka_unit_test(it_works_where_one_of_the_processes_has_the_slave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
