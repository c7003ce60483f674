/* The uart link with failing system calls: devices that reject settings, drivers without counters.
 * Uses a pty link as the cable, like test_uart_link.c. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

#include <dlfcn.h>
#include <libserialport.h>
#include <linux/serial.h>

#include "base/array.h"
#include "base/modem_lines.h"
#include "pty/uart/uart_device.h"
#include "pty/uart/uart_link.h"
#include "tests/support/machine.h"
#include "tests/support/shim.h"

enum { BAUD = 57600, START_MS = 1000 };

static struct byte_link *cable, *uart;
static struct transcript near;
static unsigned inherited_before;

static struct byte_link *open_uart(struct error *error)
{
    const struct byte_link_config config = {.address = byte_link_name(cable), .baud = BAUD};
    *error = (struct error){0};
    return uart_link_open(&config, error);
}

static int set_up_cable(void **state)
{
    (void)state;
    memset(&near, 0, sizeof near);
    uart = NULL;
    inherited_before = inherited_count();
    cable = test_link_open("cable");
    return cable != NULL ? 0 : -1;
}

/* Stops the clock. */
static int set_up(void **state)
{
    struct error error;
    if (set_up_cable(state) != 0)
        return -1;
    machine_time_ms = START_MS;
    uart = open_uart(&error);
    return uart != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    machine_obey();
    machine_answer = NULL;
    machine_time_ms = 0;
    byte_link_close(uart);
    byte_link_close(cable);
    test_folder_remove();
    return 0;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", text, part);
}

static void assert_notice(const char *part)
{
    char text[256] = "";
    byte_link_take_notice(uart, text, sizeof text);
    assert_has(text, part);
}

static void assert_no_notice(void)
{
    char text[256];
    assert_false(byte_link_take_notice(uart, text, sizeof text));
}

/* ---- Opening ---- */

static void a_device_that_cannot_be_opened_is_told_with_the_remedy(void **state)
{
    (void)state;
    static const struct {
        struct refusal refusal;
        const char *part;
    } rows[] = {
        {{.call = CALL_OPEN, .reason = ENOENT}, ": there is no such device: plug it in"},
        {{.call = CALL_OPEN, .reason = ENXIO}, ": there is no such device: plug it in"},
        {{.call = CALL_OPEN, .reason = ENODEV}, ": there is no such device: plug it in"},
        {{.call = CALL_OPEN, .reason = EBUSY}, " is in use by another program: stop that program"},
        {{.call = CALL_OPEN, .reason = EINVAL}, " is not a serial device: "},
        {{.call = CALL_OPEN, .reason = ENOTTY}, " is not a serial device: "},
        {{.call = CALL_OPEN, .reason = EIO}, ": cannot use the device: Input/output error"},
        {{.call = CALL_FLOCK, .reason = EWOULDBLOCK}, " is in use by another program: stop that"},
        {{.call = CALL_FLOCK, .reason = ENOLCK}, ": cannot use the device: No locks available"},
        {{.call = CALL_IOCTL, .request = TIOCEXCL, .reason = EIO}, ": cannot use the device: Inp"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error error;
        unsigned before = descriptor_count();
        machine_refuse(rows[i].refusal);
        assert_null(open_uart(&error));
        assert_int_equal(machine_obey(), 1);
        assert_true(error.is_environment);
        assert_int_equal(strncmp(error.text, byte_link_name(cable), 4), 0);
        assert_has(error.text, rows[i].part);
        assert_int_equal(descriptor_count(), before);
    }
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char path[PTY_PATH_MAX + 1];
    struct error error = {0};
    memset(path, 'a', sizeof path);
    path[0] = '/';
    path[PTY_PATH_MAX] = '\0';
    unsigned before = descriptor_count();
    assert_null(uart_link_open(&(struct byte_link_config){.address = path, .baud = BAUD}, &error));
    assert_int_equal(strncmp(error.text, "/aaaa", 5), 0);
    assert_has(error.text, "aaaa...: the path is too long");
    assert_int_equal(descriptor_count(), before);
    assert_false(error.is_environment);
}

static void who_has_no_permission_learns_whose_it_is_or_how_to_give_it(void **state)
{
    (void)state;
    static const struct {
        mode_t mode;
        gid_t group;
        const char *part;
    } rows[] = {
        {0660, 5,
         ": only the group tty has permission for this device: sudo usermod -aG tty $USER"},
        {0661, 5, ": only the group tty has permission"},
        {0640, 5, ": no permission for this device: sudo chmod a+rw /dev/pts/"},
        {0620, 5, ": no permission for this device: sudo chmod a+rw /dev/pts/"},
        {0606, 5, ": no permission for this device: sudo chmod a+rw /dev/pts/"},
        {0660, 0, ": no permission for this device: sudo chmod a+rw /dev/pts/"},
        {0660, 4294967290U, ": no permission for this device: sudo chmod a+rw /dev/pts/"},
    };
    static const int reasons[] = {EACCES, EPERM};
    if (geteuid() != 0)
        skip(); /* chown needs root */
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(reasons); k++) {
            struct error error;
            assert_int_equal(chown(byte_link_name(cable), 0, rows[i].group), 0);
            assert_int_equal(chmod(byte_link_name(cable), rows[i].mode), 0);
            machine_refuse((struct refusal){.call = CALL_OPEN, .reason = reasons[k]});
            assert_null(open_uart(&error));
            assert_int_equal(machine_obey(), 1);
            assert_has(error.text, rows[i].part);
        }
}

