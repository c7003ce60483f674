/* The request-reply protocol of e-puck2s on real sockets: the real program, and clients that use
 * only the protocol. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/epuck2_stage.h"
#include "tests/support/serial_port.h"

enum { IMAGE = 1, SENSORS, EMPTY };

static void it_is_silent_until_asked_once_and_then_streams(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    epuck2_run(stage, 1, "", "");
    epuck2_connect(&host, 1);
    WAIT_UNTIL(stage_get(stage, "e1.phase") == 1);
    epuck2_host_hear(&host, 300);
    assert_int_equal(host.packets[IMAGE] + host.packets[SENSORS] + host.packets[EMPTY], 0);
    epuck2_host_order(&host, 2, 0, 0, 0);
    epuck2_host_await(&host, SENSORS, 50);
    assert_int_equal(host.packets[IMAGE] + host.packets[EMPTY], 0);

    /* An empty request is streamed too. */
    epuck2_host_order(&host, 0, 0, 0, 0);
    epuck2_host_await(&host, EMPTY, 50);
    uint64_t sensors = host.packets[SENSORS];
    epuck2_host_await(&host, EMPTY, 20);
    assert_int_equal(host.packets[SENSORS], sensors);
    epuck2_host_close(&host);
    stage_end(stage);
}

static void image_and_sensors_come_by_turns(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    epuck2_run(stage, 1, "", "image_hz: 30");
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 3, 0, 0, 0);
    for (int i = 0; i < 20; i++)
        epuck2_host_await(&host, SENSORS, 1);
    assert_in_range(host.packets[IMAGE], host.packets[SENSORS], host.packets[SENSORS] + 1);
    epuck2_host_order(&host, 1, 0, 0, 0);
    epuck2_host_await(&host, IMAGE, 5);
    uint64_t sensors = host.packets[SENSORS];
    epuck2_host_await(&host, IMAGE, 5);
    assert_int_equal(host.packets[SENSORS], sensors);
    epuck2_host_close(&host);
}

static void a_command_may_come_split_or_merged_with_others(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    static const uint8_t drive[21] = {0x80, 2, 0, 100, 0, 100, 0};
    uint8_t flood[21 * 100];
    epuck2_run(stage, 1, "", "");
    epuck2_connect(&host, 1);
    for (size_t i = 0; i < sizeof drive; i++) {
        epuck2_host_send(&host, drive + i, 1);
        sleep_ms(3);
    }
    epuck2_host_await(&host, SENSORS, 5);
    WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 100);

    /* An incomplete command stops the stream. */
    epuck2_host_send(&host, drive, 4);
    WAIT_UNTIL(stage_get(stage, "e1.awaiting") == 1);
    epuck2_host_hear(&host, 200);
    uint64_t before = host.packets[SENSORS];
    epuck2_host_hear(&host, 300);
    assert_int_equal(host.packets[SENSORS], before);
    epuck2_host_send(&host, drive + 4, sizeof drive - 4);
    epuck2_host_await(&host, SENSORS, 5);

    /* In a flood of commands the newest counts. */
    for (size_t i = 0; i < sizeof flood; i += sizeof drive) {
        memcpy(flood + i, drive, sizeof drive);
        flood[i + 3] = (uint8_t)(100 + i / sizeof drive);
    }
    epuck2_host_send(&host, flood, sizeof flood);
    WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 199);
    assert_true(stage_get(stage, "e1.dropped_commands") > 0);
    epuck2_host_close(&host);
}

static void a_second_client_waits_unheard_until_the_first_goes(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host first, second;
    epuck2_run(stage, 1, "", "");
    epuck2_connect(&first, 1);
    epuck2_host_order(&first, 2, 0, 0, 0);
    epuck2_host_await(&first, SENSORS, 5);
    epuck2_connect(&second, 1);
    epuck2_host_order(&second, 0, 0, 500, 500);
    epuck2_host_hear(&second, 500);
    assert_int_equal(second.packets[EMPTY] + second.packets[SENSORS], 0);
    epuck2_host_await(&first, SENSORS, 20);
    assert_true(stage_get(stage, "e1.left_wanted") == 0);
    assert_true(stage_get(stage, "e1.wifi.refused_hosts") == 0);
    epuck2_host_close(&first);
    epuck2_host_await(&second, EMPTY, 5);
    WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 500);
    epuck2_host_close(&second);
}

static void motors_and_counters_outlive_their_client(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    epuck2_run(stage, 1, "", "");
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 0, 300, 300);
    epuck2_host_await(&host, SENSORS, 10);
    int steps = epuck2_host_steps(&host, 0);
    epuck2_host_close(&host);
    WAIT_UNTIL(stage_get(stage, "e1.phase") == 0);
    double x_m = stage_get(stage, "e1.x_m");
    WAIT_UNTIL(stage_get(stage, "e1.x_m") > x_m + 0.05);
    assert_true(stage_get(stage, "e1.led2_green") == 1);

    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 0, 0, 0);
    epuck2_host_await(&host, SENSORS, 5);
    assert_true(epuck2_host_steps(&host, 0) > steps + 300);
    epuck2_host_close(&host);
}

static void a_stop_right_before_the_end_is_obeyed(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    epuck2_run(stage, 1, "", "");
    for (int round = 0; round < 20; round++) {
        epuck2_connect(&host, 1);
        epuck2_host_order(&host, 2, 0, 300, 300);
        WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 300);
        epuck2_host_order(&host, 0, 0, 0, 0);
        epuck2_host_close(&host);
        WAIT_UNTIL(stage_get(stage, "e1.left_wanted") == 0);
    }
}

