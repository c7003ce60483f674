/* The TCP link over real sockets: one host at a time, and servers that are unplugged. */
#define _GNU_SOURCE
#include <errno.h>

#include <netinet/tcp.h>

#include "tests/unit/test_tcp_support.h"

/* Waits for the end of the connection. Returns its errno; 0: it was closed properly. */
static int host_await_end(int host)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    char bytes[4096];

    while (test_now_ms() < end_ms) {
        struct pollfd ready = {.fd = host, .events = POLLIN};
        byte_link_update(opened);
        transcript_take(opened, &seen);
        if (poll(&ready, 1, 20) <= 0)
            continue;
        ssize_t size = recv(host, bytes, sizeof bytes, 0);
        if (size == 0 || (size < 0 && errno != EAGAIN))
            return size == 0 ? 0 : errno;
    }
    fail_msg("the connection does not end");
    return -1;
}

static void a_host_comes_talks_both_ways_and_leaves(void **state)
{
    (void)state;
    char bytes[16];
    int host = host_connect();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_true(byte_link_host_present(opened));
    assert_int_equal(send(host, "hello", 5, 0), 5);
    assert_string_equal(run_until(opened, &seen, "+hello"), "+hello");
    assert_true(byte_link_write(opened, "robot", 5));
    assert_int_equal(host_read(host, bytes, 5), 5);
    assert_memory_equal(bytes, "robot", 5);
    assert_int_equal(send(host, "bye", 3, 0), 3);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+hellobye-"), "+hellobye-");
    assert_false(byte_link_host_present(opened));
    assert_false(byte_link_write(opened, "x", 1));
    assert_int_equal(byte_link_stats(opened)->frames_unheard, 1);
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(fd, level, name, &value, &size), 0);
    return value;
}

/* A connection has the options of its listener. */
static void the_listener_has_what_finds_a_vanished_host_and_does_not_hold_bytes_back(void **state)
{
    (void)state;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    assert_int_equal(byte_link_fds(opened, fds), 1);
    assert_int_equal(fds[0].events, POLLIN);
    int listener = fds[0].fd;
    assert_int_equal(option(listener, SOL_SOCKET, SO_ACCEPTCONN), 1);
    assert_int_equal(option(listener, SOL_SOCKET, SO_REUSEADDR), 1);
    assert_int_equal(option(listener, SOL_SOCKET, SO_KEEPALIVE), 1);
    assert_int_equal(option(listener, IPPROTO_TCP, TCP_NODELAY), 1);
    assert_int_equal(1000 * (option(listener, IPPROTO_TCP, TCP_KEEPIDLE) +
                             option(listener, IPPROTO_TCP, TCP_KEEPINTVL) *
                                 option(listener, IPPROTO_TCP, TCP_KEEPCNT)),
                     TCP_LINK_SILENCE_MS);
    assert_int_equal(option(listener, SOL_SOCKET, SO_SNDBUF), 2 * 65536); /* Linux doubles it */
}

static void a_second_host_is_turned_away_and_the_first_does_not_notice(void **state)
{
    (void)state;
    char bytes[16];
    int first = host_connect();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    int second = host_connect();
    send(second, "stale", 5, MSG_NOSIGNAL);
    assert_int_equal(host_await_end(second), ECONNRESET);
    assert_int_equal(byte_link_stats(opened)->hosts_refused, 1);
    assert_notice("was rejected");
    close(second);
    /* Also a client that sends nothing is rejected; one notice is enough. */
    second = host_connect();
    assert_int_equal(host_await_end(second), ECONNRESET);
    assert_int_equal(byte_link_stats(opened)->hosts_refused, 2);
    assert_false(byte_link_take_notice(opened, bytes, sizeof bytes));
    close(second);

    assert_int_equal(send(first, "a", 1, 0), 1);
    assert_string_equal(run_until(opened, &seen, "+a"), "+a");
    assert_true(byte_link_write(opened, "b", 1));
    assert_int_equal(host_read(first, bytes, 1), 1);
    close(first);
    assert_string_equal(run_until(opened, &seen, "+a-"), "+a-");
    int third = host_connect();
    assert_string_equal(run_until(opened, &seen, "+a-+"), "+a-+");
    second = host_connect();
    assert_int_equal(host_await_end(second), ECONNRESET);
    assert_notice("was rejected"); /* once for each host that has the port */
    close(second);
    assert_true(byte_link_write(opened, "c", 1));
    assert_int_equal(host_read(third, bytes, 1), 1);
    assert_int_equal(bytes[0], 'c'); /* no byte of the rejected host */
    close(third);
}

static void a_frame_of_which_a_host_that_leaves_got_a_part_counts_as_dropped(void **state)
{
    (void)state;
    int host = host_connect();
    run_until(opened, &seen, "+");
    uint64_t wrote = write_until_cut(opened, host);
    const struct byte_link_stats before = *byte_link_stats(opened);
    assert_int_equal(before.frames_written, wrote);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(byte_link_stats(opened)->frames_written, wrote - 1);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, before.frames_dropped + 1);
}

static void a_host_that_returns_at_once_is_not_taken_for_a_second_one(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        int host = host_connect();
        memset(&seen, 0, sizeof seen);
        run_until(opened, &seen, "+");
        close(host);
        host = host_connect();
        assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
        close(host);
        run_until(opened, &seen, "+-+-");
    }
    assert_int_equal(byte_link_stats(opened)->hosts_refused, 0);
}

