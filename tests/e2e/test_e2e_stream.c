/* The byte stream of a Kobuki through a real pty: the packets that a driver receives, whatever it
 * does. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* Packets that a driver on a busy machine has read too late are counted exactly. */
static void check_all_heard(const struct kobuki_host *host, const struct stage *stage)
{
    kobuki_host_check(host, (uint64_t)stage_get(stage, "kobuki.uart.dropped_frames"));
}

static void a_host_hears_whole_packets_from_its_first_byte_on(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 100);
    check_all_heard(&host, stage);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void the_robot_never_hears_its_own_bytes(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 50);
    assert_true(stage_get(stage, "kobuki.uart.to_host_bytes") >= 50 * 81);
    assert_true(stage_get(stage, "kobuki.uart.from_host_bytes") == 0);
    kobuki_host_close(&host);
}

static void a_host_never_hears_its_own_bytes(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    /* A terminal that is not in raw mode would echo newlines and control characters. */
    static const char bytes[] = "\r\n\003\004\021\023\032\177 hello robot\r\n";
    for (int i = 0; i < 20; i++) {
        assert_true(serial_port_write(host.port, bytes, sizeof bytes));
        kobuki_host_hear(&host, 5);
    }
    check_all_heard(&host, stage);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.from_host_bytes") == 20 * sizeof bytes);
    kobuki_host_close(&host);
}

static void packets_are_whole_however_the_line_cuts_them(void **state)
{
    struct stage *stage = *state;
    static const char *const links[] = {", chunks: byte", ", chunks: ftdi"};
    for (size_t i = 0; i < 2; i++) {
        struct kobuki_host host;
        stage_write_kobuki(stage, links[i], "");
        STAGE_RUN_KOBUKI(stage, "--speed", "4");
        kobuki_host_open(&host, stage->port);
        kobuki_host_hear(&host, 100);
        check_all_heard(&host, stage);
        kobuki_host_close(&host);
        stage_end(stage);
    }
}

static void the_clock_of_the_robot_wraps_without_a_gap(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "timestamp_start_ms: 65000");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 1);
    assert_true(host.timestamp_ms >= 65000);
    kobuki_host_hear(&host, 100);
    assert_true(host.timestamp_ms < 65000);
    check_all_heard(&host, stage);
    kobuki_host_close(&host);
}

/* Reads until the robot's packets are AFTER_S later than now. On a busy machine old packets may
 * wait, and the driver's last command takes effect after them. The robot's clock must not have
 * wrapped. */
static void hear_past_now(struct kobuki_host *host, const struct stage *stage, double after_s)
{
    double until_s = stage_get(stage, "world.time_s") + after_s;
    assert_true(until_s < 65);
    while (host->timestamp_ms < 1000 * until_s)
        kobuki_host_hear(host, 1);
}

/* The same, with a command after each packet. */
static void drive_past_now(struct kobuki_host *host, const struct stage *stage, int16_t speed_mm_s,
                           double after_s)
{
    double until_s = stage_get(stage, "world.time_s") + after_s;
    assert_true(until_s < 65);
    while (host->timestamp_ms < 1000 * until_s)
        kobuki_host_drive(host, speed_mm_s, 0, 1);
}

static void base_control_drives_the_robot(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    double from_m = stage_get(stage, "kobuki.x_m");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 1);
    const struct kobuki_reading *reading = &host.protocol.reading;
    uint16_t left = reading->left_ticks, right = reading->right_ticks;
    drive_past_now(&host, stage, 200, 2);
    kobuki_host_drive(&host, 0, 0, 1);
    hear_past_now(&host, stage, 1);
    check_all_heard(&host, stage);
    double left_m = (int16_t)(reading->left_ticks - left) * KOBUKI_M_PER_TICK;
    double right_m = (int16_t)(reading->right_ticks - right) * KOBUKI_M_PER_TICK;
    double way_m = stage_get(stage, "kobuki.x_m") - from_m;
    assert_true(left_m > 0.2 && left_m < 2);
    assert_true(right_m > left_m - 0.02 && right_m < left_m + 0.02);
    assert_true(way_m > left_m - 0.02 && way_m < left_m + 0.02);
    kobuki_host_close(&host);
}

static void silence_stops_the_robot_and_the_host_still_hears_it(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "watchdog_s: 4");
    STAGE_RUN_KOBUKI(stage, "--speed", "5");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    const struct kobuki_reading *reading = &host.protocol.reading;
    drive_past_now(&host, stage, 200, 1);
    hear_past_now(&host, stage, 0.5);
    uint16_t driven = reading->left_ticks;
    assert_int_not_equal(driven, 0);
    hear_past_now(&host, stage, 0.5);
    assert_int_not_equal(reading->left_ticks, driven);
    hear_past_now(&host, stage, 5);
    uint16_t stopped = reading->left_ticks;
    kobuki_host_hear(&host, 50);
    assert_int_equal(reading->left_ticks, stopped);
    check_all_heard(&host, stage);
    kobuki_host_close(&host);
}

