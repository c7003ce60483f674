/* Failures of system calls: messages, cleanup, and open links that continue. */
#define _GNU_SOURCE
#include "tests/unit/test_pty_scratch.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <asm/ioctls.h>

#include "base/array.h"
#include "pty/byte_link_kind.h"
#include "pty/shim/modem_shm.h"
#include "pty/tcp/tcp_address.h"
#include "pty/tcp/tcp_link.h"
#include "pty/terminal/host_watch.h"
#include "pty/terminal/pty_device.h"
#include "pty/terminal/pty_modem.h"
#include "tests/support/link_lines.h"
#include "tests/support/machine.h"

static struct transcript seen;
static unsigned inherited_before;

static int set_up(void **state)
{
    memset(&seen, 0, sizeof seen);
    inherited_before = inherited_count();
    return scratch_set_up(state);
}

static int tear_down(void **state)
{
    machine_obey();
    return scratch_tear_down(state);
}

/* ---- Links that cannot be opened ---- */

struct row {
    struct refusal refusal;
    const char *part; /* of the message */
};

/* A failed open leaves no descriptor, path or lock file. */
static void assert_refuses(const struct row *row, struct byte_link *(*open_link)(struct error *))
{
    struct error error = {0};
    unsigned before = descriptor_count();
    machine_refuse(row->refusal);
    struct byte_link *opened = open_link(&error);
    if (machine_obey() == 0)
        fail_msg("\"%s\": nothing was refused", row->part);
    assert_null(opened);
    assert_true(error.is_environment);
    assert_has(error.text, row->part);
    assert_int_equal(descriptor_count(), before);
    assert_false(is_there(in_scratch("robot")));
    /* Without the lock, the file may belong to another process. */
    assert_int_equal(is_there(in_scratch(".robot.lock")), row->refusal.call == CALL_FLOCK);
}

static struct byte_link *open_pty_by(struct error *error)
{
    return open_at(in_scratch("robot"), error);
}

static void a_pty_that_the_machine_refuses_names_the_step_and_leaves_nothing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {{.call = CALL_OPEN, .reason = EIO}, ".robot.lock: Input/output error"},
        {{.call = CALL_OPEN, .reason = EROFS}, "sudo ln -s /dev/shm/ptybot-"},
        {{.call = CALL_OPEN, .reason = EACCES}, "sudo ln -s /dev/shm/ptybot-"},
        {{.call = CALL_OPEN, .reason = EPERM}, "sudo ln -s /dev/shm/ptybot-"},
        {{.call = CALL_OPEN, .reason = ENOTDIR}, "does not exist: create it first"},
        {{.call = CALL_WATCH, .reason = EMFILE}, "cannot use inotify: Too many open files; it"},
        {{.call = CALL_ADD_WATCH, .reason = ENOSPC}, "No space left on device; see sysctl fs."},
        {{.call = CALL_PTY, .reason = ENOSPC}, "/dev/ptmx: No space left on device; check that"},
        {{.call = CALL_PTY, .reason = EMFILE}, "Too many open files; raise the limit (ulimit -n)"},
        {{.call = CALL_PTY, .reason = ENFILE}, "open files in system; raise the limit (ulimit -n)"},
        {{.call = CALL_IOCTL, .request = TCGETS2, .count = 2, .reason = EIO},
         "raw mode: Input/output error"},
        {{.call = CALL_IOCTL, .request = TCSETS2, .count = 2, .reason = EIO},
         "raw mode: Input/output error"},
        {{.call = CALL_UNLOCK, .reason = EIO}, "unlocking: Input/output error"},
        {{.call = CALL_IOCTL, .request = TIOCGPTN, .reason = EIO}, "its number: Input/output"},
        {{.call = CALL_IOCTL, .request = TIOCGPTPEER, .reason = EIO},
         ": Input/output error; check"},
        {{.call = CALL_CHMOD, .reason = EROFS}, "file mode: Read-only file system"},
        {{.call = CALL_SYMLINK, .reason = EIO}, "robot: cannot make the lock file"},
        {{.call = CALL_FLOCK, .reason = ENOLCK}, ".robot.lock: No locks available"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_refuses(&rows[i], open_pty_by);
}

static void a_dead_link_that_cannot_be_removed_is_reported(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(symlink("/dev/pts/9999999", in_scratch("robot")), 0);
    machine_refuse((struct refusal){.call = CALL_UNLINK, .reason = EPERM});
    assert_null(open_pty_by(&error));
    assert_int_equal(machine_obey(), 1);
    assert_has(error.text, "no permission to create files in ");
    assert_false(is_there(in_scratch(".robot.lock")));
}

static struct byte_link *open_tcp(struct error *error)
{
    return tcp_link_open(&(struct byte_link_config){.address = "auto"}, error);
}

static void a_port_that_the_machine_refuses_names_the_step_and_leaves_nothing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {{.call = CALL_SOCKET, .reason = EMFILE}, "cannot make a socket: Too many open files"},
        {{.call = CALL_NAME, .reason = ENOBUFS}, "auto: cannot listen there: No buffer space"},
        {{.call = CALL_LISTEN, .reason = EIO}, ": cannot listen there: Input/output error"},
        {{.call = CALL_LISTEN, .reason = EADDRINUSE}, ": the port is in use by another program"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_refuses(&rows[i], open_tcp);
}

static void what_is_wrong_with_an_address_is_told_with_the_remedy(void **state)
{
    (void)state;
    static const struct {
        int reason;
        const char *part;
    } rows[] = {
        {EADDRINUSE, "127.0.0.1:70: the port is in use by another program: choose another"},
        {EADDRINUSE, "(ss -ltnp 'sport = :70' names it)"},
        {EACCES, "127.0.0.1:70: you have no right to port 70: choose one from 1024 on"},
        {EPERM, "sudo sysctl net.ipv4.ip_unprivileged_port_start=70; or: "},
        {EADDRNOTAVAIL, "127.0.0.1:70: this machine has no such address"},
        {ENOMEM, "127.0.0.1:70: cannot listen there: Cannot allocate memory"},
    };
    struct tcp_address address;
    struct error error;
    char program[256] = "";
    assert_true(tcp_address_find(&address, "127.0.0.1:70", &error));
    for (size_t i = 0; i < COUNT(rows); i++) {
        error = (struct error){0};
        assert_false(tcp_address_fail(&address, rows[i].reason, &error));
        assert_true(error.is_environment);
        assert_has(error.text, rows[i].part);
    }
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    tcp_address_fail(&address, EACCES, &error);
    assert_string_equal(strrchr(error.text, ' ') + 1, program);
}

