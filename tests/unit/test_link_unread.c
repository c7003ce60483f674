/* Bytes that a host does not read, on every kind of link. The link keeps them if it keeps unread
 * frames, reports them, sends them in order, and drops them when the host leaves. */
#define _GNU_SOURCE
#include "tests/unit/test_tcp_support.h"

enum { FRAME = 4000, FRAMES = 4096, BIG = 16 * 1024 * 1024 };

static int host;
static uint64_t accepted, said; /* accepted bytes, and the frames that contain them */

static int begin(void)
{
    if (opened == NULL)
        return -1;
    byte_link_set_unread_kept(opened, true);
    accepted = said = 0;
    host = -1;
    return 0;
}

static int tcp_up(void **state)
{
    return set_up(state) != 0 ? -1 : begin();
}

static int pty_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    opened = test_link_open("unread");
    return begin();
}

static int down(void **state)
{
    if (host >= 0)
        close(host);
    tear_down(state);
    test_folder_remove();
    return 0;
}

static void host_comes(void)
{
    if (byte_link_name(opened)[0] != '/') {
        host = host_connect();
    } else {
        struct termios mode;
        host = host_open(opened);
        assert_int_equal(tcgetattr(host, &mode), 0);
        cfmakeraw(&mode);
        assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    }
    run_until(opened, &seen, "+");
    assert_true(byte_link_host_present(opened));
}

/* Byte AT of the robot's whole output. */
static uint8_t pattern(uint64_t at)
{
    return (uint8_t)(at * 7 + at / 251);
}

static bool say(size_t size)
{
    static uint8_t bytes[BYTE_LINK_FRAME_MAX];
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(accepted + i);
    bool is_taken = byte_link_write(opened, bytes, size);
    accepted += is_taken ? size : 0;
    said += is_taken;
    return is_taken;
}

/* Sends until the kernel accepts no more bytes. */
static void say_until_busy(void)
{
    for (size_t i = 0; i < BIG / FRAME && !byte_link_is_busy(opened); i++)
        assert_true(say(FRAME));
    assert_true(byte_link_is_busy(opened));
}

static uint64_t unread(void)
{
    uint64_t bytes;
    assert_true(byte_link_unread(opened, &bytes));
    return bytes;
}

/* Reads as the host and updates the link until SIZE more bytes have come, unchanged. */
static void hear(uint64_t from, uint64_t size)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    for (uint64_t at = from; at < from + size && test_now_ms() < end_ms;) {
        uint8_t bytes[1000];
        uint64_t left = from + size - at;
        ssize_t got = read(host, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes);
        for (ssize_t i = 0; i < got; i++)
            assert_int_equal(bytes[i], pattern(at + (uint64_t)i));
        at += got > 0 ? (uint64_t)got : 0;
        byte_link_update(opened);
        if (at == from + size)
            return;
    }
    fail_msg("%llu bytes did not come", (unsigned long long)size);
}

static bool wants_out(void)
{
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    size_t count = byte_link_fds(opened, fds);
    bool is_out = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(fds[i].fd >= 0);
        is_out = is_out || (fds[i].events & POLLOUT);
    }
    return is_out;
}

static void all_that_was_accepted_comes_in_its_order(void **state)
{
    (void)state;
    host_comes();
    assert_false(byte_link_is_busy(opened));
    assert_false(wants_out());
    say_until_busy();
    assert_true(wants_out());
    uint64_t before = accepted;
    assert_true(say(300)); /* kept behind the rest of the previous frame */
    hear(0, before / 2);
    assert_true(say(200)); /* kept behind a rest that was partly sent */
    assert_true(say(100));
    hear(before / 2, accepted - before / 2);
    byte_link_update(opened);
    /* The same with a rest that needs many writes. */
    uint64_t from = accepted;
    say_until_busy();
    for (int i = 0; i < 10; i++)
        assert_true(say(FRAME));
    for (; byte_link_is_busy(opened); from += FRAME) {
        hear(from, FRAME);
        assert_true(say(50));
    }
    hear(from, accepted - from);
    byte_link_update(opened);
    assert_false(byte_link_is_busy(opened));
    assert_false(wants_out());
    const struct byte_link_stats *stats = byte_link_stats(opened);
    assert_int_equal(stats->bytes_out, accepted);
    assert_int_equal(stats->frames_written, said);
    assert_int_equal(stats->frames_dropped, 0);
}

