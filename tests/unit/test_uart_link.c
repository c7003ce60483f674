/* The uart link on a cable that is a pty link. The shim, preloaded into this program, makes the pty
 * a UART. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

#include <linux/capability.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "base/modem_lines.h"
#include "pty/uart/uart_device.h"
#include "pty/uart/uart_link.h"
#include "tests/support/link_lines.h"
#include "tests/support/shim.h"

enum { NOBODY = 65534 };

static struct byte_link *cable, *uart;
static struct transcript far, near;

static struct byte_link *open_uart(struct error *error)
{
    const struct byte_link_config config = {.address = byte_link_name(cable), .baud = 57600};

    *error = (struct error){0};
    return uart_link_open(&config, error);
}

static int set_up_cable(void **state)
{
    (void)state;
    memset(&far, 0, sizeof far);
    memset(&near, 0, sizeof near);
    uart = NULL;
    cable = test_link_open("cable");
    return cable != NULL ? 0 : -1;
}

static int set_up(void **state)
{
    struct error error;
    if (set_up_cable(state) != 0)
        return -1;
    uart = open_uart(&error);
    if (uart == NULL)
        print_error("%s\n", error.text);
    return uart != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    byte_link_close(uart);
    byte_link_close(cable);
    test_folder_remove();
    return 0;
}

/* Runs both ends until the transcript of the near end is TEXT. */
static void await_near(const char *text)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (strcmp(near.text, text) != 0 && test_now_ms() < end_ms) {
        look(cable, &far);
        look(uart, &near);
        test_pause_ms(1);
    }
    assert_string_equal(near.text, text);
}

static void await_far(const char *text)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (strcmp(far.text, text) != 0 && test_now_ms() < end_ms) {
        look(cable, &far);
        look(uart, &near);
        test_pause_ms(1);
    }
    assert_string_equal(far.text, text);
}

static void assert_notice(const char *part)
{
    char text[256] = "";
    byte_link_take_notice(uart, text, sizeof text);
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", text, part);
}

static void bytes_pass_both_ways(void **state)
{
    (void)state;
    await_near("+");
    await_far("+[57600]");
    assert_true(byte_link_write(cable, "to the robot", 12));
    await_near("+to the robot");
    assert_true(byte_link_write(uart, "to the host", 11));
    await_far("+[57600]to the host");
}

static void every_byte_value_passes_as_it_is(void **state)
{
    (void)state;
    uint8_t all[256], got[256];
    size_t size = 0;
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)(255 - i);
    await_near("+");
    await_far("+[57600]");
    assert_true(byte_link_write(cable, all, sizeof all));
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (size < sizeof got && test_now_ms() < end_ms) {
        byte_link_update(cable);
        byte_link_update(uart);
        size += byte_link_read(uart, got + size, sizeof got - size);
    }
    assert_memory_equal(got, all, sizeof all);
    assert_true(byte_link_write(uart, all, sizeof all));
    for (size = 0; size < sizeof got && test_now_ms() < end_ms;) {
        byte_link_update(cable);
        size += byte_link_read(cable, got + size, sizeof got - size);
    }
    assert_memory_equal(got, all, sizeof all);
}

