/* The TCP link and hosts that vanish, or that are only silent. It takes seconds to distinguish
 * them. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <netinet/tcp.h>

#include "tests/unit/test_tcp_support.h"

/* From here on the kernel discards all packets to this socket, so it acknowledges nothing. For the
 * other end this is as if the machine had lost its power. */
static void vanish(int host)
{
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = 1, .filter = &drop};

    int refused = setsockopt(host, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
    if (refused != 0 && errno == EPERM) {
        print_message("SKIPPED: this machine lets only root filter sockets\n");
        skip();
    }
    assert_int_equal(refused, 0);
}

static void a_silent_host_that_vanishes_is_found(void **state)
{
    (void)state;
    int host = host_connect();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    vanish(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    close(host);
}

static void a_host_that_vanishes_while_the_robot_talks_is_found(void **state)
{
    (void)state;
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    int host = host_connect();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    vanish(host);
    while (byte_link_host_present(opened) && test_now_ms() < end_ms) {
        byte_link_write(opened, "frame", 5);
        test_pause_ms(20);
        look(opened, &seen);
    }
    assert_string_equal(seen.text, "+-");
    assert_notice("disconnected without closing");
    /* The next host is accepted, also while the first one still believes that it is connected. */
    int next = host_connect();
    assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
    close(next);
    close(host);
}

/* Frames of 1000 equal letters, from a to z in turn. */
static unsigned write_frames(unsigned count)
{
    unsigned taken = 0;
    char frame[1000];

    for (unsigned i = 0; i < count; i++) {
        memset(frame, 'a' + (int)(taken % 26), sizeof frame);
        taken += byte_link_write(opened, frame, sizeof frame);
    }
    return taken;
}

static void a_host_that_does_not_read_costs_whole_frames_and_is_not_hung_up(void **state)
{
    (void)state;
    static char all[32 << 20];
    int host = host_connect();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    unsigned taken = write_frames(20000);
    assert_true(taken < 20000);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 20000 - taken);

    /* Longer than the link would wait for a vanished host. */
    int64_t end_ms = test_now_ms() + TCP_LINK_SILENCE_MS + 3000;
    while (test_now_ms() < end_ms) {
        look(opened, &seen);
        byte_link_write(opened, "never", 5);
        test_pause_ms(50);
    }
    assert_string_equal(seen.text, "+");

    size_t wanted = (size_t)taken * 1000, size = 0;
    while (size < wanted) {
        byte_link_update(opened); /* sends the rest of a frame */
        ssize_t got = recv(host, all + size, wanted - size, 0);
        if (got < 0 && errno == EAGAIN)
            test_pause_ms(1);
        else
            assert_true(got > 0);
        size += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; i < wanted; i++)
        if (all[i] != (char)('a' + i / 1000 % 26))
            fail_msg("byte %zu of frame %zu is wrong", i % 1000, i / 1000);
    close(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_silent_host_that_vanishes_is_found),
        TEST(a_host_that_vanishes_while_the_robot_talks_is_found),
        TEST(a_host_that_does_not_read_costs_whole_frames_and_is_not_hung_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