/* ---- Links that are open ---- */

static struct byte_link *opened;
static int host;

static int pty_up(void **state)
{
    struct termios mode;
    struct error error;
    if (set_up(state) != 0)
        return -1;
    opened = open_pty_by(&error);
    host = host_open(opened);
    if (tcgetattr(host, &mode) != 0)
        return -1;
    cfmakeraw(&mode);
    tcsetattr(host, TCSANOW, &mode);
    return strcmp(run_until(opened, &seen, "+[9600]"), "+[9600]");
}

static int connect_tcp(void)
{
    struct tcp_address address;
    struct error error;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(tcp_address_find(&address, byte_link_name(opened), &error));
    assert_int_equal(connect(fd, (struct sockaddr *)&address.socket, address.size), 0);
    return fd;
}

static int tcp_up(void **state)
{
    struct error error;
    if (set_up(state) != 0)
        return -1;
    opened = open_tcp(&error);
    host = connect_tcp();
    return strcmp(run_until(opened, &seen, "+"), "+");
}

static int port_up(void **state)
{
    struct error error;
    if (set_up(state) != 0)
        return -1;
    opened =
        rfc2217_link_open(&(struct byte_link_config){.address = "auto", .baud = 115200}, &error);
    host = connect_tcp();
    /* Its first byte shows that it does not speak telnet. */
    return write(host, "x", 1) != 1 || strcmp(run_until(opened, &seen, "+x"), "+x") != 0;
}

static int down(void **state)
{
    machine_obey();
    machine_answer = NULL;
    machine_time_ms = 0;
    close(host);
    byte_link_close(opened);
    return tear_down(state);
}

/* A child process would keep the port open. */
static void no_other_program_gets_a_descriptor_of_a_link(void **state)
{
    (void)state;
    assert_int_equal(inherited_count(), inherited_before);
}

/* Waits until bytes of the host have arrived. */
static void await_bytes(void)
{
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    size_t count = byte_link_fds(opened, fds);
    assert_true(count > 0);
    assert_int_equal(poll(&fds[count - 1], 1, TEST_TIMEOUT_MS), 1);
}

static void a_read_that_a_signal_interrupts_is_made_again(void **state)
{
    (void)state;
    bool is_refused = true;
    for (unsigned after = 0; is_refused; after++) {
        memset(&seen, 0, sizeof seen);
        assert_int_equal(write(host, "heard", 5), 5);
        await_bytes();
        machine_refuse(
            (struct refusal){.call = CALL_READ, .after = after, .count = 2, .reason = EINTR});
        look(opened, &seen);
        is_refused = machine_obey() > 0;
        assert_true(is_refused || after > 0);
        assert_string_equal(seen.text, "heard");
    }
}

static void a_write_that_a_signal_interrupts_or_shortens_is_continued(void **state)
{
    (void)state;
    static const int reasons[] = {EINTR, 0};
    for (size_t i = 0; i < COUNT(reasons); i++) {
        char bytes[8] = "";
        machine_refuse((struct refusal){.call = CALL_WRITE, .count = 2, .reason = reasons[i]});
        assert_true(byte_link_write(opened, "frame", 5));
        assert_int_equal(machine_obey(), 2);
        assert_false(byte_link_is_busy(opened));
        assert_int_equal(host_read(host, bytes, 5), 5);
        assert_string_equal(bytes, "frame");
        assert_int_equal(byte_link_stats(opened)->frames_written, i + 1);
        assert_int_equal(byte_link_stats(opened)->bytes_out, 5 * (i + 1));
    }
}

static void a_frame_for_a_host_that_is_gone_is_unheard_and_one_without_room_dropped(void **state)
{
    (void)state;
    static const struct {
        int reason;
        bool keeps_unread, is_accepted;
        unsigned unheard, dropped; /* since the start */
    } rows[] = {
        {EAGAIN, false, false, 0, 1}, {EIO, false, false, 1, 1},  {EPIPE, false, false, 2, 1},
        {EIO, true, false, 3, 1},     {EAGAIN, true, true, 3, 1},
    };
    const struct byte_link_stats *stats = byte_link_stats(opened);
    char byte = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        byte_link_set_unread_kept(opened, rows[i].keeps_unread);
        machine_refuse((struct refusal){.call = CALL_WRITE, .reason = rows[i].reason});
        assert_int_equal(byte_link_write(opened, "k", 1), rows[i].is_accepted);
        assert_int_equal(machine_obey(), 1);
        assert_int_equal(stats->frames_unheard, rows[i].unheard);
        assert_int_equal(stats->frames_dropped, rows[i].dropped);
        assert_int_equal(byte_link_is_busy(opened), rows[i].is_accepted);
    }
    look(opened, &seen);
    assert_false(byte_link_is_busy(opened));
    assert_int_equal(host_read(host, &byte, 1), 1);
    assert_int_equal(byte, 'k');
    assert_int_equal(stats->frames_written, 1);
}

/* The link's buffer is full, then the kernel's. */
static void what_the_robot_does_not_read_comes_later_and_whole(void **state)
{
    (void)state;
    uint64_t sent = 0, got = 0;
    assert_int_equal(fcntl(host, F_SETFL, O_NONBLOCK), 0);
    for (int refused = 0; refused < 3; byte_link_update(opened)) {
        uint8_t bytes[1000];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)((sent + i) * 7 + (sent + i) / 251);
        ssize_t taken = write(host, bytes, sizeof bytes);
        sent += taken > 0 ? (uint64_t)taken : 0;
        refused += taken <= 0;
    }
    assert_true(sent > 131072);
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS; got < sent && test_now_ms() < end_ms;) {
        uint8_t bytes[5000];
        size_t size = byte_link_read(opened, bytes, sizeof bytes);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], (uint8_t)((got + i) * 7 + (got + i) / 251));
        got += size;
        byte_link_update(opened);
    }
    assert_int_equal(got, sent);
    assert_true(byte_link_host_present(opened));
}