/* Each call that sets bits, parity, stop bits, flow control, mode or baud. */
static void a_device_that_refuses_a_setting_is_closed_again(void **state)
{
    (void)state;
    static const int reasons[] = {EIO, EACCES, EBUSY, ENOTTY};
    unsigned before = descriptor_count(), after;
    for (after = 0;; after++) {
        struct error error;
        int reason = reasons[after % COUNT(reasons)];
        machine_refuse((struct refusal){.call = CALL_TERMIOS, .after = after, .reason = reason});
        uart = open_uart(&error);
        if (machine_obey() == 0)
            break;
        assert_null(uart);
        assert_true(error.is_environment);
        assert_has(error.text, byte_link_name(cable));
        assert_int_equal(descriptor_count(), before);
    }
    assert_in_range(after, 5, 50);
    assert_non_null(uart);
}

static uint32_t shown_baud;

static void show_baud(unsigned long request, void *argument)
{
    if (request == TCGETS2)
        ((struct termios2 *)argument)->out_baud = shown_baud;
}

/* Drivers round to a divisor of the device's clock. */
static void a_baud_that_a_device_cannot_do_within_3_percent_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t baud;
        bool is_near;
    } rows[] = {{BAUD, true},
                {BAUD * 98 / 100, true},
                {BAUD * 102 / 100, true},
                {55854, false},
                {55855, true},
                {59345, true},
                {59346, false},
                {BAUD * 96 / 100, false},
                {BAUD * 104 / 100, false},
                {0, false},
                {UINT32_MAX, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char part[64];
        struct error error;
        shown_baud = rows[i].baud;
        machine_answer = show_baud;
        uart = open_uart(&error);
        machine_answer = NULL;
        assert_int_equal(uart != NULL, rows[i].is_near);
        snprintf(part, sizeof part, "the device cannot do 57600 baud, only %u", shown_baud);
        if (uart == NULL)
            assert_has(error.text, part);
        byte_link_close(uart);
        uart = NULL;
    }
}

/* ---- An open device ---- */

static void look_both(void)
{
    byte_link_update(cable);
    look(uart, &near);
}

