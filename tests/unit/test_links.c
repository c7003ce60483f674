/* Links of a run: messages about drivers, unplugging, and counters. The time of messages is an
 * argument. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/links/links_view.h"
#include "tests/unit/control_rig.h"

#define SECOND_NS INT64_C(1000000000)
#define NOW_NS    (100 * SECOND_NS)

/* ---- Messages ---- */

static int kept_stderr, said_fd;

static void listen_to_stderr(void)
{
    fflush(stderr);
    kept_stderr = dup(STDERR_FILENO);
    said_fd = memfd_create("said", MFD_CLOEXEC);
    assert_true(kept_stderr >= 0 && said_fd >= 0);
    assert_int_equal(dup2(said_fd, STDERR_FILENO), STDERR_FILENO);
}

/* The messages since the last call. */
static const char *said(void)
{
    static char text[8192];
    fflush(stderr);
    ssize_t size = pread(said_fd, text, sizeof text - 1, 0);
    assert_true(size >= 0 && (size_t)size < sizeof text - 1);
    text[size] = '\0';
    assert_int_equal(ftruncate(said_fd, 0), 0);
    assert_int_equal(lseek(said_fd, 0, SEEK_SET), 0);
    return text;
}

static void restore_stderr(void)
{
    fflush(stderr);
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    close(said_fd);
}

static int open_rig(void **state)
{
    int failed = set_up(state);
    listen_to_stderr();
    return failed;
}

static int close_rig(void **state)
{
    restore_stderr();
    return tear_down(state);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* ---- A driver ---- */

static struct links_view view_of(const struct fixture *f)
{
    struct links_view view;
    links_view(f->links, 0, &view);
    return view;
}

/* Visits the link until the driver is connected, or is not, as of NOW_NS. */
static void await_driver(struct fixture *f, bool is_there, int64_t now_ns)
{
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(f).is_host != is_there) {
        assert_true(poller_now_ns() < end_ns);
        links_visit(f->links, now_ns);
    }
    links_visit(f->links, now_ns);
}

static int open_driver(struct fixture *f, int64_t now_ns)
{
    int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct termios raw;
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &raw), 0);
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    assert_int_equal(tcsetattr(fd, TCSANOW, &raw), 0);
    await_driver(f, true, now_ns);
    return fd;
}

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
    assert_string_equal(said(), ""); /* it may set another one before it writes */
    assert_int_equal(write(fd, "x", 1), 1);
    for (int i = 0; i < 3; i++)
        links_visit_all(f->links, NOW_NS);
    assert_string_equal(said(),
                        "ptybot: kobuki.uart: the driver set 9600 baud, 8N1, raw; the robot has "
                        "115200 baud, 8N1, raw\n");
    close(fd);
}

/* ---- What wakes the loop ---- */

/* Whether the link has something to do; serves it. Each call is later than the last one. */
static bool is_woken(struct fixture *f)
{
    static int64_t now_ns = NOW_NS;
    struct poller_ready ready[POLLER_READY_MAX];
    size_t count = poller_wait(&f->poller, 0, ready), woken = 0;
    now_ns++;
    for (size_t i = 0; i < count; i++) {
        if (ready[i].owner != POLLER_LINK)
            continue;
        links_ready(f->links, ready[i].index, ready[i].events, now_ns);
        woken++;
    }
    return woken > 0;
}

static void await_wake(struct fixture *f)
{
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (!is_woken(f))
        assert_true(poller_now_ns() < end_ns);
}

static void bytes_wake_the_loop_as_often_as_they_come(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    while (is_woken(f))
        continue;
    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(write(fd, "x", 1), 1);
        int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
        while (view_of(f).received < i) {
            is_woken(f);
            assert_true(poller_now_ns() < end_ns);
        }
    }
    close(fd);
    await_wake(f);
}

/* A robot that takes no more would be woken all the time. */
static void a_full_link_waits_for_steps(void **state)
{
    struct fixture *f = *state;
    static const uint8_t many[4096];
    int fd = open_driver(f, NOW_NS);
    while (!view_of(f).is_full) {
        (void)!write(fd, many, sizeof many);
        links_visit_all(f->links, NOW_NS);
    }
    (void)!write(fd, many, sizeof many);
    for (int i = 0; i < 20; i++)
        is_woken(f);
    assert_false(is_woken(f));
    uint64_t before = view_of(f).received;
    for (int i = 0; i < 20; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(f).received == before) {
        is_woken(f);
        assert_true(poller_now_ns() < end_ns);
    }
    assert_int_equal(tcflush(fd, TCIOFLUSH), 0);
    close(fd);
}

