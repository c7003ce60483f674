/* Links of a run: messages about drivers, unplugging, and counters. The time of messages is an
 * argument. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/serial_settings.h"
#include "tests/support/machine.h"
#include "tests/unit/links_rig.h"

static void a_driver_is_announced_when_it_comes_and_goes(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    assert_string_equal(said(), "ptybot: kobuki.uart: driver connected\n");
    close(fd);
    await_driver(f, false, NOW_NS);
    assert_string_equal(said(), "ptybot: kobuki.uart: driver disconnected\n");
    assert_int_equal(view_of(f).hosts, 1);
    assert_int_equal(f->live.channels[0].hosts, 1);
}

/* Eight messages at once, then one a second; one line counts the omitted ones. */
static void a_driver_that_comes_and_goes_all_the_time_floods_nobody(void **state)
{
    struct fixture *f = *state;
    int64_t now_ns = NOW_NS;
    for (int i = 0; i < 10; i++) {
        close(open_driver(f, now_ns));
        await_driver(f, false, now_ns);
    }
    const char *text = said();
    assert_int_equal(count_of(text, "\n"), 8);
    assert_int_equal(count_of(text, "driver connected"), 4);
    links_visit(f->links, now_ns + SECOND_NS - 1);
    assert_string_equal(said(), "");
    links_visit(f->links, now_ns + SECOND_NS);
    assert_string_equal(said(), "ptybot: kobuki.uart: 12 messages about its drivers omitted; no "
                                "driver is connected\n");
    links_visit(f->links, now_ns + 20 * SECOND_NS);
    assert_string_equal(said(), "");
    int fd = open_driver(f, now_ns + 20 * SECOND_NS);
    assert_string_equal(said(), "ptybot: kobuki.uart: driver connected\n");
    close(fd);
}

/* Between visits, too: a step that sends bytes detects that the driver has left. */
static void messages_stay_in_order_and_the_last_one_counts_the_omitted_ones(void **state)
{
    struct fixture *f = *state;
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    for (int i = 0; i < 4; i++) {
        close(open_driver(f, NOW_NS));
        await_driver(f, false, NOW_NS);
    }
    int fd = open_driver(f, NOW_NS);
    assert_int_equal(count_of(said(), "\n"), 8);
    close(fd);
    while (view_of(f).is_host) {
        assert_true(poller_now_ns() < end_ns);
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS + SECOND_NS);
    }
    assert_string_equal(said(), "");
    links_close(f->links);
    f->links = NULL;
    assert_string_equal(said(), "ptybot: kobuki.uart: 2 messages about its drivers omitted; no "
                                "driver is connected\n");
    assert_null(f->live.channels[0].place);
}

static void a_run_that_ends_with_a_driver_reports_it(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 4; i++) {
        close(open_driver(f, NOW_NS));
        await_driver(f, false, NOW_NS);
    }
    int fd = open_driver(f, NOW_NS);
    said();
    links_close(f->links);
    f->links = NULL;
    assert_string_equal(said(), "ptybot: kobuki.uart: 1 messages about its drivers omitted; a "
                                "driver is connected\n");
    close(fd);
}