static void no_other_program_gets_the_device_and_one_can_wait_for_it(void **state)
{
    (void)state;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    assert_int_equal(inherited_count(), inherited_before);
    look_both();
    assert_int_equal(byte_link_fds(uart, fds), 1);
    assert_int_equal(fds[0].events, POLLIN);
    assert_true(byte_link_write(cable, "wake", 4));
    assert_int_equal(poll(fds, 1, TEST_TIMEOUT_MS), 1);
    /* A frame is kept until there is room. */
    machine_refuse((struct refusal){.call = CALL_WRITE, .reason = EAGAIN});
    byte_link_set_unread_kept(uart, true);
    assert_true(byte_link_write(uart, "r", 1));
    assert_int_equal(machine_obey(), 1);
    assert_int_equal(byte_link_fds(uart, fds), 1);
    assert_int_equal(fds[0].events, POLLIN | POLLOUT);
}

static void settings_that_an_open_device_refuses_stay_as_they_were(void **state)
{
    (void)state;
    struct error error;
    machine_time_ms = 0;
    for (unsigned after = 0; after < 3; after++) {
        machine_refuse((struct refusal){.call = CALL_TERMIOS, .after = 2 * after, .reason = EIO});
        assert_false(uart_link_set_framing(uart, SERIAL_TWO_STOP_BITS, &error));
        assert_int_equal(machine_obey(), 1);
        assert_true(error.is_environment);
        assert_has(error.text, ": the device cannot do this parity, data and stop bits");
        assert_has(error.text, byte_link_name(cable));
    }
    machine_refuse((struct refusal){.call = CALL_TERMIOS, .reason = EIO});
    assert_false(uart_link_set_baud(uart, 115200, &error));
    assert_int_equal(machine_obey(), 1);
    assert_has(error.text, ": the device cannot do 115200 baud");
    byte_link_unplug(uart);
    assert_true(byte_link_replug(uart, &error));
    struct transcript *far = calloc(1, sizeof *far);
    assert_non_null(far);
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
         byte_link_host_settings(cable).baud != BAUD && test_now_ms() < end_ms;)
        look(cable, far);
    free(far);
    assert_int_equal(byte_link_host_settings(cable).baud, BAUD);
    assert_int_equal(byte_link_host_settings(cable).mode & SERIAL_FRAMING, 0);
}

static unsigned drained;

/* Replaces the function of the C library. */
int tcdrain(int fd)
{
    drained += fd >= 0;
    return 0;
}

/* On a real line, bytes that still wait in the driver would leave with the new settings. */
static void what_was_written_leaves_the_line_before_its_settings_change(void **state)
{
    (void)state;
    struct error error;
    drained = 0;
    machine_refuse((struct refusal){.call = CALL_TERMIOS, .count = 1000, .reason = EIO});
    assert_false(uart_link_set_baud(uart, 115200, &error));
    assert_int_equal(drained, 1);
    assert_false(uart_link_set_framing(uart, SERIAL_TWO_STOP_BITS, &error));
    assert_int_equal(drained, 2);
}

static void a_device_that_refuses_the_framing_at_its_next_plug_stays_out(void **state)
{
    (void)state;
    struct error error;
    unsigned after;
    machine_time_ms = 0;
    byte_link_unplug(uart);
    unsigned before = descriptor_count();
    assert_true(uart_link_set_framing(uart, SERIAL_TWO_STOP_BITS, &error));
    for (after = 0;; after++) {
        machine_refuse((struct refusal){.call = CALL_TERMIOS, .after = after, .reason = EIO});
        bool is_in = byte_link_replug(uart, &error);
        if (machine_obey() == 0)
            break;
        assert_false(is_in);
        assert_has(error.text, byte_link_name(cable));
        assert_int_equal(descriptor_count(), before);
    }
    assert_in_range(after, 5, 50);
    assert_true(byte_link_is_plugged(uart));
}

