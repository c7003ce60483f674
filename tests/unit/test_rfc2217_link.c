/* The RFC 2217 link over real sockets: its bytes and events in order, and clients that misbehave.
 */
#define _GNU_SOURCE
#include "tests/unit/test_tcp_support.h"

#define HELLO     "\xff\xfb\x2c"
#define SERIAL(x) "\xff\xfa\x2c" x "\xff\xf0"
#define SEND(host, text)                                                                           \
    assert_int_equal(send(host, text, sizeof(text) - 1, MSG_NOSIGNAL), sizeof(text) - 1)

static int open_port(void **state)
{
    (void)state;
    struct error error = {0};
    memset(&seen, 0, sizeof seen);
    opened =
        rfc2217_link_open(&(struct byte_link_config){.address = "auto", .baud = 115200}, &error);
    return opened != NULL ? 0 : -1;
}

/* A host that has agreed on the serial option and has read the whole answer. */
static int greet(void)
{
    char answer[22];
    int host = host_connect();
    SEND(host, HELLO);
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(host_read(host, answer, sizeof answer), sizeof answer);
    assert_memory_equal(answer + 15, "\xff\xfa\x2c\x6b", 4);
    return host;
}

static void bytes_and_settings_come_in_the_order_of_the_host(void **state)
{
    (void)state;
    int host = greet();
    SEND(host, "a" SERIAL("\x01\x00\x00\xe1\x00") "b\xff\xff" SERIAL("\x05\x09") "c" SERIAL(
                   "\x05\x08") SERIAL("\x05\x05") "d");
    run_until_size(opened, &seen, strlen("+a[57600]b\xff{2}c{3}") + 2);
    assert_int_equal(seen.size, strlen("+a[57600]b\xff{2}c{3}") + 2);
    assert_memory_equal(seen.text, "+a[57600]b\xff{2}c{3}\0d", seen.size); /* the break: a zero */
    assert_int_equal(byte_link_host_settings(opened).baud, 57600);
    assert_int_equal(byte_link_host_settings(opened).mode, 0);
    SEND(host, SERIAL("\x02\x07") SERIAL("\x03\x03") SERIAL("\x04\x02") "e");
    run_until_size(opened, &seen, seen.size + strlen("[57600][57600][57600]e"));
    char text[SERIAL_SETTINGS_TEXT_SIZE];
    assert_string_equal(serial_settings_text(byte_link_host_settings(opened), text),
                        "57600 baud, 7E2, raw");
    close(host);
}

static void a_host_that_asks_for_the_baud_gets_the_robots(void **state)
{
    (void)state;
    char answer[10];
    int host = greet();
    SEND(host, SERIAL("\x01\x00\x00\x00\x00"));
    look(opened, &seen);
    assert_int_equal(host_read(host, answer, sizeof answer), sizeof answer);
    assert_memory_equal(answer, SERIAL("\x65\x00\x01\xc2\x00"), sizeof answer); /* 115200 */
    close(host);
}

static void errors_of_the_line_reach_a_host_that_has_asked(void **state)
{
    (void)state;
    char answer[7];
    int host = greet();
    byte_link_report_errors(opened, SERIAL_FRAMING_ERROR); /* too early */
    SEND(host, SERIAL("\x0a\x0f"));
    look(opened, &seen);
    assert_int_equal(host_read(host, answer, 7), 7);
    assert_memory_equal(answer, SERIAL("\x6e\x0f"), 7);
    byte_link_report_errors(opened, SERIAL_FRAMING_ERROR);
    assert_int_equal(host_read(host, answer, 7), 7);
    assert_memory_equal(answer, SERIAL("\x6a\x08"), 7);
    byte_link_report_errors(opened, 0);
    assert_true(host_hears_nothing(host));
    close(host);
}

static void frames_go_out_whole_with_their_255_doubled(void **state)
{
    (void)state;
    char bytes[8];
    int host = greet();
    assert_true(byte_link_write(opened, "a\xffz", 3));
    assert_int_equal(host_read(host, bytes, 4), 4);
    assert_memory_equal(bytes, "a\xff\xffz", 4);
    assert_int_equal(byte_link_stats(opened)->frames_written, 1);
    close(host);
}

static void a_host_of_bare_bytes_is_heard_and_hears(void **state)
{
    (void)state;
    char bytes[8];
    int host = host_connect();
    SEND(host, "\xaa\xff\xff");
    assert_string_equal(run_until(opened, &seen, "+\xaa\xff\xff"), "+\xaa\xff\xff");
    assert_true(byte_link_write(opened, "a\xffz", 3));
    assert_int_equal(host_read(host, bytes, 3), 3);
    assert_memory_equal(bytes, "a\xffz", 3);
    close(host);
}