static void write_two_kobukis(const struct stage *stage)
{
    folder_write(
        &stage->folder, "two.yaml",
        "name: Two Kobukis\n"
        "world: {size: {x: 20, y: 20}}\n"
        "robots:\n"
        "  - {name: kobuki, type: kobuki, pose: {x: 5, y: 5}, links: [{pty: %s}]}\n"
        "  - {name: other, type: kobuki, pose: {x: 15, y: 15}, links: [{pty: %s/other}]}\n",
        stage->port, stage->folder.path);
}

static void a_host_that_never_reads_costs_counted_packets_and_harms_nobody(void **state)
{
    struct stage *stage = *state;
    write_two_kobukis(stage);
    stage_run(stage, "two.yaml", (const char *const[]){"--speed", "6", NULL});
    struct kobuki_host lazy, other;
    char path[FOLDER_PATH_MAX];
    kobuki_host_open(&lazy, stage->port);
    kobuki_host_open(&other, folder_path(&stage->folder, "other", path));
    kobuki_host_hear(&lazy, 1);
    kobuki_host_hear(&other, 1);
    /* The kernel buffers about 70 kB, 17 s of packets; after that, drops must be counted. */
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(stage, "kobuki.uart.dropped_frames") < 10) {
        kobuki_host_hear(&other, 20);
        assert_true(now_ms() < end_ms);
    }
    kobuki_host_check(&other, 0);

    /* When it reads again, it gets whole packets, first old ones and finally new ones. */
    kobuki_host_hear(&lazy, 1200);
    kobuki_host_check(&lazy, UINT64_MAX);
    assert_true(lazy.skipped_packets >= 10);
    WAIT_UNTIL((kobuki_host_drive(&lazy, 100, 0, 1), lazy.protocol.reading.left_ticks != 0));
    kobuki_host_close(&lazy);
    kobuki_host_close(&other);
}

static void a_host_that_slept_hears_every_packet_in_order(void **state)
{
    struct stage *stage = *state;
    struct program host;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    program_start(
        &host, &stage->folder, "listen",
        (const char *const[]){PTYBOT_HOSTS_DIR "/kobuki_listen", stage->port, "300", NULL}, 0);
    WAIT_UNTIL(program_has_said(&host, "listening"));
    kill(host.pid, SIGSTOP);
    sleep_ms(1500);
    kill(host.pid, SIGCONT);
    assert_int_equal(program_wait(&host), 0);
}

/* ---- Floods ---- */

enum { FLOOD_BYTES = 1 << 20 };
#define FLOOD_TIMEOUT_MS (3 * TEST_TIMEOUT_MS)

/* Half noise, half good commands, in runs of up to 200 bytes. */
static uint8_t *make_flood(void)
{
    uint8_t *flood = malloc(FLOOD_BYTES + 256);
    uint32_t noise = 1;
    for (size_t at = 0; at < FLOOD_BYTES;) {
        for (unsigned i = 0, size = noise % 200; i < size; i++) {
            noise = noise * 1664525u + 1013904223u;
            flood[at++] = (uint8_t)(noise >> 24);
        }
        for (unsigned i = 0; i < 10 && at < FLOOD_BYTES; i++)
            at += kobuki_base_control(flood + at, 0, 0);
        noise = noise * 1664525u + 1013904223u;
    }
    return flood;
}

/* Writes as fast as the line accepts, and reads meanwhile. */
static void flood_with(struct kobuki_host *host, const uint8_t *bytes, size_t size)
{
    int64_t end_ms = now_ms() + FLOOD_TIMEOUT_MS;
    assert_int_equal(fcntl(host->port, F_SETFL, O_NONBLOCK), 0);
    while (size > 0) {
        struct pollfd wait = {.fd = host->port, .events = POLLIN | POLLOUT};
        poll(&wait, 1, 1000);
        kobuki_host_take(host);
        ssize_t wrote = write(host->port, bytes, size < 4096 ? size : 4096);
        if (wrote > 0) {
            bytes += wrote;
            size -= (size_t)wrote;
        } else {
            sleep_ms(1);
        }
        assert_true(now_ms() < end_ms);
    }
    assert_int_equal(fcntl(host->port, F_SETFL, 0), 0);
}

static void a_megabyte_of_noise_and_commands_leaves_the_stream_whole(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "20");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    uint8_t *flood = make_flood();
    flood_with(&host, flood, FLOOD_BYTES);
    free(flood);
    /* The queue in the line takes time, and commands wait behind it. */
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(stage, "kobuki.uart.from_host_bytes") < FLOOD_BYTES) {
        kobuki_host_hear(&host, 20);
        assert_true(now_ms() < end_ms);
    }
    assert_true(stage_get(stage, "kobuki.uart.noise_bytes") > 100000);
    assert_true(stage_get(stage, "kobuki.uart.frames") > 10000);

    uint16_t from = host.protocol.reading.left_ticks;
    /* Slower, because a driver on a busy machine would pause longer than the robot's watchdog
     * allows. */
    stage_do(stage, "world.speed x=2");
    end_ms = now_ms() + TEST_TIMEOUT_MS;
    do {
        kobuki_host_drive(&host, 200, 0, 20);
        assert_true(now_ms() < end_ms);
    } while (host.protocol.reading.left_ticks == from);
    check_all_heard(&host, stage);
    kobuki_host_close(&host);
    stage_end(stage);
}