/* Most cables lack it. The presence of a host is then unknown. */
static void dsr_decides_after_it_was_on_until_the_next_plug(void **state)
{
    (void)state;
    struct error error;
    look_both();
    assert_string_equal(near.text, "+");
    assert_int_equal(byte_link_host_settings(uart).baud, 0);
    byte_link_set_lines(cable, MODEM_DSR);
    look_both();
    byte_link_set_lines(cable, 0);
    look_both();
    assert_string_equal(near.text, "+{1}-");
    byte_link_unplug(uart);
    assert_true(byte_link_replug(uart, &error));
    look_both();
    assert_string_equal(near.text, "+{1}-+");
}

static unsigned bad_frames;

static void count_frames(unsigned long request, void *argument)
{
    if (request == TIOCGICOUNT)
        ((struct serial_icounter_struct *)argument)->frame = (int)bad_frames;
}

static void bytes_of_another_baud_are_told_of_once_for_each_plug(void **state)
{
    (void)state;
    struct error error;
    machine_answer = count_frames;
    bad_frames = 5; /* bad frames of another program, before */
    byte_link_unplug(uart);
    assert_true(byte_link_replug(uart, &error));
    for (int plug = 0; plug < 2; plug++) {
        look_both();
        assert_no_notice();
        bad_frames++;
        look_both();
        assert_notice("bytes without a stop bit: does the driver use 57600 baud, 8N1?");
        bad_frames++;
        look_both();
        assert_no_notice();
        byte_link_unplug(uart);
        assert_true(byte_link_replug(uart, &error));
    }
}

static unsigned line_reads;

static void count_reads(unsigned long request, void *argument)
{
    (void)argument;
    line_reads += request == TIOCMGET;
}

/* Reading takes a millisecond on a USB adapter. */
static void lines_that_a_driver_counts_are_read_only_when_they_have_changed(void **state)
{
    (void)state;
    look_both();
    machine_answer = count_reads;
    line_reads = 0;
    for (int i = 0; i < 5; i++)
        look_both();
    assert_int_equal(line_reads, 0);
    byte_link_set_lines(cable, MODEM_DSR);
    look_both();
    assert_int_equal(line_reads, 1);
    look_both();
    assert_int_equal(line_reads, 1);
    assert_string_equal(near.text, "+{1}");
}

static void lines_that_a_driver_does_not_count_are_read_twice_a_second(void **state)
{
    (void)state;
    machine_refuse((struct refusal){
        .call = CALL_IOCTL, .request = TIOCGICOUNT, .count = 1000, .reason = ENOTTY});
    look_both();
    assert_string_equal(near.text, "+");
    machine_time_ms += 600;
    byte_link_set_lines(cable, MODEM_CTS);
    look_both();
    assert_string_equal(near.text, "+-");
    byte_link_set_lines(cable, MODEM_CTS | MODEM_DSR);
    machine_time_ms += 400;
    look_both();
    assert_string_equal(near.text, "+-");
    machine_time_ms += 200;
    look_both();
    assert_string_equal(near.text, "+-+");
}

/* After about three seconds, since udev needs time to set the mode. */
static void a_device_that_returns_without_permission_is_reported_once(void **state)
{
    (void)state;
    int64_t told_ms = 0;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    look_both();
    machine_refuse((struct refusal){.call = CALL_READ, .reason = EIO});
    look(uart, &near);
    assert_int_equal(machine_obey(), 1);
    assert_string_equal(near.text, "+-");
    assert_notice("has disappeared; waiting for its return");
    assert_int_equal(byte_link_fds(uart, fds), 0);
    machine_refuse((struct refusal){.call = CALL_OPEN, .count = 100000, .reason = EACCES});
    for (int i = 1; i <= 1000; i++) {
        char text[256];
        machine_time_ms += 10;
        look(uart, &near);
        if (byte_link_take_notice(uart, text, sizeof text)) {
            assert_has(text, "permission for this device");
            assert_int_equal(told_ms, 0);
            told_ms = 10 * i;
        }
    }
    assert_in_range(told_ms, 2500, 3500);
    /* At most four attempts per second. */
    assert_in_range(machine_obey(), 30, 41);
    machine_time_ms += 250;
    look(uart, &near);
    assert_string_equal(near.text, "+-+");
    assert_notice("is connected again");
}