/* Fills the buffers in both directions. */
static void what_neither_end_reads_is_kept_apart(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    uint64_t said = 0, heard = 0;
    bool is_said = true;
    byte_link_set_unread_kept(opened, true);
    assert_int_equal(fcntl(host, F_SETFL, O_NONBLOCK), 0);
    while (is_said) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)((said + i) * 7 + (said + i) / 251);
        is_said = byte_link_write(opened, bytes, sizeof bytes);
        said += is_said ? sizeof bytes : 0;
    }
    memset(bytes, 'h', sizeof bytes);
    for (int refused = 0; refused < 3; byte_link_update(opened))
        refused += write(host, bytes, sizeof bytes) <= 0;
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS; heard < said && test_now_ms() < end_ms;
         byte_link_update(opened)) {
        ssize_t size = read(host, bytes, sizeof bytes);
        for (ssize_t i = 0; i < size; i++, heard++)
            assert_int_equal(bytes[i], (uint8_t)(heard * 7 + heard / 251));
    }
    assert_int_equal(heard, said);
    for (size_t size = 1; size > 0;) {
        size = byte_link_read(opened, bytes, sizeof bytes);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 'h');
    }
}

/* "0 without a host." */
static void a_host_that_has_left_has_neither_lines_nor_settings(void **state)
{
    (void)state;
    struct byte_link_event event = {.kind = BYTE_LINK_HOST_CAME};
    close(host);
    while (byte_link_host_present(opened))
        byte_link_update(opened);
    while (event.kind != BYTE_LINK_HOST_LEFT)
        assert_true(byte_link_next_event(opened, &event));
    assert_int_equal(event.lines, 0);
    assert_int_equal(event.settings.baud, 0);
    assert_int_equal(byte_link_host_lines(opened), 0);
    assert_int_equal(byte_link_host_settings(opened).baud, 0);
}

/* An end of file does not set errno. */
static void an_end_after_an_interrupted_call_is_seen(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    close(host);
    host = -1;
    await_bytes();
    alarm(10); /* instead of reading endlessly */
    errno = EINTR;
    look(opened, &seen);
    alarm(0);
    assert_string_equal(seen.text, "-");
}

static int shown_count;

static void show_count(unsigned long request, void *argument)
{
    if (request == SIOCOUTQ)
        *(int *)argument = shown_count;
}

/* "For tcp it counts only bytes that the host's kernel has not taken." */
static void what_the_hosts_kernel_has_not_taken_is_unread(void **state)
{
    (void)state;
    uint64_t bytes = 7;
    machine_answer = show_count;
    for (shown_count = 0; shown_count < 3000; shown_count += 1000) {
        assert_true(byte_link_unread(opened, &bytes));
        assert_int_equal(bytes, shown_count);
    }
    machine_refuse((struct refusal){.call = CALL_IOCTL, .request = SIOCOUTQ, .reason = EIO});
    assert_false(byte_link_unread(opened, &bytes));
    assert_int_equal(machine_obey(), 1);
}

/* A client may be far ahead of the robot. Its end is then behind more bytes than the link holds. */
static void a_client_that_has_ended_makes_room_for_the_next_one(void **state)
{
    (void)state;
    static const struct {
        int reason;
        unsigned refused; /* hosts, since the start */
    } rows[] = {{EAGAIN, 1}, {EINTR, 2}, {ECONNRESET, 2}};
    uint8_t bytes[1000] = {0};
    assert_int_equal(fcntl(host, F_SETFL, O_NONBLOCK), 0);
    for (int refused = 0; refused < 3; byte_link_update(opened))
        refused += write(host, bytes, sizeof bytes) <= 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int other = connect_tcp();
        machine_refuse((struct refusal){.call = CALL_READ, .reason = rows[i].reason});
        byte_link_update(opened);
        assert_int_equal(machine_obey(), 1);
        assert_int_equal(byte_link_stats(opened)->hosts_refused, rows[i].refused);
        assert_int_equal(byte_link_host_present(opened), rows[i].reason != ECONNRESET);
        close(other);
    }
}

static void a_host_that_waited_in_vain_leaves_no_descriptor(void **state)
{
    (void)state;
    struct error error;
    byte_link_close(opened);
    close(host);
    opened =
        tcp_link_open(&(struct byte_link_config){.address = "auto", .is_server = true}, &error);
    assert_non_null(opened);
    byte_link_unplug(opened);
    host = connect_tcp();
    close(host);
    host = -1;
    unsigned before = descriptor_count();
    assert_true(byte_link_replug(opened, &error));
    byte_link_update(opened);
    assert_int_equal(byte_link_stats(opened)->hosts_seen, 0);
    assert_int_equal(descriptor_count(), before);
}

static void the_settings_of_a_host_are_unknown_when_it_comes(void **state)
{
    (void)state;
    struct byte_link_event event = {.kind = BYTE_LINK_HOST_LEFT};
    bool is_pty = byte_link_name(opened)[0] == '/';
    close(host);
    while (byte_link_host_present(opened))
        look(opened, &seen);
    host = is_pty ? host_open(opened) : connect_tcp();
    while (!byte_link_host_present(opened))
        byte_link_update(opened);
    assert_true(byte_link_next_event(opened, &event));
    assert_int_equal(event.kind, BYTE_LINK_HOST_CAME);
    assert_int_equal(event.settings.baud, 0);
    assert_int_equal(event.settings.mode, 0);
    assert_int_equal(event.lines, MODEM_HOST_LINES);
}