static void a_host_that_only_listens_hears_bare_bytes_after_a_while(void **state)
{
    (void)state;
    char bytes[8];
    int host = host_connect();
    look(opened, &seen);
    assert_false(byte_link_host_present(opened)); /* it is not yet known how the host reads */
    assert_false(byte_link_write(opened, "x", 1));
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_true(byte_link_write(opened, "\xff", 1));
    assert_int_equal(host_read(host, bytes, 1), 1);
    assert_true(host_hears_nothing(host));
    SEND(host, HELLO);
    assert_int_equal(byte_link_host_settings(opened).baud, 0);
    for (int i = 0; i < 100 && host_hears_nothing(host); i++)
        look(opened, &seen);
    assert_int_equal(host_read(host, bytes, 3), 3);
    assert_memory_equal(bytes, "\xff\xfb", 2);
    close(host);
    run_until(opened, &seen, "+-");
    assert_string_equal(seen.text, "+-");
}

static void the_robots_lines_are_reported_at_the_start_and_when_they_change(void **state)
{
    (void)state;
    char bytes[8];
    byte_link_set_lines(opened, MODEM_ROBOT_READY);
    int host = greet();
    byte_link_set_lines(opened, MODEM_ROBOT_READY);
    byte_link_set_lines(opened, MODEM_DSR | MODEM_DCD);
    assert_int_equal(host_read(host, bytes, 7), 7);
    assert_memory_equal(bytes, "\xff\xfa\x2c\x6b\xa1\xff\xf0", 7);
    assert_true(host_hears_nothing(host));
    close(host);
}

static void what_a_host_purges_does_not_reach_the_robot(void **state)
{
    (void)state;
    int host = greet();
    SEND(host, "lost" SERIAL("\x0c\x02") "kept");
    assert_string_equal(run_until(opened, &seen, "+kept"), "+kept");
    close(host);
}

static void a_thousand_settings_at_once_all_come(void **state)
{
    (void)state;
    enum { COUNT_OF_BAUDS = 1000 };
    static char bytes[COUNT_OF_BAUDS * 10], expected[COUNT_OF_BAUDS * 8];
    int host = greet();
    for (unsigned i = 0; i < COUNT_OF_BAUDS; i++) {
        unsigned baud = 1000 + i % 200; /* without 255 among their bytes */
        const char request[] = {'\xff',     '\xfa', 44,    1, 0, 0, (char)(baud >> 8),
                                (char)baud, '\xff', '\xf0'};
        baud = baud % 256 == 255 ? 1000 : baud;
        memcpy(bytes + 10 * i, request, 10);
        bytes[10 * i + 6] = (char)(baud >> 8);
        bytes[10 * i + 7] = (char)baud;
        snprintf(expected + strlen(expected), 8, "[%u]", baud);
    }
    assert_int_equal(send(host, bytes, sizeof bytes, 0), sizeof bytes);
    run_until_size(opened, &seen, 1 + strlen(expected));
    assert_string_equal(seen.text + 1, expected);
    close(host);
}

/* Sends requests as long as the link accepts them, and reads no answer. Returns the number of whole
 * requests. */
static uint64_t flood(int host)
{
    static const char request[] = SERIAL("\x00");
    static char requests[1000 * (sizeof request - 1)];
    uint64_t sent = 0;
    for (size_t i = 0; i < sizeof requests; i++)
        requests[i] = request[i % (sizeof request - 1)];
    for (int64_t last_ms = test_now_ms(); test_now_ms() < last_ms + 300;) {
        size_t from = (size_t)(sent % sizeof requests);
        ssize_t taken = send(host, requests + from, sizeof requests - from, MSG_NOSIGNAL);
        sent += taken > 0 ? (uint64_t)taken : 0;
        last_ms = taken > 0 ? test_now_ms() : last_ms;
        look(opened, &seen);
        if (taken <= 0)
            test_pause_ms(5);
    }
    return sent / (sizeof request - 1);
}

/* Answers must not accumulate without limit, and no loop may spin. */
static void a_host_that_asks_and_does_not_read_is_not_heard_until_it_reads(void **state)
{
    (void)state;
    static char bytes[65536];
    uint64_t answered = 0;
    int host = greet();
    enum { GOES = 10 };
    uint64_t expected = flood(host) * (sizeof SERIAL("\x64ptybot") - 1);
    unsigned goes = 0;
    /* The kernel may enlarge its buffers while no bytes are sent, and then accepts some more. */
    while (goes < GOES && byte_link_write(opened, "x", 1)) {
        goes++;
        expected += 1 + flood(host) * (sizeof SERIAL("\x64ptybot") - 1);
    }
    assert_true(goes < GOES);
    assert_false(byte_link_has_news(opened));
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    assert_int_equal(byte_link_fds(opened, fds), 2);
    assert_int_equal(fds[1].events, POLLOUT); /* with POLLIN it would always be ready */
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (answered < expected && test_now_ms() < end_ms) {
        ssize_t size = read(host, bytes, sizeof bytes);
        answered += size > 0 ? (uint64_t)size : 0;
        look(opened, &seen);
    }
    assert_int_equal(answered, expected);
    assert_true(byte_link_write(opened, "x", 1));
    assert_int_equal(host_read(host, bytes, 1), 1);
    close(host);
}