/* A path may lead to the port for the driver, through a symlink too. */
static void the_ports_of_a_driver_are_kept_apart(void **state)
{
    (void)state;
    struct error error = {0};
    char link[256], part[512];
    const char *robot = byte_link_name(cable);
    assert_true(uart_link_keep_off(uart, "/dev/null", &error));
    assert_true(uart_link_keep_off(uart, "/nowhere/100%%d", &error));
    snprintf(link, sizeof link, "/tmp/uart-%ld-100%%%%d", (long)getpid());
    assert_int_equal(symlink(robot, link), 0);
    bool is_kept_off = uart_link_keep_off(uart, link, &error);
    /* A device that is plugged in again is not opened either. */
    byte_link_unplug(uart);
    bool is_open = byte_link_replug(uart, &(struct error){0});
    unlink(link);
    assert_false(is_kept_off);
    assert_false(is_open);
    assert_false(error.is_environment);
    snprintf(part, sizeof part,
             "%s leads to %s, the port for the driver: give the device of the robot", robot, link);
    assert_string_equal(error.text, part);
    assert_true(byte_link_replug(uart, &error));
}

/* The device counts from the boot of the machine. */
static void bytes_without_a_stop_bit_from_before_are_not_told_of(void **state)
{
    (void)state;
    struct error error;
    machine_answer = count_frames;
    bad_frames = 5;
    byte_link_unplug(uart);
    assert_true(byte_link_replug(uart, &error));
    look_both();
    assert_no_notice();
    bad_frames++;
    look_both();
    assert_notice("bytes without a stop bit");
    bad_frames = 0;
}

static void a_lost_device_is_looked_for_four_times_a_second(void **state)
{
    (void)state;
    unsigned version = byte_link_fds_version(uart);
    look_both();
    for (int i = 0; i < 2; i++) {
        /* A device that is lost again is reported again, after the same number of attempts. */
        machine_refuse((struct refusal){.call = CALL_READ, .reason = EIO});
        look(uart, &near);
        assert_int_equal(machine_obey(), 1);
        assert_notice("has disappeared");
        machine_refuse((struct refusal){.call = CALL_OPEN, .count = 1000, .reason = EACCES});
        machine_time_ms += 100;
        look(uart, &near);
        assert_int_equal(machine_obey(), 0); /* not at once */
        machine_refuse((struct refusal){.call = CALL_OPEN, .count = 1000, .reason = EACCES});
        for (int tries = 0; tries < 11; tries++) {
            machine_time_ms += 250;
            look(uart, &near);
            assert_no_notice();
        }
        assert_int_equal(machine_obey(), 11);
        machine_time_ms += 250;
        look(uart, &near);
        assert_notice("is connected again");
        assert_int_not_equal(byte_link_fds_version(uart), version);
        version = byte_link_fds_version(uart);
    }
}

/* While a path does not exist, no other problem is reported for it. */
static void a_device_without_a_path_is_waited_for_in_silence(void **state)
{
    (void)state;
    char path[256], hidden[300];
    look_both();
    snprintf(path, sizeof path, "%s", byte_link_name(cable));
    snprintf(hidden, sizeof hidden, "%s.hidden", path);
    machine_refuse((struct refusal){.call = CALL_READ, .reason = EIO});
    look(uart, &near);
    assert_int_equal(machine_obey(), 1);
    assert_notice("has disappeared");
    assert_int_equal(rename(path, hidden), 0);
    for (int tries = 0; tries < 20; tries++) {
        machine_time_ms += 250;
        look(uart, &near);
        assert_no_notice();
    }
    assert_int_equal(rename(hidden, path), 0);
    machine_time_ms += 250;
    look(uart, &near);
    assert_notice("is connected again");
}