static void a_connection_that_cannot_be_read_has_ended(void **state)
{
    (void)state;
    machine_refuse((struct refusal){.call = CALL_READ, .reason = ECONNRESET});
    look(opened, &seen);
    assert_int_equal(machine_obey(), 1);
    assert_string_equal(seen.text, "+-");
}

static struct tcp_info shown_info;

static void show_info(unsigned long request, void *argument)
{
    if (request == TCP_INFO)
        *(struct tcp_info *)argument = shown_info;
}

static void a_host_that_acknowledges_nothing_for_too_long_has_vanished(void **state)
{
    (void)state;
    /* A single probe may still get an answer. */
    static const struct tcp_info there[] = {
        {.tcpi_last_ack_recv = 10 * TCP_LINK_SILENCE_MS},
        {.tcpi_last_ack_recv = 10 * TCP_LINK_SILENCE_MS, .tcpi_probes = 1},
        {.tcpi_last_ack_recv = TCP_LINK_SILENCE_MS - 1, .tcpi_probes = 2},
        {.tcpi_last_ack_recv = TCP_LINK_SILENCE_MS - 1, .tcpi_retransmits = 9},
    };
    static const struct tcp_info gone[] = {
        {.tcpi_last_ack_recv = TCP_LINK_SILENCE_MS, .tcpi_probes = 2},
        {.tcpi_last_ack_recv = TCP_LINK_SILENCE_MS, .tcpi_retransmits = 1},
    };
    char notice[256];
    machine_answer = show_info;
    for (size_t i = 0; i < COUNT(there); i++) {
        shown_info = there[i];
        look(opened, &seen);
        assert_string_equal(seen.text, "+");
    }
    for (size_t i = 0; i < COUNT(gone); i++) {
        shown_info = gone[i];
        memset(&seen, 0, sizeof seen);
        look(opened, &seen);
        assert_string_equal(seen.text, "-");
        assert_true(byte_link_take_notice(opened, notice, sizeof notice));
        assert_has(notice, "the driver at 127.0.0.1:");
        assert_has(notice, " disconnected without closing the connection");
        shown_info = there[0];
        close(host);
        host = connect_tcp();
        run_until(opened, &seen, "-+");
    }
}

static void a_listener_without_descriptors_is_not_polled_until_the_next_look(void **state)
{
    (void)state;
    static const struct {
        int reason;
        size_t fds;
    } rows[] = {{EMFILE, 0}, {ENFILE, 0}, {ECONNABORTED, 1}, {EAGAIN, 1}};
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    close(host);
    assert_string_equal(run_until(opened, &seen, "+-"), "+-");
    for (size_t i = 0; i < COUNT(rows); i++) {
        machine_refuse((struct refusal){.call = CALL_ACCEPT, .reason = rows[i].reason});
        look(opened, &seen);
        assert_int_equal(machine_obey(), 1);
        assert_int_equal(byte_link_fds(opened, fds), rows[i].fds);
        look(opened, &seen);
        assert_int_equal(byte_link_fds(opened, fds), 1);
    }
}

static void a_client_that_says_nothing_is_served_after_a_while(void **state)
{
    (void)state;
    struct error error;
    byte_link_close(opened);
    close(host);
    machine_time_ms = test_now_ms();
    opened = rfc2217_link_open(&(struct byte_link_config){.address = "auto"}, &error);
    assert_non_null(opened);
    host = connect_tcp();
    look(opened, &seen);
    machine_time_ms += 200;
    assert_false(byte_link_has_news(opened));
    look(opened, &seen);
    assert_false(byte_link_host_present(opened));
    machine_time_ms += 100;
    assert_true(byte_link_has_news(opened));
    look(opened, &seen);
    assert_true(byte_link_host_present(opened));
    assert_false(byte_link_has_news(opened));
}

static void a_crowd_of_hosts_is_rejected_by_the_next_looks(void **state)
{
    (void)state;
    enum { CROWD = 40 };
    int others[CROWD];
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    for (int i = 0; i < CROWD; i++)
        others[i] = connect_tcp();
    for (int looks = 0; byte_link_stats(opened)->hosts_refused < CROWD; looks++) {
        assert_true(looks < CROWD);
        assert_int_equal(byte_link_fds(opened, fds), 2); /* the next check is soon */
        assert_int_equal(poll(fds, 1, TEST_TIMEOUT_MS), 1);
        look(opened, &seen);
    }
    assert_string_equal(seen.text, "+");
    for (int i = 0; i < CROWD; i++)
        close(others[i]);
}

static void a_clock_of_milliseconds_runs_through_seconds(void **state)
{
    (void)state;
    static const int64_t times_ms[] = {1, 999, 1000, 1001, 123456789};
    for (size_t i = 0; i < COUNT(times_ms); i++) {
        machine_time_ms = times_ms[i];
        assert_int_equal(byte_link_now_ms(), times_ms[i]);
    }
}

/* A server may send one more packet before it notices that its client has gone. */
static void a_server_rests_before_it_accepts_the_next_host(void **state)
{
    (void)state;
    struct error error;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    byte_link_close(opened);
    close(host);
    machine_time_ms = test_now_ms();
    opened =
        tcp_link_open(&(struct byte_link_config){.address = "auto", .is_server = true}, &error);
    assert_non_null(opened);
    host = connect_tcp();
    look(opened, &seen);
    assert_true(byte_link_host_present(opened));
    assert_false(byte_link_has_news(opened));
    close(host);
    host = connect_tcp();
    while (byte_link_host_present(opened))
        byte_link_update(opened);
    for (int i = 0; i < 5; i++) {
        assert_false(byte_link_has_news(opened));
        assert_int_equal(byte_link_fds(opened, fds), 0);
        byte_link_update(opened);
        assert_false(byte_link_host_present(opened));
        machine_time_ms++;
    }
    machine_time_ms += 20;
    assert_true(byte_link_has_news(opened));
    byte_link_update(opened);
    assert_true(byte_link_host_present(opened));
    assert_false(byte_link_has_news(opened));
}