static void a_calibration_silences_the_stream(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    epuck2_run(stage, 1, "", "calibration_s: 3");
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 1, 0, 0);
    WAIT_UNTIL(stage_get(stage, "e1.calibrating") == 1);
    epuck2_host_hear(&host, 200);
    uint64_t before = host.packets[SENSORS];
    epuck2_host_hear(&host, 1000);
    assert_in_range(host.packets[SENSORS], before, before + 1);
    epuck2_host_order(&host, 2, 0, 0, 0);
    epuck2_host_await(&host, SENSORS, 20);
    epuck2_host_close(&host);
}

/* A robot that restarts has lost its connections: its client is disconnected, and can connect
 * again. */
static void a_reset_hangs_up_its_client(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host host;
    char bytes[4096];
    ssize_t size;
    epuck2_run(stage, 1, "", "");
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 0, 300, 300);
    epuck2_host_await(&host, SENSORS, 20);
    assert_true(epuck2_host_steps(&host, 0) > 0);
    stage_do(stage, "e1.reset");
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while ((size = recv(host.socket, bytes, sizeof bytes, MSG_DONTWAIT)) != 0) {
        assert_true(now_ms() < end_ms);
        if (size < 0 && errno != EAGAIN)
            break;
        sleep_ms(1);
    }
    epuck2_host_close(&host);
    epuck2_connect(&host, 1);
    epuck2_host_order(&host, 2, 0, 0, 0);
    epuck2_host_await(&host, SENSORS, 5);
    assert_int_equal(epuck2_host_steps(&host, 0), 0);
    assert_true(stage_get(stage, "e1.left_wanted") == 0);
    epuck2_host_close(&host);
    stage_end(stage);
}

static void four_robots_on_four_addresses_are_four_robots(void **state)
{
    struct stage *stage = *state;
    struct epuck2_host hosts[4];
    epuck2_run(stage, 4, "", "");
    for (int i = 0; i < 4; i++) {
        epuck2_connect(&hosts[i], i + 1);
        epuck2_host_order(&hosts[i], 2, 0, i == 1 ? 200 : 0, i == 3 ? -300 : 0);
    }
    for (int i = 0; i < 4; i++)
        epuck2_host_await(&hosts[i], SENSORS, 40);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(epuck2_host_steps(&hosts[i], 0) > 50, i == 1);
        assert_int_equal(epuck2_host_steps(&hosts[i], 1) < -50, i == 3);
        epuck2_host_close(&hosts[i]);
    }
    stage_end(stage);
}

static void the_serial_sibling_answers_on_a_pty(void **state)
{
    struct stage *stage = *state;
    uint8_t bytes[512];
    size_t size = 0;
    folder_write(&stage->folder, "epuck2.yaml",
                 "world: {size: {x: 10, y: 10}}\n"
                 "robots: [{name: e1, type: epuck2, pose: {x: 5, y: 5}, "
                 "links: [{pty: %s, channel: serial}]}]\n",
                 stage->port);
    stage_run(stage, "epuck2.yaml", (const char *const[]){NULL});
    int port = serial_port_await(stage->port);
    serial_port_set(port, B115200);
    WAIT_UNTIL(stage_get(stage, "world.time_s") > 0.1);
    assert_int_equal(tcflush(port, TCIFLUSH), 0); /* the greeting at power-on */
    assert_true(serial_port_write(port, "\xf8\x00", 2));
    while (size < 103) {
        int some = serial_port_read(port, bytes + size, sizeof bytes - size, TEST_TIMEOUT_MS);
        assert_true(some > 0);
        size += (size_t)some;
    }
    assert_int_equal(size, 103);
    assert_int_equal(bytes[89], 15);
    assert_true(serial_port_write(port, "D,200,-200\r", 11));
    WAIT_UNTIL(stage_get(stage, "e1.left_steps") > 50);
    close(port);
    stage_end(stage);
}

static void port_1000_without_the_right_names_the_remedies(void **state)
{
    struct stage *stage = *state;
    const uid_t nobody = 65534;
    char address[32];
    FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "r");
    unsigned first = 0;
    if (file) {
        assert_int_equal(fscanf(file, "%u", &first), 1);
        fclose(file);
    }
    if (first <= 1000) {
        print_message("SKIPPED: here every user may use port 1000\n");
        skip();
    }
    if (geteuid() == 0) {
        stage->user = nobody;
        assert_int_equal(chown(stage->folder.path, nobody, nobody), 0);
    }
    folder_write(&stage->folder, "epuck2.yaml",
                 "world: {size: {x: 10, y: 10}}\n"
                 "robots: [{name: e1, type: epuck2, pose: {x: 5, y: 5}, "
                 "links: [{tcp: \"%s:1000\"}]}]\n",
                 epuck2_address(1, address));
    stage_start(stage, "epuck2.yaml", (const char *const[]){NULL});
    assert_int_equal(program_wait(&stage->ptybot), 3);
    assert_true(program_has_warned(&stage->ptybot, "choose one from 1024 on"));
    assert_true(program_has_warned(&stage->ptybot, "net.ipv4.ip_unprivileged_port_start=1000"));
    assert_true(program_has_warned(&stage->ptybot, "setcap cap_net_bind_service"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(it_is_silent_until_asked_once_and_then_streams),
        STAGED(image_and_sensors_come_by_turns),
        STAGED(a_command_may_come_split_or_merged_with_others),
        STAGED(a_second_client_waits_unheard_until_the_first_goes),
        STAGED(motors_and_counters_outlive_their_client),
        STAGED(a_stop_right_before_the_end_is_obeyed),
        STAGED(a_calibration_silences_the_stream),
        STAGED(a_reset_hangs_up_its_client),
        STAGED(four_robots_on_four_addresses_are_four_robots),
        STAGED(the_serial_sibling_answers_on_a_pty),
        STAGED(port_1000_without_the_right_names_the_remedies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