static void a_plug_is_pulled_and_put_in_again_as_commanded(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    int fd = open_driver(f, NOW_NS);
    said();
    assert_true(sim_do(f->sim, "kobuki.unplug what=uart", &error));
    links_after_step(f->links, NOW_NS);
    links_visit(f->links, NOW_NS);
    const char *text = said();
    assert_non_null(strstr(text, "ptybot: kobuki.uart: unplugged\n"));
    assert_non_null(strstr(text, "ptybot: kobuki.uart: driver disconnected, unplugged\n"));
    assert_false(view_of(f).is_plugged);
    assert_true(access(f->pty_path, F_OK) != 0);
    close(fd);
    /* Something else has taken its path meanwhile. */
    int taker = open(f->pty_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(taker >= 0);
    close(taker);
    assert_true(sim_do(f->sim, "kobuki.plug what=uart", &error));
    for (int i = 0; i < 3; i++)
        links_visit(f->links, NOW_NS + i * SECOND_NS);
    text = said();
    assert_int_equal(count_of(text, "ptybot: kobuki.uart: cannot be plugged in again: "), 1);
    assert_int_equal(count_of(text, "\n"), 1);
    assert_int_equal(unlink(f->pty_path), 0);
    links_visit(f->links, NOW_NS + 9 * SECOND_NS);
    assert_string_equal(said(), "ptybot: kobuki.uart: plugged in again\n");
    assert_true(view_of(f).is_plugged);
    fd = open_driver(f, NOW_NS + 9 * SECOND_NS);
    close(fd);
}

static void each_failure_to_plug_in_again_is_reported_once(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    int fd = open_driver(f, NOW_NS);
    said();
    for (int i = 0; i < 2; i++) {
        assert_true(sim_do(f->sim, "kobuki.unplug what=uart", &error));
        links_after_step(f->links, NOW_NS);
        assert_string_equal(said(), i > 0
                                        ? "ptybot: kobuki.uart: unplugged\n"
                                        : "ptybot: kobuki.uart: unplugged\n"
                                          "ptybot: kobuki.uart: driver disconnected, unplugged\n");
        assert_true(sim_do(f->sim, "kobuki.plug what=uart", &error));
        machine_refuse((struct refusal){.call = CALL_PTY, .count = 3, .reason = EMFILE});
        for (int j = 0; j < 3; j++)
            links_after_step(f->links, NOW_NS);
        assert_int_equal(machine_obey(), 3);
        assert_int_equal(count_of(said(), "cannot be plugged in again: "), 1);
        links_after_step(f->links, NOW_NS);
        assert_string_equal(said(), "ptybot: kobuki.uart: plugged in again\n");
    }
    close(fd);
}

/* ---- Inputs of the simulation ---- */

/* Visits until the input LAST. Returns all inputs since the last call. */
static const char *told_until(struct fixture *f, const char *last, int64_t now_ns)
{
    static char text[sizeof told];
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (!strstr(told, last)) {
        if (poller_now_ns() >= end_ns)
            fail_msg("\"%s\", and not %s", told, last);
        links_visit(f->links, now_ns);
    }
    strcpy(text, told);
    told[0] = '\0';
    return text;
}

static void the_simulation_is_told_what_a_driver_sets_and_sends(void **state)
{
    struct fixture *f = *state;
    struct termios settings;
    told[0] = '\0';
    sim_listen(f->sim, note_input, NULL);
    int fd = open_driver(f, NOW_NS);
    assert_string_equal(told_until(f, "baud 115200; ", NOW_NS), "host 1; baud 115200; ");
    links_visit_all(f->links, NOW_NS);
    assert_int_equal(tcgetattr(fd, &settings), 0);
    cfsetspeed(&settings, B57600);
    settings.c_cflag |= CSTOPB;
    assert_int_equal(tcsetattr(fd, TCSANOW, &settings), 0);
    assert_string_equal(told_until(f, "mode 4096; ", NOW_NS), "baud 57600; mode 4096; ");
    assert_int_equal(SERIAL_TWO_STOP_BITS, 4096);
    assert_int_equal(write(fd, "xyz", 3), 3);
    assert_string_equal(told_until(f, "bytes 3; ", NOW_NS), "bytes 3; ");
    close(fd);
    assert_string_equal(told_until(f, "baud 0; ", NOW_NS), "host 0; baud 0; ");
}

/* A program that writes without changing settings works with the initial settings of a port. */
static void the_settings_that_a_driver_found_count_before_its_bytes(void **state)
{
    struct fixture *f = *state;
    char expected[64];
    told[0] = '\0';
    sim_listen(f->sim, note_input, NULL);
    int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    await_driver(f, true, NOW_NS);
    assert_string_equal(told_until(f, "host 1; ", NOW_NS), "host 1; ");
    assert_int_equal(write(fd, "x\n", 2), 2);
    snprintf(expected, sizeof expected, "baud 9600; mode %d; bytes 2; ", SERIAL_START);
    assert_string_equal(told_until(f, "bytes 2; ", NOW_NS), expected);
    close(fd);
    told_until(f, "host 0; ", NOW_NS);
    /* A driver that stays connected for long does not need to write a byte. */
    said();
    fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    await_driver(f, true, NOW_NS);
    told_until(f, "host 1; ", NOW_NS);
    for (int i = 0; i < 300; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    assert_string_equal(told, "");
    assert_null(strstr(said(), "9600 baud"));
    links_visit_all(f->links, NOW_NS + SECOND_NS);
    assert_non_null(strstr(told_until(f, "baud 9600; ", NOW_NS + SECOND_NS), "baud 9600; "));
    assert_non_null(strstr(said(), "the driver set no settings, and a real port starts with 9600"));
    close(fd);
    told_until(f, "host 0; ", NOW_NS + SECOND_NS);
}

/* This also works for a driver that leaves before a visit finds it. */
static void wrong_settings_of_a_driver_that_has_left_are_known(void **state)
{
    struct fixture *f = *state;
    told[0] = '\0';
    sim_listen(f->sim, note_input, NULL);
    int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    await_driver(f, true, NOW_NS);
    for (int i = 0; i < 300; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    told[0] = '\0';
    close(fd);
    assert_non_null(strstr(told_until(f, "host 0; ", NOW_NS + SECOND_NS), "baud 9600; "));
    assert_int_equal(view_of(f).serial->wrong.baud, 9600);
    assert_int_equal(view_of(f).serial->wrong_us, 300000);
}

static void all_that_goes_to_and_from_a_driver_is_traffic(void **state)
{
    struct fixture *f = *state;
    struct error error = {0};
    uint64_t before = links_traffic(f->links);
#define EXPECT_TRAFFIC()                                                                           \
    do {                                                                                           \
        assert_true(links_traffic(f->links) > before);                                             \
        before = links_traffic(f->links);                                                          \
    } while (0)
    int fd = open_driver(f, NOW_NS);
    EXPECT_TRAFFIC();
    links_after_step(f->links, NOW_NS);
    before = links_traffic(f->links);
    links_visit_all(f->links, NOW_NS);
    links_after_step(f->links, NOW_NS);
    assert_int_equal(links_traffic(f->links), before);
    sim_listen(f->sim, note_input, NULL);
    told[0] = '\0';
    assert_int_equal(write(fd, "xyz", 3), 3);
    told_until(f, "bytes 3; ", NOW_NS);
    EXPECT_TRAFFIC();
    assert_true(sim_do(f->sim, "kobuki.modem what=uart ri=on", &error));
    links_after_step(f->links, NOW_NS);
    EXPECT_TRAFFIC();
    links_after_step(f->links, NOW_NS);
    assert_int_equal(links_traffic(f->links), before);
    for (uint64_t written = view_of(f).written; view_of(f).written == written;) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    EXPECT_TRAFFIC();
    close(fd);
    await_driver(f, false, NOW_NS);
    EXPECT_TRAFFIC();
    assert_true(sim_do(f->sim, "kobuki.unplug what=uart", &error));
    links_after_step(f->links, NOW_NS);
    assert_false(view_of(f).is_plugged); /* at once, without a visit */
    EXPECT_TRAFFIC();
    assert_true(access(f->pty_path, F_OK) != 0);
}

/* ---- Bytes ---- */

static void bytes_go_both_ways_and_are_counted(void **state)
{
    struct fixture *f = *state;
    /* protocol.rst: Base Control, 200 mm/s straight on */
    static const uint8_t forward[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x00, 0x00, 0xcb};
    uint8_t heard[4096];
    size_t size = 0;
    int fd = open_driver(f, NOW_NS);
    for (int i = 0; i < 500; i++) {
        if (i % 100 == 0) {
            assert_int_equal(write(fd, forward, sizeof forward), sizeof forward);
            links_visit_all(f->links, NOW_NS);
        }
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
        ssize_t some = read(fd, heard, sizeof heard);
        size += some > 0 ? (size_t)some : 0;
    }
    assert_int_equal(view_of(f).received, 5 * sizeof forward);
    assert_true(size > 1000);
    assert_int_equal(view_of(f).written, size);
    assert_true(view_of(f).taken > 20 && view_of(f).taken == f->live.channels[0].taken_frames);
    assert_int_equal(view_of(f).dropped, 0);
    assert_int_equal(view_of(f).host_baud, 115200);
    assert_int_equal(f->live.channels[0].host_baud, 115200);
    assert_int_equal(f->live.channels[0].unread_bytes, 0);
    close(fd);
}

static void a_wrong_rate_is_said_once_it_matters(void **state)
{
    struct fixture *f = *state;
    assert_non_null(view_of(f).serial);
    int fd = open_driver(f, NOW_NS);
    struct termios raw;
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfsetspeed(&raw, B9600);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    said();
    for (int i = 0; i < 3; i++)
        links_visit_all(f->links, NOW_NS);
    assert_string_equal(said(), ""); /* the driver may set another rate before it writes */
    assert_int_equal(write(fd, "x", 1), 1);
    for (int i = 0; i < 3; i++)
        links_visit_all(f->links, NOW_NS);
    assert_string_equal(said(),
                        "ptybot: kobuki.uart: the driver set 9600 baud, 8N1, raw; the robot has "
                        "115200 baud, 8N1, raw\n");
    close(fd);
}

/* ---- TCP ---- */

static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static uint16_t port;

static void serve_tcp(struct scene_link *link)
{
    link->kind = LINK_RFC2217;
    link->is_default = true;
    port = free_port();
    snprintf(link->address, sizeof link->address, "127.0.0.1:%u", port);
}

static int open_server(void **state)
{
    int failed = set_up_link(state, serve_tcp);
    listen_to_stderr();
    return failed;
}

static int connect_driver(void)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* A second driver is turned away and counted, with a message. */
static void one_driver_at_a_time_is_served(void **state)
{
    struct fixture *f = *state;
    char place[32];
    snprintf(place, sizeof place, "127.0.0.1:%u", port);
    assert_string_equal(view_of(f).place, place); /* no other port, as of private runs */
    int first = connect_driver();
    await_driver(f, true, NOW_NS);
    said();
    int second = connect_driver();
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (f->live.channels[0].refused_hosts == 0) {
        assert_true(poller_now_ns() < end_ns);
        links_visit(f->links, NOW_NS);
    }
    assert_int_equal(f->live.channels[0].refused_hosts, 1);
    assert_int_equal(f->live.channels[0].hosts, 1);
    assert_int_equal(count_of(said(), "kobuki.uart: "), 1);
    close(second);
    close(first);
    await_driver(f, false, NOW_NS);
    assert_non_null(strstr(said(), "driver disconnected\n"));
}

static void send_bytes(int fd, const uint8_t *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, 0), size);
}

static void expect_bytes(struct fixture *f, int fd, const uint8_t *wanted, size_t size)
{
    static uint8_t heard[4096];
    size_t count = 0;
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (!memmem(heard, count, wanted, size)) {
        assert_true(poller_now_ns() < end_ns && count < sizeof heard);
        links_visit(f->links, NOW_NS);
        ssize_t some = recv(fd, heard + count, sizeof heard - count, MSG_DONTWAIT);
        count += some > 0 ? (size_t)some : 0;
    }
}

#define EXPECT_BYTES(...)                                                                          \
    expect_bytes(f, fd, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})