static void a_link_whose_watches_are_shared_has_no_descriptor_of_its_own_for_them(void **state)
{
    (void)state;
    struct pollfd fds[BYTE_LINK_FDS_MAX];
    struct host_watches *watches = host_watches_create();
    struct error error;
    struct byte_link *shared = pty_link_open(
        &(struct byte_link_config){.address = in_scratch("shared"), .watches = watches}, &error);
    assert_non_null(shared);
    assert_int_equal(byte_link_fds(shared, fds), 0);
    assert_int_equal(byte_link_fds(opened, fds), 2);
    byte_link_close(shared);
    host_watches_drop(watches);
}

/* The next host finds the port in its initial state. */
static void assert_next_host_is_served(void)
{
    char bytes[8] = "";
    struct termios mode;
    transcript_take(opened, &seen);
    host = host_open(opened);
    assert_true(host >= 0);
    assert_int_equal(tcgetattr(host, &mode), 0);
    assert_int_equal(cfgetospeed(&mode), B9600);
    cfmakeraw(&mode);
    tcsetattr(host, TCSANOW, &mode);
    assert_int_equal(write(host, "next", 4), 4);
    memset(&seen, 0, sizeof seen);
    assert_string_equal(run_until(opened, &seen, "+[9600]next"), "+[9600]next");
    assert_true(byte_link_write(opened, "fresh", 5));
    assert_int_equal(host_read(host, bytes, 5), 5);
    assert_string_equal(bytes, "fresh");
}

static void a_device_that_cannot_be_reset_is_replaced(void **state)
{
    (void)state;
    static const struct {
        struct refusal refusal;
        unsigned relinks; /* since the start */
    } rows[] = {
        {{.call = CALL_IOCTL, .request = TIOCGPTPEER, .reason = EBUSY}, 1},
        {{.call = CALL_IOCTL, .request = TCSETS2, .count = 2, .reason = EIO}, 2},
        {{.call = CALL_ADD_WATCH, .reason = ENOSPC}, 2}, /* the next update adds the watch */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned before = descriptor_count();
        unsigned version = byte_link_fds_version(opened);
        struct termios mode;
        assert_int_equal(tcgetattr(host, &mode), 0);
        cfsetospeed(&mode, B19200);
        assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
        close(host);
        memset(&seen, 0, sizeof seen);
        machine_refuse(rows[i].refusal);
        while (strchr(seen.text, '-') == NULL)
            look(opened, &seen);
        assert_true(machine_obey() > 0);
        look(opened, &seen);
        assert_int_equal(byte_link_stats(opened)->relinks, rows[i].relinks);
        assert_int_equal(byte_link_fds_version(opened) != version, i < 2);
        assert_next_host_is_served();
        assert_int_equal(descriptor_count(), before);
    }
}

static void an_echo_that_a_host_leaves_needs_no_other_device(void **state)
{
    (void)state;
    struct termios mode;
    assert_int_equal(tcgetattr(host, &mode), 0);
    mode.c_lflag = (mode.c_lflag & ~(tcflag_t)EXTPROC) | ECHO;
    assert_int_equal(tcsetattr(host, TCSANOW, &mode), 0);
    close(host);
    while (strchr(seen.text, '-') == NULL)
        look(opened, &seen);
    assert_int_equal(byte_link_stats(opened)->relinks, 0);
    assert_next_host_is_served();
    assert_int_equal(byte_link_stats(opened)->relinks, 0);
}

static void a_plug_that_the_machine_refuses_stays_out_and_goes_in_later(void **state)
{
    (void)state;
    static const struct refusal refusals[] = {
        {.call = CALL_PTY, .reason = EMFILE},
        {.call = CALL_ADD_WATCH, .reason = ENOSPC},
        {.call = CALL_SYMLINK, .reason = EROFS},
    };
    close(host);
    byte_link_unplug(opened);
    unsigned before = descriptor_count();
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct error error = {0};
        machine_refuse(refusals[i]);
        assert_false(byte_link_replug(opened, &error));
        assert_int_equal(machine_obey(), 1);
        assert_has(error.text, strerror(refusals[i].reason));
        assert_false(byte_link_is_plugged(opened));
        assert_int_equal(descriptor_count(), before);
    }
    assert_true(byte_link_replug(opened, &(struct error){0}));
    assert_next_host_is_served();
}

/* Opens the shared memory of the modem lines. */
static int open_modem(void)
{
    char node[64] = "", path[128];
    assert_true(readlink(byte_link_name(opened), node, sizeof node - 1) > 0);
    snprintf(path, sizeof path, MODEM_SHM_SHARED_FOLDER "/" MODEM_SHM_NAME, (unsigned)geteuid(),
             (unsigned)atoi(strrchr(node, '/') + 1));
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    return file;
}

static void the_robots_lines_are_the_same_at_the_next_plug(void **state)
{
    (void)state;
    static const unsigned lines[] = {MODEM_RI, MODEM_CTS | MODEM_DCD, 0};
    static const uint32_t bits[] = {TIOCM_RNG, TIOCM_CTS | TIOCM_CAR, 0};
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct modem_shm shm;
        byte_link_set_lines(opened, lines[i]);
        byte_link_unplug(opened);
        assert_true(byte_link_replug(opened, &(struct error){0}));
        int file = open_modem();
        assert_int_equal(read(file, &shm, sizeof shm), sizeof shm);
        assert_int_equal(shm.robot, bits[i]);
        close(file);
    }
}

static void lost_modem_lines_are_told_of_and_the_link_goes_on(void **state)
{
    (void)state;
    char notice[256];
    /* Installs the handler of SIGBUS again, since cmocka has replaced it. */
    close(host);
    byte_link_unplug(opened);
    assert_true(byte_link_replug(opened, &(struct error){0}));
    host = host_open(opened);
    run_until(opened, &seen, "+[9600]-+");
    int file = open_modem();
    assert_int_equal(ftruncate(file, 0), 0);
    close(file);
    look(opened, &seen);
    assert_true(byte_link_take_notice(opened, notice, sizeof notice));
    assert_has(notice, "was truncated or overwritten by another program");
    assert_int_equal(byte_link_host_lines(opened), MODEM_HOST_LINES);
    memset(&seen, 0, sizeof seen);
    assert_int_equal(write(host, "works", 5), 5);
    assert_string_equal(run_until(opened, &seen, "works"), "works");
    assert_false(byte_link_take_notice(opened, notice, sizeof notice));
}

