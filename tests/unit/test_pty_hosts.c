/* The pty link with hosts that misbehave: deaf, paused, killed, leaving the device locked or in a
 * mess. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_support.h"

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

enum { FRAME_SIZE = 97 }; /* chosen: divides no buffer of the kernel, so that frames get cut */

static void frame_fill(unsigned char frame[FRAME_SIZE], unsigned number)
{
    memset(frame, (int)(number % 251), FRAME_SIZE);
    frame[0] = 0xfe;
    frame[1] = (unsigned char)(number >> 8);
    frame[2] = (unsigned char)number;
}

/* Sends frames until `drops` of them were dropped; marks those taken. Returns how many were tried.
 */
static unsigned send_until_dropped(bool is_taken[], unsigned first, unsigned drops)
{
    unsigned number = first;

    for (unsigned dropped = 0; dropped < drops; number++) {
        unsigned char frame[FRAME_SIZE];

        frame_fill(frame, number);
        is_taken[number] = byte_link_write(opened, frame, sizeof frame);
        dropped += is_taken[number] ? 0 : 1;
    }
    return number;
}

static void assert_only_whole_frames(int host, const bool is_taken[], unsigned count)
{
    for (unsigned number = 0; number < count; number++) {
        unsigned char frame[FRAME_SIZE], expected[FRAME_SIZE];

        if (!is_taken[number])
            continue;
        frame_fill(expected, number);
        size_t got = 0;
        while (got < FRAME_SIZE) {
            /* The link sends the rest of a cut frame while the host reads. */
            byte_link_update(opened);
            size_t piece = host_read(host, frame + got, 1);
            assert_int_equal(piece, 1);
            got += piece;
        }
        assert_memory_equal(frame, expected, FRAME_SIZE);
    }
    assert_true(host_hears_nothing(host));
}

static void a_deaf_host_costs_whole_frames_and_never_a_stall(void **state)
{
    (void)state;
    static bool is_taken[65536];
    int host = host_open(opened);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    unsigned count = send_until_dropped(is_taken, 0, 50);
    assert_int_equal(byte_link_stats(opened)->frames_dropped, 50);
    assert_int_equal(byte_link_stats(opened)->frames_written, count - 50);

    /* The host reads a little, stops again, and finally reads everything. */
    unsigned char first[FRAME_SIZE];
    assert_int_equal(host_read(host, first, sizeof first), sizeof first);
    is_taken[0] = false;
    test_pause_ms(5);
    count = send_until_dropped(is_taken, count, 50);
    assert_only_whole_frames(host, is_taken, count);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
}

static void a_cut_frame_lets_the_set_sleep_until_the_host_reads(void **state)
{
    (void)state;
    static bool is_taken[65536];
    static unsigned char bytes[65536];
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    int host = host_open(opened);
    unsigned count = 0;
    uint64_t whole;

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    /* Fills the buffer until it stays full, with a part of a frame left over. */
    for (;;) {
        assert_true(test_now_ms() < end_ms);
        count = send_until_dropped(is_taken, count, 1);
        whole = byte_link_stats(opened)->frames_written * FRAME_SIZE;
        if (poll(fds, (nfds_t)byte_link_fds(opened, fds), 30) == 0) {
            if (byte_link_stats(opened)->bytes_out < whole)
                break;
            assert_int_equal(host_read(host, bytes, 10), 10);
        }
    }

    nfds_t fd_count = (nfds_t)byte_link_fds(opened, fds);
    assert_int_equal(host_read(host, bytes, 8192), 8192);
    assert_true(poll(fds, fd_count, TEST_TIMEOUT_MS) > 0);
    while (byte_link_stats(opened)->bytes_out < whole && test_now_ms() < end_ms)
        byte_link_update(opened);
    assert_int_equal(byte_link_stats(opened)->bytes_out, whole);
    close(host);
}

static void a_full_device_is_empty_for_the_next_host(void **state)
{
    (void)state;
    static bool is_taken[65536];
    int host = host_open(opened);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    send_until_dropped(is_taken, 0, 1);
    close(host);
    host = host_open(opened);
    assert_string_equal(run_until(opened, &seen, "+-+"), "+-+");
    assert_true(host_hears_nothing(host));

    send_until_dropped(is_taken, 0, 1);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-+-"), "+-+-");
    host = host_open(opened);
    assert_string_equal(run_until(opened, &seen, "+-+-+"), "+-+-+");
    assert_true(host_hears_nothing(host));
    close(host);
}