static void the_device_is_raw_8n1_at_the_robots_baud_and_claimed(void **state)
{
    (void)state;
    struct termios mode;
    await_near("+");
    int second = open(byte_link_name(cable), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (second < 0 && errno == EBUSY)
        return; /* the claim works against us too; only root can look */
    assert_true(second >= 0);
    assert_int_equal(tcgetattr(second, &mode), 0);
    assert_int_equal(cfgetospeed(&mode), B57600);
    assert_int_equal(cfgetispeed(&mode), B57600);
    assert_int_equal(mode.c_cflag & (CSIZE | PARENB | CSTOPB | CRTSCTS), CS8);
    assert_false(mode.c_lflag & (ICANON | ECHO | ISIG | IEXTEN));
    assert_false(mode.c_iflag & (IXON | IXOFF | ICRNL | INLCR | ISTRIP));
    assert_false(mode.c_oflag & OPOST);
    assert_int_equal(mode.c_cc[VMIN], 1);
    assert_int_equal(mode.c_cc[VTIME], 0);
    assert_int_equal(flock(second, LOCK_EX | LOCK_NB), -1);
    close(second);
}

static void a_lost_device_is_found_again(void **state)
{
    (void)state;
    struct error error;
    struct pollfd fds[BYTE_LINK_FDS_MAX];

    await_near("+");
    for (int i = 0; i < 3; i++) {
        memset(&near, 0, sizeof near);
        byte_link_unplug(cable);
        await_near("-");
        assert_notice("has disappeared");
        assert_int_equal(byte_link_fds(uart, fds), 0);
        assert_false(byte_link_write(uart, "x", 1));
        assert_int_equal(byte_link_stats(uart)->frames_unheard, i + 1);
        assert_true(byte_link_is_plugged(uart));
        assert_true(byte_link_replug(cable, &error));
        await_near("-+");
        assert_notice("is connected again");
        assert_true(byte_link_write(cable, "again", 5));
        await_near("-+again");
    }
}

static void a_pulled_plug_lets_go_of_the_device(void **state)
{
    (void)state;
    struct error error;

    await_near("+");
    byte_link_unplug(uart);
    await_near("+-");
    await_far("+[57600]{0}-");
    assert_true(byte_link_replug(uart, &error));
    await_near("+-+");
}

/* ---- Presence ---- */

static void a_cable_without_handshake_lines_always_has_a_host(void **state)
{
    (void)state;
    struct error error;
    byte_link_set_lines(cable, 0);
    uart = open_uart(&error);
    assert_non_null(uart);
    await_near("+");
    assert_int_equal(byte_link_host_lines(uart), MODEM_HOST_LINES);
}

static void dsr_reports_whether_the_host_is_there_and_cts_is_its_rts(void **state)
{
    (void)state;
    await_near("+");
    byte_link_set_lines(cable, MODEM_DSR);
    await_near("+{1}");
    byte_link_set_lines(cable, MODEM_CTS);
    await_near("+{1}-");
    byte_link_set_lines(cable, MODEM_DSR | MODEM_CTS);
    await_near("+{1}-+");
}

static void lines_of_the_robot_reach_the_host(void **state)
{
    (void)state;
    await_near("+");
    await_far("+[57600]");
    byte_link_set_lines(uart, MODEM_DSR);
    await_far("+[57600]{1}");
    byte_link_set_lines(uart, MODEM_CTS);
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
         byte_link_host_lines(cable) != MODEM_RTS && test_now_ms() < end_ms;)
        look(cable, &far);
    assert_int_equal(byte_link_host_lines(cable), MODEM_RTS);
}

/* ---- As the robot's driver ---- */

static struct byte_link *open_driver(void)
{
    struct error error = {0};
    const struct byte_link_config config = {
        .address = byte_link_name(cable), .baud = 57600, .is_driver = true};
    struct byte_link *driver = uart_link_open(&config, &error);
    if (driver == NULL)
        fail_msg("%s", error.text);
    return driver;
}

/* Runs both ends until the near end sees these lines. */
static void await_lines(unsigned lines)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (byte_link_host_lines(uart) != lines && test_now_ms() < end_ms) {
        look(cable, &far);
        look(uart, &near);
        test_pause_ms(1);
    }
    assert_int_equal(byte_link_host_lines(uart), lines);
}

static void a_driver_sees_each_line_of_its_robot_and_is_there_without_any(void **state)
{
    (void)state;
    static const unsigned lines[] = {MODEM_CTS, MODEM_DSR, MODEM_DCD, MODEM_RI, 0};
    byte_link_set_lines(cable, 0);
    uart = open_driver();
    await_near("+{0}");
    await_far("+{0}[57600]"); /* its own lines are off at the start */
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        byte_link_set_lines(cable, lines[i]);
        await_lines(lines[i]);
        assert_true(byte_link_host_present(uart));
    }
    byte_link_set_lines(uart, MODEM_DSR);
    await_far("+{0}[57600]{1}");
    byte_link_set_lines(uart, MODEM_DSR | MODEM_CTS);
    await_far("+{0}[57600]{1}{3}");
}

static void await_framing(uint32_t framing)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    do {
        look(cable, &far);
        look(uart, &near);
        test_pause_ms(1);
    } while ((byte_link_host_settings(cable).mode & SERIAL_FRAMING) != framing &&
             test_now_ms() < end_ms);
    assert_int_equal(byte_link_host_settings(cable).mode & SERIAL_FRAMING, framing);
}

static void a_driver_sets_baud_and_framing_now_and_for_a_device_that_returns(void **state)
{
    (void)state;
    static const uint32_t framings[] = {
        SERIAL_PARITY_EVEN << SERIAL_PARITY_SHIFT | 1 << SERIAL_MISSING_BITS_SHIFT,
        SERIAL_PARITY_ODD << SERIAL_PARITY_SHIFT | SERIAL_TWO_STOP_BITS,
        SERIAL_PARITY_MARK << SERIAL_PARITY_SHIFT,
        SERIAL_PARITY_SPACE << SERIAL_PARITY_SHIFT | 3 << SERIAL_MISSING_BITS_SHIFT,
        0,
        SERIAL_TWO_STOP_BITS,
    };
    struct error error = {0};
    uart = open_driver();
    await_far("+{0}[57600]");
    assert_true(uart_link_set_baud(uart, 115200, &error));
    await_far("+{0}[57600][115200]");
    for (size_t i = 0; i < sizeof framings / sizeof framings[0]; i++) {
        assert_true(uart_link_set_framing(uart, framings[i], &error));
        await_framing(framings[i]);
    }
    byte_link_unplug(cable);
    await_near("+{28}-");
    assert_true(uart_link_set_baud(uart, 19200, &error));
    assert_true(byte_link_replug(cable, &error));
    await_near("+{28}-+{28}");
    await_framing(SERIAL_TWO_STOP_BITS);
    assert_int_equal(byte_link_host_settings(cable).baud, 19200);
}