static void a_closed_link_gives_its_device_back(void **state)
{
    (void)state;
    struct error error;
    unsigned before = descriptor_count();
    uart = open_uart(&error);
    assert_non_null(uart);
    byte_link_close(uart);
    uart = NULL;
    assert_int_equal(descriptor_count(), before);
    int device = host_open(cable), is_exclusive;
    assert_int_equal(ioctl(device, TIOCGEXCL, &is_exclusive), 0);
    close(device);
    assert_false(is_exclusive);
}

static bool lists_nothing;

/* Replaces the function of libserialport. */
enum sp_return sp_list_ports(struct sp_port ***list_ptr)
{
    enum sp_return (*real)(struct sp_port ***);
    *(void **)&real = dlsym(RTLD_NEXT, "sp_list_ports");
    return lists_nothing ? SP_ERR_FAIL : real(list_ptr);
}

static void list_port(void *user, const struct uart_port *port)
{
    char *list = user;
    size_t size = strlen(list);
    assert_true(strncmp(port->path, "/dev/", 5) == 0);
    assert_non_null(port->description);
    assert_non_null(port->bus);
    assert_int_equal(port->is_allowed, access(port->path, R_OK | W_OK) == 0);
    snprintf(list + size, 4096 - size, "%s %s %s %d\n", port->path, port->description, port->bus,
             port->is_allowed);
}

/* In a container, libserialport lists nothing, since some devices have no files. */
static void the_devices_of_the_machine_can_be_listed_also_where_some_have_no_files(void **state)
{
    (void)state;
    struct error error = {0};
    char list[4096] = "", listed[4096] = "";
    assert_true(uart_ports_list(list_port, list, &error));
    unsigned before = descriptor_count();
    lists_nothing = true;
    assert_true(uart_ports_list(list_port, listed, &error));
    lists_nothing = false;
    assert_int_equal(descriptor_count(), before);
    for (char *line = strtok(listed, "\n"); line; line = strtok(NULL, "\n"))
        assert_non_null(strstr(list, line));
    if (access("/sys/class/tty/ttyS0/device", F_OK) == 0 && access("/dev/ttyS0", F_OK) == 0)
        assert_non_null(strstr(listed, "/dev/ttyS0 "));
    pid_t child = fork();
    if (child == 0) {
        enum { NOBODY = 65534 };
        bool is_other = setgid(NOBODY) == 0 && setuid(NOBODY) == 0;
        _exit(is_other && !uart_ports_list(list_port, list, &error));
    }
    int status;
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
        cmocka_unit_test(the_devices_of_the_machine_can_be_listed_also_where_some_have_no_files),
        CABLE(a_device_that_cannot_be_opened_is_told_with_the_remedy),
        CABLE(a_closed_link_gives_its_device_back),
        CABLE(a_path_that_is_too_long_is_refused),
        CABLE(who_has_no_permission_learns_whose_it_is_or_how_to_give_it),
        CABLE(a_device_that_refuses_a_setting_is_closed_again),
        CABLE(a_baud_that_a_device_cannot_do_within_3_percent_is_refused),
        TEST(no_other_program_gets_the_device_and_one_can_wait_for_it),
        TEST(settings_that_an_open_device_refuses_stay_as_they_were),
        TEST(what_was_written_leaves_the_line_before_its_settings_change),
        TEST(a_device_that_refuses_the_framing_at_its_next_plug_stays_out),
        TEST(dsr_decides_after_it_was_on_until_the_next_plug),
        TEST(bytes_of_another_baud_are_told_of_once_for_each_plug),
        TEST(lines_that_a_driver_counts_are_read_only_when_they_have_changed),
        TEST(lines_that_a_driver_does_not_count_are_read_twice_a_second),
        TEST(a_device_that_returns_without_permission_is_reported_once),
        TEST(the_ports_of_a_driver_are_kept_apart),
        TEST(bytes_without_a_stop_bit_from_before_are_not_told_of),
        TEST(a_lost_device_is_looked_for_four_times_a_second),
        TEST(a_device_without_a_path_is_waited_for_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