/* A process without a terminal gets one by opening it without O_NOCTTY. */
static void no_look_at_a_device_makes_it_the_terminal_of_the_process(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct pty_device device;
        size_t bytes;
        if (setsid() < 0 || !pty_device_open(&device, 9600, NULL))
            _exit(2);
        pty_device_drop_unheard(&device);
        if (!pty_device_renew(&device, false, true) || !pty_device_unread(&device, true, &bytes))
            _exit(3);
        int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
        _exit(terminal < 0 && errno == ENXIO ? 0 : 4);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_path_that_is_removed_again_and_again_is_reported_once(void **state)
{
    (void)state;
    char notice[256];
    machine_time_ms = test_now_ms();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(unlink(byte_link_name(opened)), 0);
        machine_time_ms += 600;
        look(opened, &seen);
        assert_true(is_there(byte_link_name(opened)));
        assert_int_equal(byte_link_take_notice(opened, notice, sizeof notice), i == 0);
    }
    assert_has(notice, "robot was removed by another program; ptybot has restored it");
}

static void a_path_that_cannot_be_restored_is_reported_with_the_reason(void **state)
{
    (void)state;
    char notice[512];
    machine_time_ms = test_now_ms();
    assert_int_equal(unlink(byte_link_name(opened)), 0);
    machine_refuse((struct refusal){.call = CALL_SYMLINK, .count = 100, .reason = EROFS});
    machine_time_ms += 600;
    byte_link_update(opened);
    machine_obey();
    assert_true(byte_link_take_notice(opened, notice, sizeof notice));
    assert_null(strstr(notice, "has restored it"));
    assert_has(notice, "Read-only file system");
}

static void a_path_that_is_there_is_not_reported_after_another_error(void **state)
{
    (void)state;
    char notice[256];
    machine_time_ms = test_now_ms();
    for (int i = 0; i < 3; i++) {
        machine_time_ms += 600;
        errno = ENOENT;
        byte_link_update(opened);
        assert_false(byte_link_take_notice(opened, notice, sizeof notice));
    }
}

static void a_path_that_another_link_has_leaves_no_descriptor(void **state)
{
    (void)state;
    struct error error;
    unsigned before = descriptor_count();
    for (int i = 0; i < 2; i++) {
        assert_null(open_at(byte_link_name(opened), &error));
        assert_int_equal(descriptor_count(), before);
    }
}

static void an_unplugged_port_has_no_path_to_restore(void **state)
{
    (void)state;
    char notice[256];
    machine_time_ms = test_now_ms();
    byte_link_unplug(opened);
    machine_time_ms += 600;
    byte_link_update(opened);
    assert_false(is_there(byte_link_name(opened)));
    assert_false(byte_link_take_notice(opened, notice, sizeof notice));
}

static void how_much_is_unread_is_unknown_where_the_machine_does_not_say(void **state)
{
    (void)state;
    static const unsigned long requests[] = {TIOCGPTPEER, FIONREAD};
    uint64_t bytes;
    assert_true(byte_link_write(opened, "unread", 6));
    for (size_t i = 0; i < COUNT(requests); i++) {
        unsigned before = descriptor_count();
        machine_refuse((struct refusal){.call = CALL_IOCTL, .request = requests[i], .reason = EIO});
        assert_false(byte_link_unread(opened, &bytes));
        assert_int_equal(machine_obey(), 1);
        assert_int_equal(descriptor_count(), before);
    }
    assert_true(byte_link_unread(opened, &bytes));
    assert_int_equal(bytes, 6);
    /* The next host does not get these bytes. */
    close(host);
    while (byte_link_host_present(opened))
        look(opened, &seen);
    host = host_open(opened);
    while (!byte_link_host_present(opened))
        look(opened, &seen);
    assert_true(byte_link_unread(opened, &bytes));
    assert_int_equal(bytes, 0);
}

/* Waits until the kernel has brought SIZE bytes to the host. */
static void await_waiting(int size)
{
    int count = -1;
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS; count < size;) {
        assert_true(test_now_ms() < end_ms);
        assert_int_equal(ioctl(host, FIONREAD, &count), 0);
    }
    assert_int_equal(count, size);
}

static uint64_t unread(void)
{
    uint64_t bytes;
    assert_true(byte_link_unread(opened, &bytes));
    return bytes;
}

/* Bytes may need a moment to reach the host, so they count as unread until then. */
static void what_a_host_has_read_is_known_a_moment_later(void **state)
{
    (void)state;
    char bytes[8];
    machine_time_ms = 1000;
    assert_true(byte_link_write(opened, "unread", 6));
    await_waiting(6);
    assert_int_equal(unread(), 6);
    assert_int_equal(read(host, bytes, 4), 4);
    assert_int_equal(unread(), 6);
    machine_time_ms++;
    assert_int_equal(unread(), 6);
    machine_time_ms += 20;
    assert_int_equal(unread(), 2);
    assert_true(byte_link_write(opened, "new", 3));
    await_waiting(5);
    assert_int_equal(unread(), 5);
}

static void what_a_host_has_read_is_known_at_once_where_all_is_delivered(void **state)
{
    (void)state;
    char bytes[8];
    const pid_t self = getpid();
    machine_time_ms = 1000;
    assert_true(byte_link_write(opened, "unread", 6));
    byte_link_deliver(opened, &self, 1);
    assert_int_equal(unread(), 6);
    assert_int_equal(read(host, bytes, 4), 4);
    assert_int_equal(unread(), 2);
    assert_int_equal(read(host, bytes, 1), 1);
    assert_int_equal(unread(), 1);
    assert_int_equal(read(host, bytes, 1), 1);
    assert_int_equal(unread(), 0);
    /* A later frame needs no delivery. */
    assert_true(byte_link_write(opened, "more", 4));
    assert_int_equal(host_read(host, bytes, 4), 4);
    assert_int_equal(unread(), 0);
}

