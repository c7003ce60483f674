/* The pty link with well-behaved hosts: their presence, the order of bytes and events, and the
 * descriptors of a sleeping set. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

#include <sys/file.h>

static struct byte_link *opened;
static struct transcript seen;

static int set_up(void **state)
{
    (void)state;
    seen.size = 0;
    seen.text[0] = '\0';
    opened = test_link_open("robot");
    return opened != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    byte_link_close(opened);
    test_folder_remove();
    return 0;
}

static int host_arrives(void)
{
    int host = host_open(opened);

    assert_true(host >= 0);
    return host;
}

static int sleeping_set_poll(int timeout_ms)
{
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    nfds_t count = (nfds_t)byte_link_fds(opened, fds);

    assert_true(count > 0);
    return poll(fds, count, timeout_ms);
}

static void a_host_comes_speaks_and_leaves(void **state)
{
    (void)state;
    char bytes[8];

    assert_false(byte_link_host_present(opened));
    assert_int_equal(byte_link_host_settings(opened).baud, 0);
    int host = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_true(byte_link_host_present(opened));
    assert_int_equal(byte_link_host_settings(opened).baud, SERIAL_START_BAUD);

    assert_int_equal(write(host, "ping", 4), 4);
    assert_string_equal(run_until(opened, &seen, "+ping"), "+ping");
    assert_true(byte_link_write(opened, "pong", 4));
    assert_int_equal(host_read(host, bytes, 4), 4);
    assert_memory_equal(bytes, "pong", 4);

    close(host);
    assert_string_equal(run_until(opened, &seen, "+ping-"), "+ping-");
    assert_false(byte_link_host_present(opened));
    const struct byte_link_stats *stats = byte_link_stats(opened);
    assert_int_equal(stats->bytes_in, 4);
    assert_int_equal(stats->bytes_out, 4);
    assert_int_equal(stats->frames_written, 1);
    assert_int_equal(stats->hosts_seen, 1);
}

/* The kernel moves the written bytes to the reader's side gradually. */
static uint64_t unread_becomes(uint64_t wanted)
{
    uint64_t bytes = 0;
    int64_t end_ms = test_now_ms() + 10000;
    do
        assert_true(byte_link_unread(opened, &bytes));
    while (bytes != wanted && test_now_ms() < end_ms);
    return bytes;
}

/* The kernel's worker moves bytes to the reader's side; in virtual time the count includes them. */
static void in_virtual_time_each_unread_byte_is_counted_at_once(void **state)
{
    (void)state;
    char byte;
    uint64_t bytes;
    const pid_t me = getpid();
    int host = host_arrives();
    run_until(opened, &seen, "+");
    for (int i = 0; i < 300; i++) {
        assert_true(byte_link_write(opened, "x", 1));
        if (i > 0) {
            assert_true(byte_link_unread(opened, &bytes));
            assert_int_equal(bytes, 1);
        }
        byte_link_deliver(opened, &me, 1);
        assert_int_equal(host_read(host, &byte, 1), 1);
        assert_true(byte_link_unread(opened, &bytes));
        assert_int_equal(bytes, 0);
    }
    close(host);
}

static void bytes_that_a_host_has_not_read_are_known_and_the_look_is_no_host(void **state)
{
    (void)state;
    static char bytes[10000];
    int host = host_arrives();
    run_until(opened, &seen, "+");
    assert_int_equal(unread_becomes(0), 0);
    assert_true(byte_link_write(opened, bytes, 100));
    assert_int_equal(unread_becomes(100), 100);
    host_read(host, bytes, 40);
    assert_int_equal(unread_becomes(60), 60);
    /* More than the reader's own buffer holds. */
    assert_true(byte_link_write(opened, bytes, sizeof bytes));
    assert_int_equal(unread_becomes(10060), 10060);
    host_read(host, bytes, 9000);
    assert_int_equal(unread_becomes(1060), 1060);
    for (int i = 0; i < 100; i++) {
        uint64_t left;
        assert_true(byte_link_unread(opened, &left));
        look(opened, &seen);
    }
    assert_string_equal(seen.text, "+");
    assert_int_equal(byte_link_stats(opened)->hosts_seen, 1);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(unread_becomes(0), 0);
    host = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
    assert_int_equal(unread_becomes(0), 0);
    close(host);
}

