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
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/links/links_view.h"
#include "base/serial_settings.h"
#include "tests/support/machine.h"
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

/* Between visits, too: a step that sends bytes finds that the driver has left. */
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

static char told[512];

static void note_input(void *context, const struct sim_input *input)
{
    static const char *const names[] = {
        [SIM_INPUT_HOST] = "host", [SIM_INPUT_LINES] = "lines", [SIM_INPUT_BAUD] = "baud",
        [SIM_INPUT_MODE] = "mode", [SIM_INPUT_BYTES] = "bytes", [SIM_INPUT_READS] = "reads"};
    size_t size = strlen(told);
    uint32_t value = input->kind == SIM_INPUT_BYTES ? (uint32_t)input->size : input->value;
    (void)context;
    snprintf(told + size, sizeof told - size, "%s %u; ", names[input->kind], value);
}

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

/* A program that sets nothing and writes works with the settings of a port's start. */
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
    /* It needs no byte if it is there for long. */
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

/* Even one that leaves before a visit finds it. */
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

/* No visit is needed. */
static void drivers_that_come_and_go_wake_the_loop(void **state)
{
    struct fixture *f = *state;
    int64_t end_ns = poller_now_ns() + TIMEOUT_NS;
    for (int i = 0; i < 3; i++) {
        int fd = open(f->pty_path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        assert_true(is_woken_for_hosts(f));
        assert_true(view_of(f).is_host);
        /* From then on news is only that it writes. */
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

/* Also if something else than the poller finds that a driver came or left. */
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

static void step_until_written(struct fixture *f)
{
    for (uint64_t written = view_of(f).written; view_of(f).written == written;) {
        sim_step(f->sim);
        links_after_step(f->links, NOW_NS);
    }
}

/* The stopped clock shows that nothing is waited for. */
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
    /* CTS off: DSR and DCD are on, CTS has changed. */
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
#define LINK_TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)
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
        LINK_TEST(bytes_wake_the_loop_as_often_as_they_come),
        LINK_TEST(a_full_link_waits_for_steps),
        LINK_TEST(a_look_sees_the_settings_of_a_driver),
        LINK_TEST(what_a_driver_leaves_unread_is_noted),
        cmocka_unit_test_setup_teardown(a_robot_may_wait_for_its_driver, open_waiting, close_rig),
        cmocka_unit_test_setup_teardown(one_driver_at_a_time_is_served, open_server, close_rig),
        cmocka_unit_test_setup_teardown(a_robot_waits_as_soon_as_the_kernel_has_no_room,
                                        open_waiting, close_rig),
        cmocka_unit_test_setup_teardown(a_port_over_telnet_has_the_rate_and_lines_of_the_robot,
                                        open_server, close_rig),
        cmocka_unit_test_setup_teardown(a_warning_of_a_link_is_printed_when_it_opens, open_public,
                                        close_rig),
        LINK_TEST(drivers_that_come_and_go_wake_the_loop),
        LINK_TEST(the_loop_is_woken_for_drivers_only_while_one_is_awaited),
        LINK_TEST(a_link_is_full_when_no_byte_has_room),
        LINK_TEST(delivered_bytes_can_be_read_at_once),
        LINK_TEST(what_the_kernel_has_no_room_for_is_dropped_and_counted),
        LINK_TEST(readings_stay_while_the_machine_does_not_tell_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