/* ---- Refusals ---- */

static void assert_refused(const char *path, const char *part)
{
    struct error error = {0};
    const struct byte_link_config config = {.address = path, .baud = 57600};
    assert_null(uart_link_open(&config, &error));
    assert_true(error.is_environment);
    if (strstr(error.text, part) == NULL || strstr(error.text, path) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", error.text, part);
}

static void who_is_refused_does_not_disturb_the_owner(void **state)
{
    (void)state;
    struct termios mode;
    int is_claimed = 0;
    await_near("+");
    assert_refused(byte_link_name(cable), "is in use by");
    byte_link_write(cable, "hello", 5);
    await_near("+hello");
    int second = open(byte_link_name(cable), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (second < 0 && errno == EBUSY)
        return; /* only root can look */
    assert_int_equal(tcgetattr(second, &mode), 0);
    assert_int_equal(mode.c_cc[VMIN], 1);
    assert_int_equal(ioctl(second, TIOCGEXCL, &is_claimed), 0);
    assert_true(is_claimed);
    close(second);
}

static void a_missing_device_is_reported(void **state)
{
    (void)state;
    assert_refused("/dev/ttyNOSUCH7", "ptybot list ports");
}

static void what_is_no_serial_device_is_reported(void **state)
{
    (void)state;
    char name[64];
    assert_refused("/dev/null", "is not a serial device");
    assert_refused("/etc/passwd", "is not a serial device");
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_int_equal(unlockpt(master), 0);
    assert_int_equal(ptsname_r(master, name, sizeof name), 0);
    assert_refused(name, "is not a serial device");
    close(master);
}

/* Drops the capability that lets root open a device that another process has claimed. */
static void be_no_administrator(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    assert_int_equal(syscall(SYS_capget, &head, data), 0);
    data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
    assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

/* This takes only a moment: the shim retries an open for as long as a claim of a dead host may
 * last. The time is proportional to the number of retries, not to its square. */
static void a_busy_device_is_reported_and_free_later(void **state)
{
    (void)state;
    struct error error;
    be_no_administrator();
    int other = open(byte_link_name(cable), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    assert_refused(byte_link_name(cable), "is in use by");
    close(other);
    uart = open_uart(&error);
    assert_non_null(uart);
    /* A second link of this program cannot open it either. */
    assert_refused(byte_link_name(cable), "is in use by");
}

/* Root has every right, so a child process of another user tries. */
static void a_device_without_the_right_is_reported(void **state)
{
    (void)state;
    int status;
    if (geteuid() != 0 || access("/dev/ttyS0", F_OK) != 0) {
        print_message("SKIPPED: only root can become somebody else, and it takes a /dev/ttyS0\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        struct error error = {0};
        const struct byte_link_config config = {.address = "/dev/ttyS0", .baud = 57600};
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(2);
        struct byte_link *mine = uart_link_open(&config, &error);
        _exit(mine == NULL && strstr(error.text, "permission for this device") != NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define TEST(name)  cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CABLE(name) cmocka_unit_test_setup_teardown(name, set_up_cable, tear_down)

int main(int argc, char **argv)
{
    (void)argc;
    shim_preload(argv);
    const struct CMUnitTest tests[] = {
        TEST(bytes_pass_both_ways),
        TEST(every_byte_value_passes_as_it_is),
        TEST(the_device_is_raw_8n1_at_the_robots_baud_and_claimed),
        TEST(a_lost_device_is_found_again),
        TEST(a_pulled_plug_lets_go_of_the_device),
        CABLE(a_driver_sees_each_line_of_its_robot_and_is_there_without_any),
        CABLE(a_driver_sets_baud_and_framing_now_and_for_a_device_that_returns),
        CABLE(a_cable_without_handshake_lines_always_has_a_host),
        TEST(dsr_reports_whether_the_host_is_there_and_cts_is_its_rts),
        TEST(lines_of_the_robot_reach_the_host),
        CABLE(a_missing_device_is_reported),
        CABLE(what_is_no_serial_device_is_reported),
        TEST(who_is_refused_does_not_disturb_the_owner),
        CABLE(a_busy_device_is_reported_and_free_later),
        CABLE(a_device_without_the_right_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