static void a_frame_of_which_a_host_that_leaves_got_a_part_counts_as_dropped(void **state)
{
    (void)state;
    int host = host_arrives();
    run_until(opened, &seen, "+");
    uint64_t wrote = write_until_cut(opened, host);
    assert_int_equal(byte_link_stats(opened)->frames_written, wrote);
    uint64_t dropped = byte_link_stats(opened)->frames_dropped;
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(byte_link_stats(opened)->frames_written, wrote - 1);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, dropped + 1);
}

/* Every byte passes, in both directions, and no further byte comes back. */
static void all_bytes_pass(int host)
{
    char all[256], bytes[256];

    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)i;
    assert_true(byte_link_write(opened, all, sizeof all));
    assert_int_equal(host_read(host, bytes, sizeof bytes), sizeof bytes);
    assert_memory_equal(bytes, all, sizeof all);
    size_t before = seen.size;
    assert_int_equal(write(host, all, sizeof all), sizeof all);
    run_until_size(opened, &seen, before + sizeof all);
    test_pause_ms(10);
    look(opened, &seen);
    assert_int_equal(seen.size, before + sizeof all);
    assert_memory_equal(seen.text + before, all, sizeof all);
}

static void the_device_starts_as_a_serial_port_does_and_yet_changes_no_byte(void **state)
{
    (void)state;
    struct termios mode;
    struct stat found;
    int host = host_arrives();

    assert_int_equal(tcgetattr(host, &mode), 0);
    assert_int_equal(mode.c_lflag & (tcflag_t)(ECHO | ISIG | IEXTEN), ECHO | ISIG | IEXTEN);
    assert_int_equal(mode.c_iflag, ICRNL | IXON);
    assert_int_equal(mode.c_oflag, OPOST);
    assert_int_equal(cfgetospeed(&mode), B9600);
    assert_int_equal(cfgetispeed(&mode), B9600);
    assert_int_equal(fstat(host, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0660);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(byte_link_host_settings(opened).mode, SERIAL_START);
    all_bytes_pass(host);
    close(host);
}

/* The bytes that the host does not read are XOFF characters, which would stop a terminal. */
static void a_host_that_has_not_set_the_port_is_never_stopped(void **state)
{
    (void)state;
    char stops[1024], bytes[64];
    int host = host_arrives();

    memset(stops, 023, sizeof stops);
    run_until(opened, &seen, "+");
    while (byte_link_write(opened, stops, sizeof stops))
        ;
    test_pause_ms(50); /* the kernel looks ahead for XOFF */
    for (int i = 0; i < 10; i++)
        host_read(host, bytes, sizeof bytes);
    test_pause_ms(50);
    assert_int_equal(write(host, "free", 4), 4);
    assert_string_equal(run_until(opened, &seen, "+free"), "+free");
    close(host);
}

static void settle(int host, const struct termios *mode, const char *text)
{
    char found[SERIAL_SETTINGS_TEXT_SIZE];

    assert_int_equal(tcsetattr(host, TCSANOW, mode), 0);
    look(opened, &seen);
    assert_string_equal(serial_settings_text(byte_link_host_settings(opened), found), text);
}

static void all_that_a_host_leaves_as_it_was_is_reported(void **state)
{
    (void)state;
    struct termios start, mode;
    int host = host_arrives();

    assert_int_equal(tcgetattr(host, &start), 0);
    run_until(opened, &seen, "+");
    mode = start;
    cfsetspeed(&mode, B115200);
    settle(host, &mode, "115200 baud, 8N1, not raw (ICANON, ECHO, ISIG, ICRNL, IXON, OPOST)");
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    settle(host, &mode, "115200 baud, 8N1, not raw (ICRNL, IXON, OPOST)");
    mode.c_oflag &= ~(tcflag_t)OPOST;
    mode.c_iflag |= INLCR | IGNCR | ISTRIP | PARMRK | IXOFF;
    settle(host, &mode,
           "115200 baud, 8N1, not raw (ICRNL, INLCR, IGNCR, ISTRIP, PARMRK, IXON, IXOFF)");
    cfmakeraw(&mode);
    mode.c_iflag &= ~(tcflag_t)IXOFF;
    settle(host, &mode, "115200 baud, 8N1, raw");
    all_bytes_pass(host);
    /* A pty loses even parity and other sizes. */
    mode.c_cflag |= CSTOPB;
    settle(host, &mode, "115200 baud, 8N2, raw");
    mode.c_cflag |= PARENB | PARODD;
    settle(host, &mode, "115200 baud, 8O2, raw");
    mode.c_lflag |= ICANON;
    settle(host, &mode, "115200 baud, 8O2, not raw (ICANON)");
    settle(host, &start, "9600 baud, 8N1, not raw (ICANON, ECHO, ISIG, ICRNL, IXON, OPOST)");
    assert_true((byte_link_host_settings(opened).mode & SERIAL_UNSET) != 0);
    close(host);
}

static void what_a_host_puts_back_comes_after_its_bytes(void **state)
{
    (void)state;
    struct byte_link_event event;
    struct termios start, mode;
    char bytes[8];
    int host = host_arrives();

    assert_int_equal(tcgetattr(host, &start), 0);
    mode = start;
    cfmakeraw(&mode);
    cfsetspeed(&mode, B115200);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    run_until(opened, &seen, "+[115200]");
    assert_int_equal(write(host, "x", 1), 1);
    assert_int_equal(tcsetattr(host, TCSANOW, &start), 0);
    byte_link_update(opened);
    assert_int_equal(byte_link_read(opened, bytes, sizeof bytes), 1);
    assert_true(byte_link_next_event(opened, &event));
    assert_int_equal(event.kind, BYTE_LINK_SETTINGS_CHANGED);
    assert_int_equal(event.settings.mode, SERIAL_START);
    close(host);
}

static void what_a_host_has_set_right_stays_for_the_next(void **state)
{
    (void)state;
    static const speed_t speeds[] = {B115200, B57600};
    struct termios mode;

    for (size_t i = 0; i < 2; i++) {
        int host = host_arrives();

        assert_int_equal(tcgetattr(host, &mode), 0);
        cfmakeraw(&mode);
        cfsetspeed(&mode, speeds[i]);
        assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
        close(host);
        while (byte_link_host_present(opened) || byte_link_stats(opened)->hosts_seen <= 2 * i)
            look(opened, &seen);
        host = host_arrives();
        assert_int_equal(tcgetattr(host, &mode), 0);
        assert_int_equal(mode.c_iflag, i == 0 ? 0 : ICRNL | IXON);
        assert_int_equal(cfgetospeed(&mode), i == 0 ? B115200 : B9600);
        while (!byte_link_host_present(opened))
            look(opened, &seen);
        assert_int_equal(byte_link_host_settings(opened).mode, i == 0 ? 0 : SERIAL_START);
        close(host);
        while (byte_link_host_present(opened))
            look(opened, &seen);
    }
}

static void without_a_host_nothing_is_written_nor_counted_as_dropped(void **state)
{
    (void)state;
    assert_false(byte_link_write(opened, "frame", 5));
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 0);
    assert_int_equal(byte_link_stats(opened)->frames_unheard, 1);
    int host = host_arrives();
    assert_true(host_hears_nothing(host));
    close(host);
}