static void what_has_no_room_is_dropped_whole(void **state)
{
    (void)state;
    host_comes();
    say_until_busy();
    while (say(FRAME))
        continue;
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 1);
    hear(0, accepted);
    assert_true(say(10));
    hear(accepted - 10, 10);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 1);
}

static void an_impatient_link_keeps_the_rest_of_a_frame_and_nothing_more(void **state)
{
    (void)state;
    byte_link_set_unread_kept(opened, false);
    host_comes();
    say_until_busy();
    /* The kernel frees its buffer gradually. */
    for (bool is_taken = true; is_taken;) {
        bool was_busy = byte_link_is_busy(opened);
        is_taken = say(1);
        assert_false(is_taken && was_busy && byte_link_is_busy(opened));
    }
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 1);
    hear(0, accepted);
    assert_true(say(1));
}

static void the_unread_are_reported_with_what_is_kept(void **state)
{
    (void)state;
    uint64_t bytes = 7;
    assert_true(byte_link_unread(opened, &bytes)); /* there is no host to read */
    assert_int_equal(bytes, 0);
    host_comes();
    assert_int_equal(unread(), 0);
    say_until_busy();
    uint64_t full = unread();
    assert_in_range(full, 1, accepted);
    for (int i = 0; i < 4; i++)
        assert_true(say(FRAME));
    /* The host's kernel accepts bytes while it has room, and tcp does not report these. */
    bool is_exact = byte_link_name(opened)[0] == '/';
    assert_in_range(unread(), is_exact ? full + 4 * FRAME : 1, full + 4 * FRAME);
    hear(0, accepted);
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (unread() > 0 && test_now_ms() < end_ms) /* a pty's kernel may need a moment */
        test_pause_ms(1);
    assert_int_equal(unread(), 0);
}

/* A frame that is still completely unsent is lost with the host. The next host receives from the
 * start of a frame. */
static void what_was_kept_goes_with_its_host(void **state)
{
    (void)state;
    uint8_t bytes[16];
    host_comes();
    say_until_busy();
    assert_true(say(FRAME));
    const struct byte_link_stats *stats = byte_link_stats(opened);
    uint64_t frames = stats->frames_written;
    close(host);
    run_until(opened, &seen, "+-");
    assert_int_equal(stats->frames_dropped, 1);
    assert_int_equal(stats->frames_written, frames - 1);
    assert_false(byte_link_host_present(opened));
    assert_false(byte_link_is_busy(opened));
    assert_false(byte_link_write(opened, "unheard", 7));
    assert_int_equal(byte_link_stats(opened)->frames_unheard, 1);
    host_comes();
    assert_true(byte_link_write(opened, "fresh", 5));
    assert_int_equal(host_read(host, bytes, 5), 5);
    assert_memory_equal(bytes, "fresh", 5);
    assert_true(host_hears_nothing(host));
}

#define TCP(name)                                                                                  \
    {                                                                                              \
#name "_tcp", name, tcp_up, down, NULL                                                     \
    }
#define PTY(name)                                                                                  \
    {                                                                                              \
#name "_pty", name, pty_up, down, NULL                                                     \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TCP(all_that_was_accepted_comes_in_its_order),
        PTY(all_that_was_accepted_comes_in_its_order),
        TCP(what_has_no_room_is_dropped_whole),
        PTY(what_has_no_room_is_dropped_whole),
        TCP(an_impatient_link_keeps_the_rest_of_a_frame_and_nothing_more),
        PTY(an_impatient_link_keeps_the_rest_of_a_frame_and_nothing_more),
        TCP(the_unread_are_reported_with_what_is_kept),
        PTY(the_unread_are_reported_with_what_is_kept),
        TCP(what_was_kept_goes_with_its_host),
        PTY(what_was_kept_goes_with_its_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
