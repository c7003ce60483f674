/* Modes of terminals, seen from the other end of a pty by termios: the modes that we set, and our
 * reading of the modes that others set. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "pty/terminal/tty_mode.h"

static int master = -1, slave = -1;

static int set_up(void **state)
{
    (void)state;
    char name[64];
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0)
        return -1;
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return slave >= 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    close(slave);
    close(master);
    return 0;
}

static struct termios seen(void)
{
    struct termios mode;
    assert_int_equal(tcgetattr(slave, &mode), 0);
    return mode;
}

static void set(struct termios mode)
{
    assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
}

/* Gives every flag an unusual value, so that a flag that is not set afterwards is noticed. */
static void make_odd(void)
{
    struct termios mode = seen();
    mode.c_iflag = INLCR | ISTRIP;
    mode.c_oflag = OPOST | OLCUC;
    mode.c_lflag = ICANON | ECHONL | NOFLSH;
    memset(mode.c_cc, 7, sizeof mode.c_cc);
    set(mode);
}

static void raw_is_as_a_driver_wants_it(void **state)
{
    (void)state;
    make_odd();
    assert_true(tty_mode_set_raw(master, 57600));
    struct termios mode = seen();
    assert_int_equal(mode.c_iflag, 0);
    assert_int_equal(mode.c_oflag, 0);
    assert_int_equal(mode.c_lflag, 0);
    assert_int_equal(mode.c_cflag & ~(tcflag_t)CBAUD, CS8 | CREAD | CLOCAL | HUPCL);
    assert_int_equal(mode.c_cc[VMIN], 1);
    assert_int_equal(mode.c_cc[VTIME], 0);
    assert_int_equal(mode.c_cc[VSTART], 'Q' & 31);
    assert_int_equal(mode.c_cc[VSTOP], 'S' & 31);
    struct serial_settings settings = tty_mode_settings(master, NULL);
    assert_int_equal(settings.baud, 57600);
    assert_int_equal(settings.mode, 0);
}

