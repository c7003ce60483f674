/* Links of a run in its loop: what wakes it, how drivers read, and robots that wait for them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/serial_settings.h"
#include "tests/support/machine.h"
#include "tests/unit/links_rig.h"

/* ---- What wakes the loop ---- */

/* Each call is later than the last one. */
static int64_t later_ns(void)
{
    static int64_t now_ns = NOW_NS;
    return ++now_ns;
}

/* Whether the link has something to do; serves it. */
static bool is_woken(struct fixture *f)
{
    int64_t now_ns = later_ns();
    struct poller_ready ready[POLLER_READY_MAX];
    size_t count = poller_wait(&f->poller, 0, ready), woken = 0;
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

/* Serves each ready descriptor. Returns whether the descriptor that all ptys share was. */
static bool is_woken_for_hosts(struct fixture *f)
{
    struct poller_ready ready[POLLER_READY_MAX];
    size_t count = poller_wait(&f->poller, 0, ready);
    bool is_shared = false;
    int64_t now_ns = later_ns();
    for (size_t i = 0; i < count; i++) {
        if (ready[i].owner != POLLER_LINK)
            continue;
        is_shared |= ready[i].index == sim_channel_count(f->sim);
        links_ready(f->links, ready[i].index, ready[i].events, now_ns);
    }
    return is_shared;
}

/* No visit is necessary. */
static void drivers_that_come_and_go_wake_the_loop(void **state)
{
    struct fixture *f = *state;
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    for (int i = 0; i < 3; i++) {
        int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        assert_true(is_woken_for_hosts(f));
        assert_true(view_of(f).is_host);
        /* From then on, only bytes that it writes are news. */
        assert_int_equal(write(fd, "x\n", 2), 2);
        while (view_of(f).received < 2 * (uint64_t)(i + 1)) {
            assert_true(poller_now_ns() < end_ns);
            assert_false(is_woken_for_hosts(f));
        }
        close(fd);
        while (view_of(f).is_host) {
            assert_true(poller_now_ns() < end_ns);
            is_woken_for_hosts(f);
        }
    }
}

/* Also if something other than the poller finds that a driver came or left. */
static void the_loop_is_woken_for_drivers_only_while_one_is_awaited(void **state)
{
    struct fixture *f = *state;
    for (int way = 0; way < 3; way++) {
        int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
        int fd = -1;
        for (int is_there = 1; is_there >= 0; is_there--) {
            if (is_there)
                fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
            else
                close(fd);
            while (view_of(f).is_host != is_there) {
                assert_true(poller_now_ns() < end_ns);
                sim_step(f->sim);
                if (way == 0 || (way == 2 && is_there)) /* without a driver there is no output */
                    links_visit_all(f->links, NOW_NS);
                else if (way == 1)
                    links_look(f->links, 0, false, NOW_NS);
                else
                    links_after_step(f->links, NOW_NS);
            }
            int other = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
            assert_int_equal(is_woken_for_hosts(f), !is_there);
            close(other);
            while (view_of(f).is_host != is_there)
                links_visit_all(f->links, NOW_NS);
        }
    }
}

/* A robot that takes no more would be woken all the time. */
static void a_full_link_waits_for_steps(void **state)
{
    struct fixture *f = *state;
    static const uint8_t many[4096];
    /* It does not wait for something else either: the standard input has ended. */
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    int fd = open_driver(f, NOW_NS);
    while (!view_of(f).is_full) {
        (void)!write(fd, many, sizeof many);
        links_visit_all(f->links, NOW_NS);
    }
    (void)!write(fd, many, sizeof many);
    for (int i = 0; i < 20; i++)
        is_woken(f);
    assert_false(is_woken(f));
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    close(kept);
    /* Also after a step without output. */
    uint64_t written = view_of(f).written;
    sim_step(f->sim);
    links_after_step(f->links, NOW_NS);
    assert_false(view_of(f).is_full);
    assert_int_equal(view_of(f).written, written);
    uint64_t before = view_of(f).received;
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    while (view_of(f).received == before) {
        is_woken(f);
        assert_true(poller_now_ns() < end_ns);
    }
    assert_int_equal(tcflush(fd, TCIOFLUSH), 0);
    close(fd);
}

/* Also if there was room for one byte. */
static void a_link_is_full_when_no_byte_has_room(void **state)
{
    struct fixture *f = *state;
    static const uint8_t many[4096];
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    int fd = open_driver(f, NOW_NS);
    for (size_t room; (room = sim_host_room(f->sim, 0)) > 1;) {
        size_t size = room - 1 < sizeof many ? room - 1 : sizeof many;
        uint64_t wanted = view_of(f).received + size;
        assert_int_equal(write(fd, many, size), size);
        while (view_of(f).received < wanted) {
            assert_true(poller_now_ns() < end_ns);
            links_visit_all(f->links, NOW_NS);
        }
    }
    assert_false(view_of(f).is_full);
    assert_int_equal(write(fd, many, 2), 2);
    while (!view_of(f).is_full) {
        assert_true(poller_now_ns() < end_ns);
        links_visit_all(f->links, NOW_NS);
    }
    assert_int_equal(tcflush(fd, TCIOFLUSH), 0);
    close(fd);
}

/* Also before a step whose bytes have all arrived. */
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

/* ---- How a driver reads ---- */

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

/* The stopped clock shows that the call does not wait. */
static void delivered_bytes_can_be_read_at_once(void **state)
{
    struct fixture *f = *state;
    const pid_t hosts[] = {getpid()};
    uint8_t heard[4096];
    int fd = open_driver(f, NOW_NS);
    step_until_written(f);
    /* Counters do not wait for a visit. */
    assert_int_equal(f->live.channels[0].taken_frames, view_of(f).taken);
    read_all(fd, view_of(f).written);
    machine_time_ms = poller_now_ns() / 1000000;
    for (int i = 0; i < 5; i++) {
        uint64_t before = view_of(f).written;
        step_until_written(f);
        links_deliver(f->links, hosts, 1);
        assert_int_equal(read(fd, heard, sizeof heard), view_of(f).written - before);
        for (int j = 0; j < 100; j++)
            sim_step(f->sim); /* a note is due */
        links_note_readings(f->links);
        assert_int_equal(f->live.channels[0].unread_bytes, 0);
        links_after_step(f->links, NOW_NS);
        links_deliver(f->links, hosts, 1);
        while (read(fd, heard, sizeof heard) > 0)
            continue;
    }
    machine_time_ms = 0;
    close(fd);
}

static void readings_stay_while_the_machine_does_not_tell_them(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    step_until_written(f);
    links_visit(f->links, NOW_NS);
    uint64_t unread = f->live.channels[0].unread_bytes;
    assert_int_equal(unread, view_of(f).written);
    step_until_written(f);
    machine_refuse((struct refusal){.call = CALL_IOCTL, .request = FIONREAD, .reason = EIO});
    links_visit(f->links, NOW_NS);
    assert_int_equal(machine_obey(), 1);
    assert_int_equal(f->live.channels[0].unread_bytes, unread);
    assert_int_equal(view_of(f).reading->unread, unread);
    links_visit(f->links, NOW_NS);
    assert_int_equal(f->live.channels[0].unread_bytes, view_of(f).written);
    close(fd);
}

static void what_the_kernel_has_no_room_for_is_dropped_and_counted(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    machine_refuse((struct refusal){.call = CALL_WRITE, .reason = EAGAIN});
    step_until_written(f);
    assert_int_equal(machine_obey(), 1);
    assert_int_equal(view_of(f).dropped, 1);
    assert_int_equal(f->live.channels[0].dropped_frames, 1);
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

/* Within the step: the next one may have more. */
static void a_robot_waits_as_soon_as_the_kernel_has_no_room(void **state)
{
    struct fixture *f = *state;
    int fd = open_driver(f, NOW_NS);
    told[0] = '\0';
    sim_listen(f->sim, note_input, NULL);
    machine_refuse((struct refusal){.call = CALL_WRITE, .reason = EAGAIN});
    step_until_written(f);
    assert_int_equal(machine_obey(), 1);
    assert_string_equal(told, "reads 0; ");
    assert_int_equal(view_of(f).dropped, 0);
    await_wake(f); /* the kernel has room */
    links_after_step(f->links, NOW_NS);
    assert_string_equal(told, "reads 0; reads 1; ");
    read_all(fd, view_of(f).written);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(bytes_wake_the_loop_as_often_as_they_come),
        LINK_TEST(a_full_link_waits_for_steps),
        LINK_TEST(a_look_sees_the_settings_of_a_driver),
        LINK_TEST(what_a_driver_leaves_unread_is_noted),
        cmocka_unit_test_setup_teardown(a_robot_may_wait_for_its_driver, open_waiting, close_rig),
        cmocka_unit_test_setup_teardown(a_robot_waits_as_soon_as_the_kernel_has_no_room,
                                        open_waiting, close_rig),
        LINK_TEST(drivers_that_come_and_go_wake_the_loop),
        LINK_TEST(the_loop_is_woken_for_drivers_only_while_one_is_awaited),
        LINK_TEST(a_link_is_full_when_no_byte_has_room),
        LINK_TEST(delivered_bytes_can_be_read_at_once),
        LINK_TEST(what_the_kernel_has_no_room_for_is_dropped_and_counted),
        LINK_TEST(readings_stay_while_the_machine_does_not_tell_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