static void all_bytes_of_a_host_come_before_its_leaving(void **state)
{
    (void)state;
    static char bytes[12000];

    int host = host_arrives();
    memset(bytes, 'x', sizeof bytes);
    ssize_t taken = write(host, bytes, sizeof bytes);
    assert_true(taken > 4096); /* more than the line discipline holds */
    close(host);
    run_until_size(opened, &seen, (size_t)taken + 2);
    assert_int_equal(seen.size, taken + 2);
    assert_int_equal(seen.text[0], '+');
    assert_int_equal(strspn(seen.text + 1, "x"), taken);
    assert_string_equal(seen.text + 1 + taken, "-");
}

static void a_host_that_came_and_left_unnoticed_is_reported(void **state)
{
    (void)state;
    close(host_arrives());
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    look(opened, &seen);
    assert_string_equal(seen.text, "+-");
}

static void a_host_stays_while_any_of_its_opens_does(void **state)
{
    (void)state;
    int first = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    int second = host_arrives();
    look(opened, &seen);
    close(first);
    look(opened, &seen);
    int third = host_arrives();
    look(opened, &seen);
    close(second);
    look(opened, &seen);
    assert_string_equal(seen.text, "+");
    close(third);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    assert_int_equal(byte_link_stats(opened)->hosts_seen, 1);
}