#define SEND_BYTES(...)                                                                            \
    send_bytes(fd, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

/* RFC 2217: requests and their answers have the numbers of telnet's option 44. */
static void a_port_over_telnet_has_the_rate_and_lines_of_the_robot(void **state)
{
    enum { IAC = 255, SB = 250, SE = 240, WILL = 251, COM_PORT = 44 };
    struct fixture *f = *state;
    struct error error = {0};
    told[0] = '\0';
    sim_listen(f->sim, note_input, NULL);
    int fd = connect_driver();
    SEND_BYTES(IAC, WILL, COM_PORT);
    SEND_BYTES(IAC, SB, COM_PORT, 1, 0, 0, 0, 0, IAC, SE); /* which rate? */
    EXPECT_BYTES(IAC, SB, COM_PORT, 101, 0, 1, 0xc2, 0, IAC, SE);
    SEND_BYTES(IAC, SB, COM_PORT, 10, IAC, IAC, IAC, SE); /* report all errors of the receiver */
    EXPECT_BYTES(IAC, SB, COM_PORT, 110, IAC, IAC, IAC, SE);
    links_after_step(f->links, NOW_NS);
    /* CTS off: DSR and DCD are on, and the change of CTS is reported. */
    assert_true(sim_do(f->sim, "kobuki.modem what=uart cts=off", &error));
    links_after_step(f->links, NOW_NS);
    EXPECT_BYTES(IAC, SB, COM_PORT, 107, 32 | 128 | 1, IAC, SE);
    SEND_BYTES(IAC, SB, COM_PORT, 1, 0, 0, 0, 1, IAC, SE); /* the slowest rate */
    told_until(f, "baud 1; ", NOW_NS);
    SEND_BYTES(IAC, SB, COM_PORT, 4, 2, IAC, SE); /* two stop bits */
    told_until(f, "mode 4096; ", NOW_NS);
    told[0] = '\0';
    SEND_BYTES(IAC, SB, COM_PORT, 5, 9, IAC, SE); /* DTR off; RTS stays on */
    assert_string_equal(told_until(f, "lines ", NOW_NS), "lines 2; ");
    assert_int_equal(f->live.channels[0].bad_requests, 0);
    SEND_BYTES(IAC, SB, COM_PORT, 5, 99, IAC, SE); /* no such control */
    SEND_BYTES(IAC, SB, COM_PORT, 5, 8, IAC, SE);
    EXPECT_BYTES(IAC, SB, COM_PORT, 105, 8, IAC, SE);
    assert_int_equal(f->live.channels[0].bad_requests, 1);
    assert_true(sim_do(f->sim, "kobuki.fault uart=flip rate=1 direction=to_host", &error));
    step_until_written(f);
    EXPECT_BYTES(IAC, SB, COM_PORT, 107 - 1, 96 | SERIAL_PARITY_ERROR, IAC, SE);
    close(fd);
}

static int open_public(void **state)
{
    (void)state;
    listen_to_stderr();
    return 0;
}

static void serve_everybody(struct scene_link *link)
{
    serve_tcp(link);
    snprintf(link->address, sizeof link->address, "0.0.0.0:%u", port);
}

/* Before the first visit. */
static void a_warning_of_a_link_is_printed_when_it_opens(void **state)
{
    assert_int_equal(set_up_link(state, serve_everybody), 0);
    assert_non_null(strstr(said(), "ptybot: kobuki.uart: warning: 0.0.0.0:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(a_driver_is_announced_when_it_comes_and_goes),
        LINK_TEST(a_driver_that_comes_and_goes_all_the_time_floods_nobody),
        LINK_TEST(messages_stay_in_order_and_the_last_one_counts_the_omitted_ones),
        LINK_TEST(a_run_that_ends_with_a_driver_reports_it),
        LINK_TEST(each_failure_to_plug_in_again_is_reported_once),
        LINK_TEST(the_simulation_is_told_what_a_driver_sets_and_sends),
        LINK_TEST(the_settings_that_a_driver_found_count_before_its_bytes),
        LINK_TEST(wrong_settings_of_a_driver_that_has_left_are_known),
        LINK_TEST(all_that_goes_to_and_from_a_driver_is_traffic),
        LINK_TEST(a_plug_is_pulled_and_put_in_again_as_commanded),
        LINK_TEST(bytes_go_both_ways_and_are_counted),
        LINK_TEST(a_wrong_rate_is_said_once_it_matters),
        cmocka_unit_test_setup_teardown(one_driver_at_a_time_is_served, open_server, close_rig),
        cmocka_unit_test_setup_teardown(a_port_over_telnet_has_the_rate_and_lines_of_the_robot,
                                        open_server, close_rig),
        cmocka_unit_test_setup_teardown(a_warning_of_a_link_is_printed_when_it_opens, open_public,
                                        close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