static void a_plug_that_is_pulled_during_a_delivery_leaves_no_descriptor(void **state)
{
    (void)state;
    struct error error;
    const pid_t self = getpid();
    unsigned before = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(byte_link_write(opened, "x", 1));
        byte_link_deliver(opened, &self, 1);
        assert_true(byte_link_write(opened, "y", 1));
        byte_link_unplug(opened);
        close(host);
        before = i == 0 ? descriptor_count() : before;
        assert_int_equal(descriptor_count(), before);
        assert_true(byte_link_replug(opened, &error));
        host = host_open(opened);
        while (!byte_link_host_present(opened))
            look(opened, &seen);
    }
}

static void a_pty_has_no_errors_to_report(void **state)
{
    (void)state;
    byte_link_report_errors(opened, 0);
    byte_link_report_errors(opened, SERIAL_ERRORS);
    assert_true(host_hears_nothing(host));
}

/* Maps the shared memory of the modem lines. */
static struct modem_shm *map_modem(void)
{
    int file = open_modem();
    struct modem_shm *shm = mmap(NULL, sizeof *shm, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(shm != MAP_FAILED);
    close(file);
    return shm;
}

static void a_host_with_the_shim_finds_how_much_was_sent_each_way(void **state)
{
    (void)state;
    struct modem_shm *shm = map_modem();
    for (unsigned i = 1; i <= 2; i++) {
        assert_true(byte_link_write(opened, "robot", 5));
        assert_int_equal(write(host, "abc", 3), 3);
        await_bytes();
        if (i == 1)
            byte_link_update(opened);
        else
            byte_link_hear(opened, false);
        assert_int_equal(shm->received, 5 * i);
        assert_int_equal(shm->sent, 3 * i);
    }
    munmap(shm, sizeof *shm);
}

static void the_next_host_finds_the_lines_on_that_the_last_one_has_cleared(void **state)
{
    (void)state;
    struct modem_shm *shm = map_modem();
    atomic_store(&shm->host, 0);
    look(opened, &seen);
    assert_int_equal(byte_link_host_lines(opened), 0);
    close(host);
    while (byte_link_host_present(opened))
        look(opened, &seen);
    assert_int_equal(atomic_load(&shm->host), MODEM_DTR | MODEM_RTS);
    host = host_open(opened);
    while (!byte_link_host_present(opened))
        look(opened, &seen);
    assert_int_equal(byte_link_host_lines(opened), MODEM_DTR | MODEM_RTS);
    munmap(shm, sizeof *shm);
}

/* The shim counts the settings of a host. A host that restores the port has sent its bytes before,
 * under unknown settings. */
static void the_settings_of_bytes_before_a_restored_port_are_unknown(void **state)
{
    (void)state;
    struct termios initial, raw;
    close(host);
    while (byte_link_host_present(opened))
        look(opened, &seen);
    struct modem_shm *shm = map_modem();
    host = host_open(opened);
    assert_int_equal(tcgetattr(host, &initial), 0);
    raw = initial;
    cfmakeraw(&raw);
    cfsetspeed(&raw, B57600);
    memset(&seen, 0, sizeof seen);
    assert_int_equal(tcsetattr(host, TCSANOW, &raw), 0);
    atomic_fetch_add(&shm->settings, 1);
    assert_string_equal(run_until(opened, &seen, "+[57600]"), "+[57600]");
    assert_int_equal(write(host, "x", 1), 1);
    assert_int_equal(tcsetattr(host, TCSANOW, &initial), 0);
    atomic_fetch_add(&shm->settings, 1);
    assert_string_equal(run_until(opened, &seen, "+[57600][0]x"), "+[57600][0]x");
    munmap(shm, sizeof *shm);
}

/* More than fits into the link. */
static void what_a_host_left_behind_a_full_link_is_not_taken_for_the_next_ones(void **state)
{
    (void)state;
    uint8_t bytes[1000];
    memset(bytes, 'o', sizeof bytes);
    for (int refused = 0; refused < 3; byte_link_update(opened))
        refused += write(host, bytes, sizeof bytes) <= 0;
    close(host);
    while (byte_link_host_present(opened))
        byte_link_update(opened);
    host = host_open(opened);
    assert_int_equal(write(host, "next", 4), 4);
    transcript_take(opened, &seen); /* makes room */
    for (int64_t end_ms = test_now_ms() + TEST_TIMEOUT_MS;
         strstr(seen.text, "+next") == NULL && test_now_ms() < end_ms;) {
        look(opened, &seen);
        if (strstr(seen.text, "-+o") != NULL)
            fail_msg("bytes of the last host came behind its end");
    }
    assert_string_equal(seen.text + seen.size - strlen("-+next"), "-+next");
}

/* Nothing shows which of two hosts has written a byte. */
static void bytes_of_two_hosts_between_two_looks_are_the_earlier_ones(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(write(host, "a", 1), 1);
    close(host);
    host = host_open(opened);
    assert_int_equal(write(host, "b", 1), 1);
    await_bytes();
    assert_string_equal(run_until(opened, &seen, "ab-+[9600]"), "ab-+[9600]");
}

static void a_symlink_that_cannot_replace_the_old_one_is_removed(void **state)
{
    (void)state;
    struct pty_claim claim;
    struct error error;
    char record[64] = "", expected[64];
    assert_true(pty_claim_open(&claim, in_scratch("robot"), &error));
    assert_true(pty_claim_point(&claim, "/dev/pts/1", &error));
    machine_refuse((struct refusal){.call = CALL_RENAME, .reason = EIO});
    assert_false(pty_claim_point(&claim, "/dev/pts/2", &error));
    assert_int_equal(machine_obey(), 1);
    assert_true(pty_claim_point(&claim, "/dev/pts/3", &error));
    /* Only the present terminal is the owner's. */
    snprintf(expected, sizeof expected, "ptybot %ld\n/dev/pts/3\n\n", (long)getpid());
    assert_true(pread(claim.lock, record, sizeof record - 1, 0) > 0);
    assert_string_equal(record, expected);
    machine_refuse((struct refusal){.call = CALL_RENAME, .reason = EIO});
    assert_false(pty_claim_point(&claim, "/dev/pts/4", &error));
    assert_int_equal(machine_obey(), 1);
    pty_claim_close(&claim);
    assert_false(is_there(in_scratch(".robot.new")));
    assert_false(is_there(in_scratch(".robot.lock")));
}

static void a_claim_that_fails_holds_nothing(void **state)
{
    (void)state;
    struct pty_claim claim;
    struct error error;
    unsigned before = descriptor_count();
    assert_int_equal(symlink("/dev/null", in_scratch("robot")), 0);
    memset(&claim, 0x55, sizeof claim);
    assert_false(pty_claim_open(&claim, in_scratch("robot"), &error));
    assert_int_equal(descriptor_count(), before);
    assert_false(is_there(in_scratch(".robot.lock")));
    assert_true(claim.lock < 0);
    pty_claim_close(&claim);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TCP(name)                                                                                  \
    {                                                                                              \
#name "_tcp", name, tcp_up, down, NULL                                                     \
    }
#define PTY(name)                                                                                  \
    {                                                                                              \
#name "_pty", name, pty_up, down, NULL                                                     \
    }

#define PORT(name)                                                                                 \
    {                                                                                              \
#name "_port", name, port_up, down, NULL                                                   \
    }

static const struct CMUnitTest tests[] = {
    CASE(a_pty_that_the_machine_refuses_names_the_step_and_leaves_nothing),
    CASE(a_port_that_the_machine_refuses_names_the_step_and_leaves_nothing),
    CASE(what_is_wrong_with_an_address_is_told_with_the_remedy),
    CASE(a_dead_link_that_cannot_be_removed_is_reported),
    PTY(no_other_program_gets_a_descriptor_of_a_link),
    TCP(no_other_program_gets_a_descriptor_of_a_link),
    PTY(a_read_that_a_signal_interrupts_is_made_again),
    TCP(a_read_that_a_signal_interrupts_is_made_again),
    PORT(a_read_that_a_signal_interrupts_is_made_again),
    PTY(a_write_that_a_signal_interrupts_or_shortens_is_continued),
    TCP(a_write_that_a_signal_interrupts_or_shortens_is_continued),
    PTY(a_frame_for_a_host_that_is_gone_is_unheard_and_one_without_room_dropped),
    TCP(a_frame_for_a_host_that_is_gone_is_unheard_and_one_without_room_dropped),
    PTY(what_the_robot_does_not_read_comes_later_and_whole),
    TCP(what_the_robot_does_not_read_comes_later_and_whole),
    PORT(what_the_robot_does_not_read_comes_later_and_whole),
    PTY(what_neither_end_reads_is_kept_apart),
    TCP(what_neither_end_reads_is_kept_apart),
    PORT(what_neither_end_reads_is_kept_apart),
    PTY(a_host_that_has_left_has_neither_lines_nor_settings),
    TCP(a_host_that_has_left_has_neither_lines_nor_settings),
    PORT(a_host_that_has_left_has_neither_lines_nor_settings),
    TCP(an_end_after_an_interrupted_call_is_seen),
    PORT(an_end_after_an_interrupted_call_is_seen),
    TCP(what_the_hosts_kernel_has_not_taken_is_unread),
    PORT(a_client_that_has_ended_makes_room_for_the_next_one),
    TCP(a_host_that_waited_in_vain_leaves_no_descriptor),
    PTY(the_settings_of_a_host_are_unknown_when_it_comes),
    TCP(the_settings_of_a_host_are_unknown_when_it_comes),
    TCP(a_connection_that_cannot_be_read_has_ended),
    TCP(a_host_that_acknowledges_nothing_for_too_long_has_vanished),
    TCP(a_listener_without_descriptors_is_not_polled_until_the_next_look),
    TCP(a_client_that_says_nothing_is_served_after_a_while),
    TCP(a_crowd_of_hosts_is_rejected_by_the_next_looks),
    TCP(a_clock_of_milliseconds_runs_through_seconds),
    TCP(a_server_rests_before_it_accepts_the_next_host),
    PTY(a_link_whose_watches_are_shared_has_no_descriptor_of_its_own_for_them),
    PTY(a_device_that_cannot_be_reset_is_replaced),
    PTY(an_echo_that_a_host_leaves_needs_no_other_device),
    PTY(a_plug_that_the_machine_refuses_stays_out_and_goes_in_later),
    PTY(the_robots_lines_are_the_same_at_the_next_plug),
    PTY(lost_modem_lines_are_told_of_and_the_link_goes_on),
    CASE(no_look_at_a_device_makes_it_the_terminal_of_the_process),
    PTY(a_path_that_is_removed_again_and_again_is_reported_once),
    PTY(a_path_that_cannot_be_restored_is_reported_with_the_reason),
    PTY(an_unplugged_port_has_no_path_to_restore),
    PTY(a_path_that_is_there_is_not_reported_after_another_error),
    PTY(a_path_that_another_link_has_leaves_no_descriptor),
    PTY(how_much_is_unread_is_unknown_where_the_machine_does_not_say),
    PTY(what_a_host_has_read_is_known_a_moment_later),
    PTY(what_a_host_has_read_is_known_at_once_where_all_is_delivered),
    PTY(a_plug_that_is_pulled_during_a_delivery_leaves_no_descriptor),
    PTY(a_pty_has_no_errors_to_report),
    PTY(a_host_with_the_shim_finds_how_much_was_sent_each_way),
    PTY(the_next_host_finds_the_lines_on_that_the_last_one_has_cleared),
    PTY(the_settings_of_bytes_before_a_restored_port_are_unknown),
    PTY(what_a_host_left_behind_a_full_link_is_not_taken_for_the_next_ones),
    PTY(bytes_of_two_hosts_between_two_looks_are_the_earlier_ones),
    CASE(a_symlink_that_cannot_replace_the_old_one_is_removed),
    CASE(a_claim_that_fails_holds_nothing),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