/* Also before a step that has all its bytes. */
static void a_look_sees_the_settings_of_a_driver(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    struct termios settings;
    assert_int_equal(tcgetattr(fd, &settings), 0);
    cfsetspeed(&settings, B57600);
    assert_int_equal(tcsetattr(fd, TCSANOW, &settings), 0);
    links_look(f->links, 0, true, NOW_NS);
    assert_int_equal(view_of(f).host_baud, 57600);
    close(fd);
}

/* ---- How a driver reads ---- */

static void read_all(int fd, uint64_t size)
{
    uint8_t heard[4096];
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (size > 0) {
        ssize_t some = read(fd, heard, sizeof heard);
        size -= some > 0 ? (size_t)some : 0;
        assert_true(poller_now_ns() < end_ns);
    }
}

static void what_a_driver_leaves_unread_is_noted(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    for (int i = 0; i < 1000; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
        if (i % 100 == 99)
            links_visit(f->links, NOW_NS);
        if (i == 499)
            links_note_readings(f->links);
    }
    struct live_channel *live = &f->live.channels[0];
    assert_int_equal(live->unread_bytes, view_of(f).written);
    assert_true(live->unread_bytes > 1000);
    assert_true(live->host_silence_s > 0.85 && live->host_silence_s <= 1);
    assert_int_equal(view_of(f).reading->unread, live->unread_bytes);
    /* Between visits, ten times a second of simulated time. */
    read_all(fd, view_of(f).written);
    links_note_readings(f->links); /* the next one is due in 100 ms */
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (live->unread_bytes > 0) {
        links_visit(f->links, NOW_NS);
        assert_true(poller_now_ns() < end_ns);
    }
    for (int i = 0; i < 99; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
        links_note_readings(f->links);
    }
    assert_int_equal(live->unread_bytes, 0);
    sim_step(f->sim);
    links_after_step(f->links, NOW_NS);
    links_note_readings(f->links);
    assert_int_equal(live->unread_bytes, view_of(f).reading->unread);
    assert_true(live->unread_bytes > 300);
    close(fd);
}

static void let_it_wait(struct scene_link *link)
{
    link->unread = SCENE_UNREAD_WAIT;
}

static int open_waiting(void **state)
{
    int failed = set_up_link(state, let_it_wait);
    listen_to_stderr();
    return failed;
}

/* The firmware waits for a driver that does not read, and continues when it does. */
static void a_robot_may_wait_for_its_driver(void **state)
{
    struct fixture *f = *state;
    uint8_t heard[4096];
    size_t size = 0;
    int fd = open_driver(f, NOW_NS);
    for (int i = 0; i < 20000; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    uint64_t kept = view_of(f).written;
    assert_int_equal(view_of(f).dropped, 0);
    for (int i = 0; i < 2000; i++) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    assert_int_equal(view_of(f).written, kept); /* nothing more was sent */
    for (int i = 0; i < 1000; i++) {
        ssize_t some = read(fd, heard, sizeof heard);
        size += some > 0 ? (size_t)some : 0;
        links_visit_all(f->links, NOW_NS);
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
    assert_true(view_of(f).written > kept + 1000);
    assert_true(size > kept);
    assert_int_equal(view_of(f).dropped, 0);
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

int main(void)
{
#define LINK_TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
    const struct CMUnitTest tests[] = {
        LINK_TEST(a_driver_is_announced_when_it_comes_and_goes),
        LINK_TEST(a_driver_that_comes_and_goes_all_the_time_floods_nobody),
        LINK_TEST(a_plug_is_pulled_and_put_in_again_as_commanded),
        LINK_TEST(bytes_go_both_ways_and_are_counted),
        LINK_TEST(a_wrong_rate_is_said_once_it_matters),
        LINK_TEST(bytes_wake_the_loop_as_often_as_they_come),
        LINK_TEST(a_full_link_waits_for_steps),
        LINK_TEST(a_look_sees_the_settings_of_a_driver),
        LINK_TEST(what_a_driver_leaves_unread_is_noted),
        cmocka_unit_test_setup_teardown(a_robot_may_wait_for_its_driver, open_waiting, close_rig),
        cmocka_unit_test_setup_teardown(one_driver_at_a_time_is_served, open_server, close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