/* ---- Pieces ---- */

enum { TOTAL_MAX = 1 << 18 };

/* All bytes that a run sent to a driver, and the bytes that the driver read. */
struct heard {
    size_t size;
    uint8_t bytes[TOTAL_MAX];
};

/* Runs a step; then, if READS, reads up to the last byte that the link has accepted. */
static void step_and_read(struct ptybot_run *client, int port, unsigned ms, bool reads,
                          struct heard *heard, size_t *written)
{
    assert_true(ptybot_step(client, ms));
    *written += (size_t)ptybot_sent(client, "kobuki");
    assert_true(*written < TOTAL_MAX);
    while (reads && heard->size < *written) {
        int got = serial_port_read(port, heard->bytes + heard->size, TOTAL_MAX - heard->size,
                                   TEST_TIMEOUT_MS);
        assert_true(got > 0);
        heard->size += (size_t)got;
    }
}

/* 20 s in lockstep with a driver that reads, or that starts reading at 15 s. Returns the number of
 * pieces that the run counts as dropped; SENT: the number of bytes that it passed to the link. */
static size_t run_with_host(const char *chunks, bool reads, struct heard *heard, size_t *sent)
{
    void *state;
    size_t written = 0;
    stage_setup(&state);
    struct stage *stage = state;
    stage_write_kobuki(stage, chunks, "");
    STAGE_RUN_KOBUKI(stage, "--lockstep");
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.hosts") == 1);
    struct ptybot_run *client = stage_client(stage);
    heard->size = 0;
    for (int tenth = 0; tenth < 200; tenth++)
        step_and_read(client, port, 100, reads || tenth >= 150, heard, &written);
    *sent = (size_t)stage_get(stage, "kobuki.uart.to_host_bytes");
    size_t dropped = (size_t)stage_get(stage, "kobuki.uart.dropped_frames");
    size_t taken = (size_t)stage_get(stage, "kobuki.uart.taken_frames");
    // With single bytes each piece is one byte.
    if (strstr(chunks, "byte")) {
        assert_int_equal(taken, heard->size);
        assert_int_equal(taken + dropped, *sent);
    }
    close(port);
    ptybot_end(client);
    stage_end(stage);
    char *summary = program_out(&stage->ptybot);
    char pieces[64];
    snprintf(pieces, sizeof pieces, " %zu ", taken);
    assert_non_null(strstr(summary, "pieces out"));
    assert_non_null(strstr(summary, pieces));
    free(summary);
    stage_teardown(&state);
    return dropped;
}

/* The received bytes are the sent bytes with gaps, and the counters have the size of the gaps. */
static void check_hole(const char *chunks, size_t piece_max)
{
    static struct heard whole, holed;
    size_t sent, sent_again;
    assert_int_equal(run_with_host(chunks, true, &whole, &sent), 0);
    assert_int_equal(whole.size, sent);
    size_t dropped = run_with_host(chunks, false, &holed, &sent_again);
    assert_int_equal(sent_again, sent);
    size_t lost = sent - holed.size;
    print_message("%s: %zu of %zu bytes lost in %zu pieces\n", chunks, lost, sent, dropped);
    assert_true(dropped > 0 && lost >= dropped && lost <= dropped * piece_max);
    // The kernel may have accepted a piece between two that it rejected: several gaps, in order.
    size_t at = 0;
    for (size_t from = 0; from < whole.size && at < holed.size; from++)
        at += holed.bytes[at] == whole.bytes[from];
    assert_int_equal(at, holed.size);
    // Before and after the gaps no byte is missing.
    assert_memory_equal(holed.bytes, whole.bytes, 4000);
    assert_memory_equal(holed.bytes + holed.size - 4000, whole.bytes + whole.size - 4000, 4000);
}

static void a_host_that_does_not_read_loses_pieces_as_they_are_cut_and_counted(void **state)
{
    (void)state;
    check_hole(", chunks: byte", 1);
    check_hole(", chunks: ftdi", 62);
    check_hole("", 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_host_hears_whole_packets_from_its_first_byte_on),
        STAGED(the_robot_never_hears_its_own_bytes),
        STAGED(a_host_never_hears_its_own_bytes),
        STAGED(packets_are_whole_however_the_line_cuts_them),
        STAGED(the_clock_of_the_robot_wraps_without_a_gap),
        STAGED(base_control_drives_the_robot),
        STAGED(silence_stops_the_robot_and_the_host_still_hears_it),
        STAGED(a_host_that_never_reads_costs_counted_packets_and_harms_nobody),
        STAGED(a_host_that_slept_hears_every_packet_in_order),
        STAGED(a_megabyte_of_noise_and_commands_leaves_the_stream_whole),
        cmocka_unit_test(a_host_that_does_not_read_loses_pieces_as_they_are_cut_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
