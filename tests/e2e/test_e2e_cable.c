/* The cable of a Kobuki: unplugged and plugged in again, and with a wrong baud rate. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>

#include "tests/support/check.h"
#include "tests/support/kobuki_host.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

/* ---- Pulling the cable ---- */

/* Reads until the line is hung up. */
static void await_hangup(int port)
{
    uint8_t bytes[1024];
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (serial_port_read(port, bytes, sizeof bytes, 1000) >= 0)
        assert_true(now_ms() < end_ms);
}

static void a_pulled_cable_removes_the_path_before_the_host_hears_of_it(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_drive(&host, 200, 0, 50);
    uint16_t ticks = host.protocol.reading.left_ticks, before_ms = host.timestamp_ms;
    stage_do(stage, "kobuki.unplug what=uart");
    await_hangup(host.port);
    assert_false(path_exists(stage->port));
    kobuki_host_close(&host);

    stage_do(stage, "kobuki.plug what=uart");
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    kobuki_host_check(&host, 0);
    /* The robot stayed on: its clock and its encoders continued. */
    uint16_t passed_ms = (uint16_t)(host.timestamp_ms - before_ms);
    assert_true(passed_ms > 0 && passed_ms % 20 == 0);
    int16_t moved = (int16_t)(host.protocol.reading.left_ticks - ticks);
    assert_true(moved >= 0);
    kobuki_host_close(&host);
    stage_end(stage);
}

static void a_cable_pulled_for_a_while_comes_back_by_itself(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "2");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    kobuki_host_hear(&host, 10);
    assert_int_equal(STAGE_CTL(stage, "kobuki.unplug", "what=uart", "for=1"), 0);
    await_hangup(host.port);
    kobuki_host_close(&host);
    kobuki_host_open(&host, stage->port);
    kobuki_host_drive_on(&host);
    kobuki_host_check(&host, 0);
    kobuki_host_close(&host);
}

static void a_cable_may_be_pulled_and_plugged_in_many_times(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    for (int i = 0; i < 20; i++) {
        struct kobuki_host host;
        kobuki_host_open(&host, stage->port);
        kobuki_host_hear(&host, 2);
        kobuki_host_check(&host, 0);
        stage_do(stage, "kobuki.unplug what=uart");
        stage_do(stage, "kobuki.unplug what=uart");
        await_hangup(host.port);
        kobuki_host_close(&host);
        stage_do(stage, "kobuki.plug what=uart");
        stage_do(stage, "kobuki.plug what=uart");
    }
    stage_end(stage);
    assert_false(path_exists(stage->port));
}

static void a_run_may_end_with_the_cable_pulled(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    stage_do(stage, "kobuki.unplug what=uart");
    WAIT_UNTIL(!path_exists(stage->port));
    stage_end(stage);
    /* The path is free for other programs. */
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    stage_end(stage);
}

/* ---- Wrong baud rates ---- */

static unsigned count_lines_with(const struct stage *stage, const char *word)
{
    char *text = program_err(&stage->ptybot), *rest = text;
    unsigned count = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest));)
        count += strstr(line, word) != NULL;
    free(text);
    return count;
}

static void a_wrong_baud_is_warned_of_once_and_works(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, "", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    struct kobuki_host host;
    kobuki_host_open(&host, stage->port);
    serial_port_set(host.port, B9600);
    kobuki_host_drive(&host, 0, 0, 5);
    WAIT_UNTIL(count_lines_with(stage, "9600") == 1);
    assert_int_equal(count_lines_with(stage, "115200"), 1);
    kobuki_host_drive_on(&host);
    kobuki_host_check(&host, 0);
    assert_int_equal(count_lines_with(stage, "9600"), 1);
    kobuki_host_close(&host);
}

static void a_wrong_baud_is_garbage_both_ways_where_the_scene_is_strict(void **state)
{
    struct stage *stage = *state;
    stage_write_kobuki(stage, ", baud_check: strict", "");
    STAGE_RUN_KOBUKI(stage, "--speed", "4");
    struct kobuki_host host;
    uint8_t command[KOBUKI_COMMAND_MAX], bytes[1024];
    size_t size = kobuki_base_control(command, 200, 0);
    kobuki_host_open(&host, stage->port);
    serial_port_set(host.port, B9600);
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.host_baud") == 9600);
    sleep_ms(100);
    tcflush(host.port, TCIFLUSH); /* packets from before */
    for (int heard = 0; heard < 4000;) {
        int got = serial_port_read(host.port, bytes, sizeof bytes, 1000);
        assert_true(got >= 0);
        for (int i = 0; i < got; i++)
            assert_false(kobuki_client_push(&host.protocol, bytes[i]));
        heard += got;
        assert_true(serial_port_write(host.port, command, size));
    }
    WAIT_UNTIL(stage_get(stage, "kobuki.uart.noise_bytes") +
                   stage_get(stage, "kobuki.uart.bad_frames") >
               0);
    assert_true(stage_get(stage, "kobuki.uart.frames") == 0);

    serial_port_set(host.port, B115200);
    kobuki_host_hear(&host, 50);
    kobuki_host_close(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(a_pulled_cable_removes_the_path_before_the_host_hears_of_it),
        STAGED(a_cable_pulled_for_a_while_comes_back_by_itself),
        STAGED(a_cable_may_be_pulled_and_plugged_in_many_times),
        STAGED(a_run_may_end_with_the_cable_pulled),
        STAGED(a_wrong_baud_is_warned_of_once_and_works),
        STAGED(a_wrong_baud_is_garbage_both_ways_where_the_scene_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