/* Hosts compare the mode with the constants of termios. */
static void a_standard_baud_is_its_constant_and_no_other_is(void **state)
{
    (void)state;
    static const struct {
        uint32_t baud;
        speed_t constant;
    } standard[] = {
        {1200, B1200},       {2400, B2400},       {4800, B4800},       {9600, B9600},
        {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
        {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},
        {921600, B921600},   {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000},
        {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000},
        {4000000, B4000000},
    };
    for (size_t i = 0; i < COUNT(standard); i++)
        for (int off = -1; off <= 1; off++) {
            uint32_t baud = standard[i].baud + (uint32_t)off;
            assert_true(tty_mode_set_raw(master, baud));
            assert_int_equal(tty_mode_baud(slave), baud);
            assert_true((cfgetospeed(&(struct termios){.c_cflag = seen().c_cflag}) ==
                         standard[i].constant) == (off == 0));
        }
}

static void a_port_that_starts_has_what_linux_gives_it(void **state)
{
    (void)state;
    make_odd();
    assert_true(tty_mode_set_start(master));
    struct termios mode = seen();
    assert_int_equal(mode.c_iflag, ICRNL | IXON);
    assert_int_equal(mode.c_oflag, OPOST);
    assert_int_equal(mode.c_cflag & ~(tcflag_t)CBAUD, CS8 | CREAD | CLOCAL | HUPCL);
    assert_int_equal(cfgetospeed(&mode), B9600);
    assert_int_equal(mode.c_cc[VMIN], 1);
    assert_int_equal(mode.c_cc[VTIME], 0);
    struct serial_settings settings = tty_mode_settings(master, NULL);
    assert_int_equal(settings.baud, SERIAL_START_BAUD);
    assert_int_equal(settings.mode, SERIAL_START);
    /* Any setting by a host counts as set, for example its first baud rate. */
    cfsetospeed(&mode, B19200);
    set(mode);
    assert_int_equal(tty_mode_settings(master, NULL).mode, SERIAL_START & ~SERIAL_UNSET);
}

static void each_flag_of_termios_has_its_name(void **state)
{
    (void)state;
    static const struct {
        tcflag_t input, output, local;
        uint32_t mode;
    } rows[] = {
        {.input = ICRNL, .mode = SERIAL_ICRNL},   {.input = INLCR, .mode = SERIAL_INLCR},
        {.input = IGNCR, .mode = SERIAL_IGNCR},   {.input = ISTRIP, .mode = SERIAL_ISTRIP},
        {.input = PARMRK, .mode = SERIAL_PARMRK}, {.input = IXON, .mode = SERIAL_IXON},
        {.input = IXOFF, .mode = SERIAL_IXOFF},   {.output = OPOST, .mode = SERIAL_OPOST},
        {.local = ICANON, .mode = SERIAL_ICANON}, {.local = ECHO, .mode = SERIAL_ECHO},
        {.local = ISIG, .mode = SERIAL_ISIG},     {.input = IGNBRK, .local = IEXTEN, .mode = 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct termios mode = seen();
        mode.c_iflag = rows[i].input;
        mode.c_oflag = rows[i].output;
        mode.c_lflag = rows[i].local;
        set(mode);
        assert_int_equal(tty_mode_settings(master, NULL).mode, rows[i].mode);
        assert_int_equal(tty_mode_is_echoing(slave), rows[i].local == ECHO);
    }
}

static uint32_t framing_seen(tcflag_t kept, uint32_t forgotten)
{
    struct termios mode = seen();
    mode.c_cflag = (mode.c_cflag & ~(tcflag_t)(PARODD | CMSPAR | CSTOPB)) | kept;
    set(mode);
    return tty_mode_settings(master, &forgotten).mode;
}

/* A pty keeps PARODD, CMSPAR and CSTOPB. It forgets CSIZE and PARENB, which the caller must supply.
 */
static void framings_are_reported_with_what_a_pty_forgets(void **state)
{
    (void)state;
    static const tcflag_t sizes[] = {CS5, CS6, CS7, CS8};
    static const struct {
        tcflag_t kept, forgotten;
        enum serial_parity parity;
    } rows[] = {
        {0, 0, SERIAL_PARITY_NONE},
        {0, PARENB, SERIAL_PARITY_EVEN},
        {PARODD, PARENB, SERIAL_PARITY_ODD},
        {PARODD, 0, SERIAL_PARITY_ODD}, /* hosts do not set PARODD without PARENB */
        {PARODD | CMSPAR, PARENB, SERIAL_PARITY_MARK},
        {CMSPAR, PARENB, SERIAL_PARITY_SPACE},
    };
    assert_true(tty_mode_set_raw(master, 9600));
    for (size_t size = 0; size < COUNT(sizes); size++)
        for (size_t i = 0; i < COUNT(rows); i++)
            for (int stop = 0; stop < 2; stop++) {
                tcflag_t kept = rows[i].kept | (stop ? CSTOPB : 0);
                uint32_t mode = framing_seen(kept, sizes[size] | rows[i].forgotten);
                assert_int_equal(serial_mode_data_bits(mode), 5 + size);
                assert_int_equal(serial_mode_parity(mode), rows[i].parity);
                assert_int_equal(serial_mode_stop_bits(mode), 1 + stop);
                assert_int_equal(mode & SERIAL_NOT_RAW, 0);
            }
}

static void what_is_no_terminal_has_no_mode(void **state)
{
    (void)state;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_false(tty_mode_set_raw(null, 9600));
    assert_false(tty_mode_set_start(null));
    assert_false(tty_mode_is_echoing(null));
    assert_int_equal(tty_mode_baud(null), 0);
    assert_int_equal(tty_mode_settings(null, NULL).baud, 0);
    assert_int_equal(tty_mode_settings(null, NULL).mode, 0);
    close(null);
}

/* A port starts with EXTPROC, which keeps the echo from acting. */
static void a_port_that_starts_does_not_echo(void **state)
{
    (void)state;
    assert_true(tty_mode_is_echoing(slave)); /* the kernel creates terminals with echo */
    assert_true(tty_mode_set_start(master));
    assert_true(seen().c_lflag & ECHO);
    assert_false(tty_mode_is_echoing(slave));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(raw_is_as_a_driver_wants_it),
        TEST(a_standard_baud_is_its_constant_and_no_other_is),
        TEST(a_port_that_starts_has_what_linux_gives_it),
        TEST(each_flag_of_termios_has_its_name),
        TEST(framings_are_reported_with_what_a_pty_forgets),
        TEST(what_is_no_terminal_has_no_mode),
        TEST(a_port_that_starts_does_not_echo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