static void a_large_frame_arrives_whole(void **state)
{
    (void)state;
    static char frame[BYTE_LINK_FRAME_MAX], got[BYTE_LINK_FRAME_MAX];
    int host = host_connect();

    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (char)(i * 7 + i / 251);
    run_until(opened, &seen, "+");
    assert_true(byte_link_write(opened, frame, sizeof frame));
    size_t size = 0;
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (size < sizeof got && test_now_ms() < end_ms) {
        byte_link_update(opened);
        ssize_t some = recv(host, got + size, sizeof got - size, 0);
        size += some > 0 ? (size_t)some : 0;
    }
    assert_memory_equal(got, frame, sizeof frame);
    close(host);
}

static void a_pulled_plug_hangs_up_and_refuses_until_it_is_back(void **state)
{
    (void)state;
    struct error error = {0};
    unsigned port = port_of(opened);
    int host = host_connect();

    run_until(opened, &seen, "+");
    byte_link_unplug(opened);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(host_await_end(host), 0);
    close(host);
    assert_int_equal(host_connect_to(port), -1);
    assert_int_equal(errno, ECONNREFUSED);

    assert_true(byte_link_replug(opened, &error));
    assert_int_equal(port_of(opened), port);
    host = host_connect();
    assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
    close(host);
}

/* Replaces the link of the other tests by the link of a robot that is a server. */
static void open_server(void)
{
    struct error error = {0};

    byte_link_close(opened);
    opened =
        tcp_link_open(&(struct byte_link_config){.address = "auto", .is_server = true}, &error);
    assert_non_null(opened);
}

static void a_server_that_is_away_refuses_nobody_and_hears_who_waits_when_it_is_back(void **state)
{
    (void)state;
    struct error error = {0};
    struct pollfd fds[BYTE_LINK_FDS_MAX];

    open_server();
    assert_int_equal(byte_link_fds(opened, fds), 1);
    int listener = fds[0].fd;
    int host = host_connect();
    run_until(opened, &seen, "+");
    /* Other hosts wait: the link does not poll the listener. */
    assert_int_equal(byte_link_fds(opened, fds), 1);
    assert_int_not_equal(fds[0].fd, listener);
    byte_link_unplug(opened);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(host_await_end(host), 0);
    close(host);

    host = host_connect();
    assert_int_equal(send(host, "call", 4, 0), 4);
    /* The link sleeps and reads nothing: the call of the host waits. */
    assert_int_equal(byte_link_fds(opened, fds), 0);
    for (int i = 0; i < 20; i++) {
        test_pause_ms(1);
        look(opened, &seen);
    }
    assert_string_equal(seen.text, "+-");
    assert_true(byte_link_replug(opened, &error));
    assert_string_equal(run_until(opened, &seen, "+-+call"), "+-+call");
    close(host);
    assert_int_equal(byte_link_stats(opened)->hosts_refused, 0);
}

/* As with the e-puck2: two hosts can connect before the robot looks. */
static void hosts_of_a_server_wait_for_their_turn(void **state)
{
    (void)state;
    open_server();
    int first = host_connect(), second = host_connect();
    assert_int_equal(send(second, "mine", 4, 0), 4);
    run_until(opened, &seen, "+");
    look(opened, &seen);
    assert_string_equal(seen.text, "+");
    close(first);
    assert_string_equal(run_until(opened, &seen, "+-+mine"), "+-+mine");
    assert_int_equal(byte_link_stats(opened)->hosts_refused, 0);
    close(second);
}

static void what_a_host_said_to_a_server_that_was_away_dies_with_it(void **state)
{
    (void)state;
    struct error error = {0};

    open_server();
    byte_link_unplug(opened);
    int gone = host_connect();
    assert_int_equal(send(gone, "stale", 5, 0), 5);
    close(gone);
    int host = host_connect();
    assert_int_equal(send(host, "fresh", 5, 0), 5);
    assert_true(byte_link_replug(opened, &error));
    assert_string_equal(run_until(opened, &seen, "+fresh"), "+fresh");
    close(host);
    run_until(opened, &seen, "+fresh-");

    /* While the server is plugged in, even the shortest visit counts. */
    host = host_connect();
    assert_int_equal(send(host, "stop", 4, 0), 4);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+fresh-+stop-"), "+fresh-+stop-");
}

static void the_descriptors_sleep_while_nothing_happens(void **state)
{
    (void)state;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    int host = host_connect();

    run_until(opened, &seen, "+");
    nfds_t count = (nfds_t)byte_link_fds(opened, fds);
    assert_int_equal(count, 2);
    assert_int_equal(poll(fds, count, 50), 0);
    close(host);
    run_until(opened, &seen, "+-");
    count = (nfds_t)byte_link_fds(opened, fds);
    assert_int_equal(poll(fds, count, 50), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_host_comes_talks_both_ways_and_leaves),
        TEST(the_listener_has_what_finds_a_vanished_host_and_does_not_hold_bytes_back),
        TEST(a_second_host_is_turned_away_and_the_first_does_not_notice),
        TEST(a_frame_of_which_a_host_that_leaves_got_a_part_counts_as_dropped),
        TEST(a_host_that_returns_at_once_is_not_taken_for_a_second_one),
        TEST(a_large_frame_arrives_whole),
        TEST(a_pulled_plug_hangs_up_and_refuses_until_it_is_back),
        TEST(a_server_that_is_away_refuses_nobody_and_hears_who_waits_when_it_is_back),
        TEST(hosts_of_a_server_wait_for_their_turn),
        TEST(what_a_host_said_to_a_server_that_was_away_dies_with_it),
        TEST(the_descriptors_sleep_while_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