static void two_opens_at_once_are_one_host(void **state)
{
    (void)state;
    int first = host_arrives();
    int second = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    close(first);
    for (int i = 0; i < 10; i++) {
        look(opened, &seen);
        test_pause_ms(5);
    }
    assert_string_equal(seen.text, "+");
    close(second);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
}

static void the_next_host_finds_nothing_of_the_last(void **state)
{
    (void)state;
    struct termios mode;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(tcgetattr(host, &mode), 0);
    mode.c_lflag |= ECHO | ICANON;
    cfsetspeed(&mode, B9600);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_true(byte_link_write(opened, "stale\nhalf", 10));
    assert_int_equal(tcflow(host, TCOOFF), 0);
    test_pause_ms(10);
    close(host);
    while (byte_link_host_present(opened))
        look(opened, &seen);

    host = host_arrives();
    assert_true(host_hears_nothing(host));
    assert_int_equal(tcgetattr(host, &mode), 0);
    assert_int_equal(mode.c_lflag & (tcflag_t)ICANON, 0);
    assert_int_equal(cfgetospeed(&mode), B9600);
    assert_int_equal(write(host, "b", 1), 1);
    size_t before = seen.size;
    run_until_size(opened, &seen, before + 2);
    assert_string_equal(seen.text + before, "+b");
    close(host);
}

static void a_change_of_hosts_between_two_looks_is_reported_and_leaves_nothing_stale(void **state)
{
    (void)state;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_true(byte_link_write(opened, "stale", 5));
    close(host);
    host = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
    assert_true(host_hears_nothing(host));
    assert_true(byte_link_write(opened, "fresh", 5));
    char bytes[5];
    assert_int_equal(host_read(host, bytes, 5), 5);
    assert_memory_equal(bytes, "fresh", 5);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-+-"), "+-+-");
}

static void a_frame_never_reaches_the_next_host_before_its_coming_is_known(void **state)
{
    (void)state;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_true(byte_link_write(opened, "stale", 5));
    close(host);
    host = host_arrives();
    /* No update in between: the write itself must detect the change. */
    assert_true(byte_link_write(opened, "fresh", 5));
    char bytes[5];
    assert_int_equal(host_read(host, bytes, 5), 5);
    assert_memory_equal(bytes, "fresh", 5);
    close(host);
}

static void bytes_go_to_the_host_that_wrote_them_when_that_can_be_known(void **state)
{
    (void)state;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(write(host, "old", 3), 3);
    close(host);
    host = host_arrives();
    assert_string_equal(run_until(opened, &seen, "+old-+"), "+old-+");
    close(host);
    host = host_arrives();
    assert_int_equal(write(host, "new", 3), 3);
    assert_string_equal(run_until(opened, &seen, "+old-+-+new"), "+old-+-+new");
    close(host);
    assert_string_equal(run_until(opened, &seen, "+old-+-+new-"), "+old-+-+new-");
}

