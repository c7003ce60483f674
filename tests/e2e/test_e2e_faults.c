/* Faults as a driver sees them on a real pty: a port that hangs up and returns, a robot that
 * restarts, damaged bytes in both directions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* Drives until the robot reports motion: on a busy machine the driver reads many packets before it
 * writes. */
static void drive_off(struct kobuki_host *host)
{
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    do {
        kobuki_host_drive(host, 200, 0, 10);
        assert_true(now_ms() < end_ms);
    } while (host->protocol.reading.left_ticks < 100);
}

static void open_host(struct stage *stage, struct kobuki_host *host)
{
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    kobuki_host_open(host, stage->port);
    drive_off(host);
}

/* Waits until this simulated time has passed. */
static void pass(const struct stage *stage, double seconds)
{
    double end_s = stage_get(stage, "world.time_s") + seconds;
    WAIT_UNTIL(stage_get(stage, "world.time_s") >= end_s);
}

/* All packets are undamaged; packets are missing only if a driver on a busy machine has read too
 * late. */
static void check_whole(const struct stage *stage, const struct kobuki_host *host)
{
    kobuki_host_check(host, (uint64_t)stage_get(stage, "kobuki.uart.dropped_frames"));
}

static void a_port_that_hangs_up_comes_back_under_its_path(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    uint8_t bytes[1024];
    open_host(stage, &host);
    uint16_t ticks = host.protocol.reading.left_ticks;
    stage_do(stage, "kobuki.fault uart=hangup for=2");
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (serial_port_read(host.port, bytes, sizeof bytes, 1000) >= 0)
        assert_true(now_ms() < end_ms);
    kobuki_host_close(&host);

    kobuki_host_open(&host, stage->port); // waits for the path
    kobuki_host_drive(&host, 200, 0, 20);
    check_whole(stage, &host);
    assert_true((uint16_t)(host.protocol.reading.left_ticks - ticks) < 10000);
    assert_true(stage_get(stage, "kobuki.uart.fault_hangups") == 1);
    assert_true(stage_get(stage, "kobuki.uart.hosts") == 2);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void a_brown_out_leaves_the_port_open_and_starts_the_robot_anew(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    open_host(stage, &host);
    stage_do(stage, "kobuki.fault power=brownout for=3");
    pass(stage, 0.1); // bytes that were on the wire
    while (kobuki_host_take(&host) > 0)
        ;                       // bytes received before
    kobuki_host_hear(&host, 1); // fails on a hang-up
    assert_int_equal(host.protocol.reading.left_ticks, 0);
    assert_true(host.wrong_steps <= 1); // its clock was reset, once
    assert_true(host.protocol.counters.bad_packets == 0);
    assert_true(stage_get(stage, "kobuki.fault_brownouts") == 1);
    drive_off(&host);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void a_robot_without_power_is_an_open_port_that_says_nothing(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    uint8_t bytes[1024];
    open_host(stage, &host);
    stage_do(stage, "kobuki.fault power=off");
    pass(stage, 0.1);
    while (serial_port_read(host.port, bytes, sizeof bytes, 0) > 0)
        ;
    assert_int_equal(serial_port_read(host.port, bytes, sizeof bytes, 500), 0);
    assert_true(serial_port_write(host.port, bytes, 10));
    stage_do(stage, "kobuki.heal");
    host.has_timestamp = false;
    kobuki_host_hear(&host, 20);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void flipped_bits_are_bad_packets_on_both_sides(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    open_host(stage, &host);
    check_whole(stage, &host);
    stage_do(stage, "kobuki.fault uart=flip rate=0.5 unit=frame");
    const struct kobuki_counters *counters = &host.protocol.counters;
    // On a busy machine, many undamaged packets are still queued.
    WAIT_UNTIL(
        (kobuki_host_drive(&host, 200, 0, 10), counters->bad_packets + counters->skipped > 10));
    WAIT_UNTIL(
        (kobuki_host_drive(&host, 200, 0, 10), stage_get(stage, "kobuki.uart.fault_flips") > 30 &&
                                                   stage_get(stage, "kobuki.uart.bad_frames") > 0));

    stage_do(stage, "kobuki.fault uart=none");
    double flips = stage_get(stage, "kobuki.uart.fault_flips");
    uint64_t bad;
    WAIT_UNTIL(
        (bad = counters->bad_packets, kobuki_host_hear(&host, 50), counters->bad_packets == bad));
    assert_true(stage_get(stage, "kobuki.uart.fault_flips") == flips);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void a_stalled_port_gives_all_its_packets_at_once(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    open_host(stage, &host);
    stage_do(stage, "kobuki.fault uart=stall for=2 direction=to_host");
    WAIT_UNTIL((kobuki_host_hear(&host, 10), stage_get(stage, "kobuki.uart.fault_stalls") > 50));
    kobuki_host_hear(&host, 50);
    check_whole(stage, &host);
    kobuki_host_close(&host);
    stage_end(stage);
}

static bool has_printed(const struct stage *stage, const char *file, const char *text)
{
    struct program ctl = {.folder = &stage->folder};
    strcpy(ctl.name, "ctl");
    char *printed = strcmp(file, "out") == 0 ? program_out(&ctl) : program_err(&ctl);
    bool has = strstr(printed, text) != NULL;
    free(printed);
    return has;
}

static void faults_are_words_on_the_command_line(void **state)
{
    struct stage *stage = *state;
    struct kobuki_host host;
    open_host(stage, &host);
    assert_int_not_equal(STAGE_CTL(stage, "kobuki.fault", "uart=dorp", "rate=0.1"), 0);
    assert_true(has_printed(stage, "err", "did you mean 'drop'?"));
    assert_int_equal(STAGE_CTL(stage, "kobuki.fault", "uart=drop", "rate=0.5", "unit=frame"), 0);
    assert_int_equal(STAGE_CTL(stage, "kobuki.fault", "bumper_left=dead"), 0);
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(stage, "kobuki.uart.fault_drops") <= 20 || host.skipped_packets <= 20) {
        kobuki_host_hear(&host, 10);
        assert_true(now_ms() < end_ms);
    }
    assert_int_equal(STAGE_CTL(stage, "kobuki.heal"), 0);
    assert_true(host.protocol.counters.bad_packets == 0);
    assert_int_equal(STAGE_CTL(stage, "get", "kobuki.uart.fault_drops"), 0);
    kobuki_host_close(&host);
    stage_end(stage);
}

/* ---- Repeatability ---- */

/* A driver in lockstep that writes a command every 20 ms, under many faults: returns a hash of the
 * received bytes (FNV-1a). */
static uint64_t bytes_of_a_faulty_run(struct stage *stage)
{
    static const char *const commands[] = {
        "kobuki.fault uart=flip rate=0.01",        "kobuki.fault uart=drop rate=0.005",
        "kobuki.fault uart=delay rate=0.05 ms=30", "kobuki.fault uart=split rate=0.2",
        "kobuki.fault uart=garbage bytes=30",      "kobuki.fault encoders=loss rate=0.1",
        "kobuki.fault wheel_0=slip grip=0.1",
    };
    STAGE_RUN_KOBUKI(stage, "--lockstep", "--seed", "5");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        stage_do(stage, commands[i]);
    int port = serial_port_await(stage->port);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.hosts") == 1);
    struct ptybot_run *client = stage_client(stage);
    uint64_t hash = UINT64_C(0xcbf29ce484222325), heard = 0, sent = 0;
    for (int i = 0; i < 100; i++) {
        uint8_t bytes[1024];
        size_t size = kobuki_base_control(bytes, 200, 0);
        assert_true(serial_port_write(port, bytes, size));
        assert_true(ptybot_step_after(client, 20, "kobuki", size));
        for (sent += ptybot_sent(client, "kobuki"); heard < sent;) {
            int got = serial_port_read(port, bytes, sizeof bytes, TEST_TIMEOUT_MS);
            assert_true(got > 0);
            heard += (uint64_t)got;
            for (int k = 0; k < got; k++)
                hash = (hash ^ bytes[k]) * UINT64_C(0x100000001b3);
        }
    }
    assert_true(heard > 6000);
    assert_true(stage_get(stage, "kobuki.uart.bad_frames") > 0);
    ptybot_end(client);
    close(port);
    stage_end(stage);
    return hash;
}

static void the_same_seed_in_lockstep_gives_the_same_damaged_bytes(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    uint64_t first = bytes_of_a_faulty_run(stage);
    for (int i = 1; i < 20; i++)
        assert_true(bytes_of_a_faulty_run(stage) == first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_port_that_hangs_up_comes_back_under_its_path),
        STAGED(a_brown_out_leaves_the_port_open_and_starts_the_robot_anew),
        STAGED(a_robot_without_power_is_an_open_port_that_says_nothing),
        STAGED(flipped_bits_are_bad_packets_on_both_sides),
        STAGED(a_stalled_port_gives_all_its_packets_at_once),
        STAGED(faults_are_words_on_the_command_line),
        STAGED(the_same_seed_in_lockstep_gives_the_same_damaged_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