static void open_and_write(const char *path)
{
    int host = open(path, O_RDWR | O_NOCTTY);

    if (host < 0 || write(host, "here", 4) != 4)
        _exit(1);
}

static void a_paused_host_that_resumes_reads_whole_frames_in_order(void **state)
{
    (void)state;
    static bool is_taken[65536];
    int status = -1;

    pid_t pid = fork();
    if (pid == 0) {
        unsigned char frame[FRAME_SIZE];
        int host = open(byte_link_name(opened), O_RDWR | O_NOCTTY);

        if (host < 0 || write(host, "here", 4) != 4)
            _exit(1);
        raise(SIGSTOP);
        for (unsigned last = 0;; last = (unsigned)frame[1] << 8 | frame[2]) {
            unsigned char expected[FRAME_SIZE];

            if (host_read(host, frame, FRAME_SIZE) != FRAME_SIZE)
                _exit(2);
            unsigned number = (unsigned)frame[1] << 8 | frame[2];
            frame_fill(expected, number);
            if (memcmp(frame, expected, FRAME_SIZE) != 0 || (number > 0 && number <= last))
                _exit(3);
            if (number == 60000)
                _exit(0);
        }
    }
    assert_string_equal(run_until(opened, &seen, "+here"), "+here");
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    unsigned count = send_until_dropped(is_taken, 0, 200);
    assert_true(count < 60000);
    kill(pid, SIGCONT);

    unsigned char final[FRAME_SIZE];
    frame_fill(final, 60000);
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    while (!byte_link_write(opened, final, sizeof final) && test_now_ms() < end_ms)
        test_pause_ms(1);
    run_until(opened, &seen, "+here-");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_host_killed_in_the_middle_of_a_packet_leaves_its_bytes_and_no_others(void **state)
{
    (void)state;
    pid_t pid = host_start(open_and_write, byte_link_name(opened));

    assert_true(pid > 0);
    assert_string_equal(run_until(opened, &seen, "+here"), "+here");
    assert_true(byte_link_write(opened, "never read", 10));
    host_end(pid, SIGKILL);
    assert_string_equal(run_until(opened, &seen, "+here-"), "+here-");

    int host = host_open(opened);
    assert_true(host_hears_nothing(host));
    assert_int_equal(write(host, "next", 4), 4);
    assert_string_equal(run_until(opened, &seen, "+here-+next"), "+here-+next");
    close(host);
}

static void a_host_is_there_until_the_last_process_is_gone(void **state)
{
    (void)state;
    pid_t first = host_start(open_and_write, byte_link_name(opened));
    assert_true(first > 0);
    assert_string_equal(run_until(opened, &seen, "+here"), "+here");
    pid_t second = host_start(open_and_write, byte_link_name(opened));
    assert_true(second > 0);
    assert_string_equal(run_until(opened, &seen, "+herehere"), "+herehere");
    host_end(first, SIGKILL);
    for (int i = 0; i < 10; i++)
        look(opened, &seen);
    assert_true(byte_link_host_present(opened));
    host_end(second, SIGKILL);
    assert_string_equal(run_until(opened, &seen, "+herehere-"), "+herehere-");
}

/* Its exit hangs up the terminal. Linux then restores the terminal's first mode, which echoes. */
static void a_session_leader_leaves_no_echo(void **state)
{
    (void)state;
    pid_t pid = fork();

    if (pid == 0) {
        setsid();
        int host = open(byte_link_name(opened), O_RDWR);
        _exit(host >= 0 && ioctl(host, TIOCSCTTY, 0) == 0 && write(host, "ctty", 4) == 4 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_string_equal(run_until(opened, &seen, "+ctty-"), "+ctty-");

    int host = host_open(opened);
    assert_string_equal(run_until(opened, &seen, "+ctty-+"), "+ctty-+");
    assert_true(byte_link_write(opened, "frame", 5));
    char bytes[5];
    assert_int_equal(host_read(host, bytes, 5), 5);
    test_pause_ms(10);
    look(opened, &seen);
    assert_string_equal(seen.text, "+ctty-+");
    close(host);
}

/* Runs as a user without rights, since exclusive mode does not stop root. Returns 0, or the number
 * of the failed step. */
static int lock_out_scenario(void)
{
    char before[64] = "", after[64] = "";
    struct byte_link *own = test_link_open("locked");

    if (own == NULL)
        return 1;
    int host = host_open(own);
    run_until(own, &seen, "+");
    if (readlink(byte_link_name(own), before, sizeof before - 1) < 0)
        return 2;
    if (ioctl(host, TIOCEXCL) != 0 || host_open(own) >= 0 || errno != EBUSY)
        return 3;
    close(host);
    if (strcmp(run_until(own, &seen, "+-"), "+-") != 0)
        return 4;
    if (byte_link_stats(own)->relinks != 1)
        return 5;
    if (readlink(byte_link_name(own), after, sizeof after - 1) < 0 || strcmp(before, after) == 0)
        return 6;
    host = host_open(own);
    if (host < 0 || write(host, "free", 4) != 4)
        return 7;
    if (strcmp(run_until(own, &seen, "+-+free"), "+-+free") != 0)
        return 8;
    byte_link_close(own);
    test_folder_remove();
    return 0;
}

static void a_device_that_a_host_left_locked_is_replaced_under_its_path(void **state)
{
    (void)state;
    pid_t pid = fork();

    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(100);
        _exit(lock_out_scenario());
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(WIFEXITED(status));
}

static void exclusive_mode_does_not_outlive_its_host(void **state)
{
    (void)state;
    int is_exclusive = -1;
    int host = host_open(opened);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(ioctl(host, TIOCEXCL), 0);
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    host = host_open(opened);
    assert_true(host >= 0);
    assert_int_equal(ioctl(host, TIOCGEXCL, &is_exclusive), 0);
    assert_int_equal(is_exclusive, 0);
    close(host);
}

/* Many short visits, with updates in between at any moment: the last event always matches the real
 * state. */
static void hosts_that_come_and_go_quickly_never_confuse_the_count(void **state)
{
    (void)state;
    pid_t pid = fork();

    if (pid == 0) {
        for (int i = 0; i < 3000; i++)
            close(host_open(opened));
        _exit(0);
    }
    int status = -1;
    while (waitpid(pid, &status, WNOHANG) == 0)
        look(opened, &seen);
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
    do
        look(opened, &seen);
    while (byte_link_host_present(opened) && test_now_ms() < end_ms);
    assert_true(seen.size >= 2 && seen.size % 2 == 0);
    for (size_t i = 0; i < seen.size; i += 2)
        assert_memory_equal(seen.text + i, "+-", 2);
    size_t quiet = seen.size;
    look(opened, &seen);
    assert_int_equal(seen.size, quiet);
}

/* Listens to the link until the transcript has SIZE bytes. */
static void hear_until_size(size_t size)
{
    int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;

    do {
        byte_link_hear(opened, false);
        transcript_take(opened, &seen);
    } while (seen.size < size && test_now_ms() < end_ms);
}

static void what_was_heard_of_one_host_is_not_mixed_with_the_next_ones(void **state)
{
    (void)state;
    int host = host_open(opened);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(write(host, "one", 3), 3);
    hear_until_size(4);
    assert_string_equal(seen.text, "+one");
    test_pause_ms(50); /* longer than bytes need on their way */
    close(host);
    host = host_open(opened);
    assert_int_equal(write(host, "two", 3), 3);
    hear_until_size(9);
    assert_string_equal(seen.text, "+one-+two");
    close(host);
    hear_until_size(10);
    assert_string_equal(seen.text, "+one-+two-");
}

static void bytes_are_heard_under_the_settings_with_which_they_were_sent(void **state)
{
    (void)state;
    struct termios mode;
    int host = host_open(opened);

    assert_string_equal(run_until(opened, &seen, "+"), "+");
    assert_int_equal(tcgetattr(host, &mode), 0);
    cfmakeraw(&mode);
    cfsetspeed(&mode, B57600);
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    assert_int_equal(write(host, "x", 1), 1);
    hear_until_size(2);
    assert_string_equal(seen.text, "+[57600]x");
    close(host);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_deaf_host_costs_whole_frames_and_never_a_stall),
        CASE(a_cut_frame_lets_the_set_sleep_until_the_host_reads),
        CASE(a_full_device_is_empty_for_the_next_host),
        CASE(a_paused_host_that_resumes_reads_whole_frames_in_order),
        CASE(a_host_killed_in_the_middle_of_a_packet_leaves_its_bytes_and_no_others),
        CASE(a_host_is_there_until_the_last_process_is_gone),
        CASE(a_session_leader_leaves_no_echo),
        CASE(a_device_that_a_host_left_locked_is_replaced_under_its_path),
        CASE(exclusive_mode_does_not_outlive_its_host),
        CASE(hosts_that_come_and_go_quickly_never_confuse_the_count),
        CASE(what_was_heard_of_one_host_is_not_mixed_with_the_next_ones),
        CASE(bytes_are_heard_under_the_settings_with_which_they_were_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