static void a_visit_between_two_looks_loses_no_byte(void **state)
{
    (void)state;
    close(host_arrives());
    int host = host_arrives();
    assert_int_equal(write(host, "command", 7), 7);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-+command-"), "+-+command-");
}

static void the_sleeping_set_wakes_for_a_host_and_sleeps_without_one(void **state)
{
    (void)state;
    assert_int_equal(sleeping_set_poll(30), 0);
    int host = host_arrives();
    assert_true(sleeping_set_poll(TEST_TIMEOUT_MS) > 0);
    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(sleeping_set_poll(30), 0);
    assert_int_equal(write(host, "x", 1), 1);
    assert_true(sleeping_set_poll(TEST_TIMEOUT_MS) > 0);
    assert_string_equal(run_until(opened, &seen, "+x"), "+x");
    assert_int_equal(sleeping_set_poll(30), 0);
    close(host);
    assert_true(sleeping_set_poll(TEST_TIMEOUT_MS) > 0);
    assert_string_equal(run_until(opened, &seen, "+x-"), "+x-");
    look(opened, &seen);
    assert_int_equal(sleeping_set_poll(30), 0);
}

static void the_baud_that_a_host_sets_is_reported_before_its_next_bytes(void **state)
{
    (void)state;
    struct termios mode;
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(tcgetattr(host, &mode), 0);
    cfsetspeed(&mode, B57600);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_int_equal(write(host, "x", 1), 1);
    assert_string_equal(run_until(opened, &seen, "+[57600]x"), "+[57600]x");
    assert_int_equal(byte_link_host_settings(opened).baud, 57600);

    /* Silently, without a byte. */
    cfsetspeed(&mode, B1000000);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_string_equal(run_until(opened, &seen, "+[57600]x[1000000]"), "+[57600]x[1000000]");
    close(host);
    assert_string_equal(run_until(opened, &seen, "+[57600]x[1000000]-"), "+[57600]x[1000000]-");
    assert_int_equal(byte_link_host_settings(opened).baud, 0);
}

static void hosts_may_lock_the_device(void **state)
{
    (void)state;
    struct flock region = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int host = host_arrives();

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(fcntl(host, F_SETLK, &region), 0);
    assert_int_equal(flock(host, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(ioctl(host, TIOCEXCL), 0);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_host_comes_speaks_and_leaves),
        CASE(in_virtual_time_each_unread_byte_is_counted_at_once),
        CASE(bytes_that_a_host_has_not_read_are_known_and_the_look_is_no_host),
        CASE(a_frame_of_which_a_host_that_leaves_got_a_part_counts_as_dropped),
        CASE(the_device_starts_as_a_serial_port_does_and_yet_changes_no_byte),
        CASE(a_host_that_has_not_set_the_port_is_never_stopped),
        CASE(all_that_a_host_leaves_as_it_was_is_reported),
        CASE(what_a_host_puts_back_comes_after_its_bytes),
        CASE(what_a_host_has_set_right_stays_for_the_next),
        CASE(without_a_host_nothing_is_written_nor_counted_as_dropped),
        CASE(all_bytes_of_a_host_come_before_its_leaving),
        CASE(a_host_that_came_and_left_unnoticed_is_reported),
        CASE(a_host_stays_while_any_of_its_opens_does),
        CASE(two_opens_at_once_are_one_host),
        CASE(the_next_host_finds_nothing_of_the_last),
        CASE(a_change_of_hosts_between_two_looks_is_reported_and_leaves_nothing_stale),
        CASE(a_frame_never_reaches_the_next_host_before_its_coming_is_known),
        CASE(bytes_go_to_the_host_that_wrote_them_when_that_can_be_known),
        CASE(a_visit_between_two_looks_loses_no_byte),
        CASE(the_sleeping_set_wakes_for_a_host_and_sleeps_without_one),
        CASE(the_baud_that_a_host_sets_is_reported_before_its_next_bytes),
        CASE(hosts_may_lock_the_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