static void a_host_that_asks_does_not_read_and_leaves_has_left(void **state)
{
    (void)state;
    int host = greet();
    flood(host);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 0);
    assert_int_equal(byte_link_stats(opened)->frames_written, 0);
}

static void answers_that_a_pulled_plug_loses_are_no_frames(void **state)
{
    (void)state;
    int host = greet();
    flood(host);
    assert_true(byte_link_is_busy(opened));
    byte_link_unplug(opened);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 0);
    assert_int_equal(byte_link_stats(opened)->frames_written, 0);
    close(host);
}

/* Whether a host gets the port, while the robot reads nothing. */
static bool is_served(int host)
{
    char answer[22];
    SEND(host, HELLO);
    for (int i = 0; i < 20; i++) {
        byte_link_update(opened);
        if (read(host, answer, sizeof answer) > 0)
            return true;
        test_pause_ms(1);
    }
    return false;
}

/* A killed host leaves megabytes on their way: a robot at 115200 baud needs minutes for them. */
static void the_next_host_does_not_wait_for_what_a_closed_one_left(void **state)
{
    (void)state;
    static char bytes[4096];
    int64_t end_ms = test_now_ms() + 300;
    int host = greet();
    memset(bytes, 'x', sizeof bytes);
    for (; test_now_ms() < end_ms; byte_link_update(opened))
        if (send(host, bytes, sizeof bytes, MSG_NOSIGNAL) < 0)
            test_pause_ms(5);
    int other = host_connect();
    assert_false(is_served(other)); // the first host has not closed its end
    close(other);
    close(host);
    host = host_connect();
    for (end_ms = test_now_ms() + TEST_TIMEOUT_MS; !is_served(host); host = host_connect()) {
        assert_true(test_now_ms() < end_ms);
        close(host);
    }
    memset(&seen, 0, sizeof seen);
    assert_string_equal(run_until(opened, &seen, "-+") + seen.size - 2, "-+");
    assert_int_equal(seen.size, 4096 + 2);
    assert_notice("bytes that the robot had not read; only the last 4096 bytes reach it");
    /* Less than that reaches the robot, without a notice. */
    SEND(host, "less");
    close(host);
    memset(&seen, 0, sizeof seen);
    assert_string_equal(run_until(opened, &seen, "less-"), "less-");
    assert_false(byte_link_take_notice(opened, bytes, sizeof bytes));
}

static void nonsense_is_counted_also_of_hosts_that_have_left(void **state)
{
    (void)state;
    char text[256];
    for (unsigned i = 1; i <= 2; i++) {
        memset(&seen, 0, sizeof seen);
        int host = greet();
        SEND(host, "\xff\x01" SERIAL("\x63\x01") "z");
        assert_string_equal(run_until(opened, &seen, "+z"), "+z");
        assert_int_equal(byte_link_stats(opened)->bad_requests, 2 * i);
        close(host);
        assert_string_equal(run_until(opened, &seen, "+z-"), "+z-");
        assert_false(byte_link_take_notice(opened, text, sizeof text));
    }
}

static void a_host_that_has_suspended_gets_nothing_until_it_resumes(void **state)
{
    (void)state;
    char byte = 0;
    int host = greet();
    SEND(host, SERIAL("\x08") "s");
    assert_string_equal(run_until(opened, &seen, "+s"), "+s");
    assert_false(byte_link_write(opened, "x", 1));
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 1);
    SEND(host, SERIAL("\x09") "r");
    assert_string_equal(run_until(opened, &seen, "+sr"), "+sr");
    assert_true(byte_link_write(opened, "y", 1));
    assert_int_equal(host_read(host, &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(host);
}

#define PORT_TEST(name) cmocka_unit_test_setup_teardown(name, open_port, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(bytes_and_settings_come_in_the_order_of_the_host),
        PORT_TEST(a_host_that_asks_for_the_baud_gets_the_robots),
        PORT_TEST(errors_of_the_line_reach_a_host_that_has_asked),
        PORT_TEST(frames_go_out_whole_with_their_255_doubled),
        PORT_TEST(a_host_of_bare_bytes_is_heard_and_hears),
        PORT_TEST(a_host_that_only_listens_hears_bare_bytes_after_a_while),
        PORT_TEST(the_robots_lines_are_reported_at_the_start_and_when_they_change),
        PORT_TEST(what_a_host_purges_does_not_reach_the_robot),
        PORT_TEST(a_thousand_settings_at_once_all_come),
        PORT_TEST(a_host_that_asks_and_does_not_read_is_not_heard_until_it_reads),
        PORT_TEST(a_host_that_asks_does_not_read_and_leaves_has_left),
        PORT_TEST(answers_that_a_pulled_plug_loses_are_no_frames),
        PORT_TEST(the_next_host_does_not_wait_for_what_a_closed_one_left),
        PORT_TEST(nonsense_is_counted_also_of_hosts_that_have_left),
        PORT_TEST(a_host_that_has_suspended_gets_nothing_until_it_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
