/* COBOTs in the real program, on real ptys: all models, both channels, misbehaving drivers. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hosts/cobot_client.h"
#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/serial_port.h"
#include "tests/support/stage.h"

static void run_cobot(struct stage *stage, const char *model, const char *speed)
{
    folder_path(&stage->folder, "cobot", stage->port);
    folder_write(&stage->folder, "cobot.yaml",
                 "world: {size: {x: 200, y: 200}}\n"
                 "robots:\n"
                 "  - name: cobot\n"
                 "    type: cobot\n"
                 "    pose: {x: 100, y: 100}\n"
                 "    links: [{pty: %s}, {pty: %s_bluetooth, channel: bluetooth}]\n"
                 "    options: {model: %s, noise: off}\n",
                 stage->port, stage->port, model);
    stage_run(stage, "cobot.yaml", (const char *const[]){"--speed", speed, NULL});
}

static void open_client(struct cobot_client *client, const struct stage *stage)
{
    const char *problem = cobot_client_open(client, stage->port);
    if (problem)
        fail_msg("%s: %s", stage->port, problem);
}

/* ---- Models ---- */

static void check_drive(const char *model, const char *report, const char *y, const char *turn)
{
    static const char drive[] = PTYBOT_HOSTS_DIR "/cobot_drive";
    void *state;
    struct program host;
    stage_setup(&state);
    struct stage *stage = state;
    run_cobot(stage, model, "2");
    const char *const words[] = {drive, stage->port, "250", y, turn, "6", NULL};
    int code = program_run(&host, &stage->folder, "host", words);
    char *said = program_out(&host);
    double x_m = 0, y_m = 0, heading_deg = 0;
    const char *at = strstr(said, "has come to");
    if (code != 0 || !at || !strstr(said, report) ||
        sscanf(at, "has come to x %lf m, y %lf m, heading %lf", &x_m, &y_m, &heading_deg) != 3)
        fail_msg("%s: exit %d: %s", model, code, said);
    print_message("%s: %s", model, at);
    free(said);
    /* Chosen: 6 s at 0.25 m/s are 1.5 m; 5 % and 5 cm allow for truncated values. */
    assert_float_equal(stage_get(stage, "cobot.x_m") - 100, x_m, 0.08);
    assert_float_equal(stage_get(stage, "cobot.y_m") - 100, y_m, 0.08);
    assert_float_equal(stage_get(stage, "cobot.heading_deg"), heading_deg, 5);
    assert_true(fabs(x_m) + fabs(y_m) + fabs(heading_deg) > 1);
    assert_true(stage_get(stage, "cobot.uart.bad_frames") == 0);
    stage_end(stage);
    stage_teardown(&state);
}

static void a_host_drives_each_of_the_models(void **state)
{
    (void)state;
    check_drive("ackermann", "Model: Ackermann", "0", "15");
    check_drive("differential", "Model: 4WD differential", "0", "40");
    check_drive("mecanum", "Model: mecanum", "150", "0");
    check_drive("tracked", "Model: tracked", "0", "-40");
}

/* ---- Bad manners ---- */

static void a_host_that_writes_for_ten_minutes_and_never_reads_stalls_nothing(void **state)
{
    struct stage *stage = *state;
    struct cobot_client client;
    run_cobot(stage, "mecanum", "100");
    open_client(&client, stage);
    int64_t start_ms = now_ms();
    for (int i = 0;
         stage_get(stage, "world.time_s") < 600 || stage_get(stage, "cobot.uart.frames") <= 1000;
         i++) {
        assert_true(cobot_client_move(&client, i % 2 ? 200 : -200, 0, 0));
        sleep_ms(1);
        if (now_ms() - start_ms > 10 * TEST_TIMEOUT_MS)
            fail_msg("ten simulated minutes take more than %d s", 10 * TEST_TIMEOUT_MS / 1000);
    }
    assert_true(stage_get(stage, "cobot.uart.dropped_frames") > 0);
    assert_true(stage_get(stage, "cobot.uart.bad_frames") == 0);
    assert_true(stage_get(stage, "cobot.imu_samples") >= 24000);
    /* It still executes commands. */
    double x_m = stage_get(stage, "cobot.x_m");
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(stage, "cobot.x_m") < x_m + 2) {
        assert_true(cobot_client_move(&client, 500, 0, 0));
        assert_true(now_ms() < end_ms);
        sleep_ms(1);
    }
    cobot_client_close(&client);
    stage_end(stage);
}

static void a_host_that_polls_at_1_khz_loses_nothing(void **state)
{
    struct stage *stage = *state;
    struct cobot_client client;
    run_cobot(stage, "mecanum", "1");
    open_client(&client, stage);
    uint8_t bytes[512];
    for (int ms = 0; client.messages[6] < 200; ms++) {
        int got = serial_port_read(client.descriptor, bytes, sizeof bytes, 0);
        for (int i = 0; i < got; i++)
            cobot_client_push(&client, bytes[i]);
        if (ms % 50 == 0)
            assert_true(cobot_client_move(&client, 100, 0, 0));
        sleep_ms(1);
    }
    stage_do(stage, "world.pause");
    for (int got; (got = serial_port_read(client.descriptor, bytes, sizeof bytes, 300)) > 0;)
        for (int i = 0; i < got; i++)
            cobot_client_push(&client, bytes[i]);
    uint64_t heard = 0;
    for (int function = 2; function < COBOT_FUNCTIONS; function++)
        heard += client.messages[function];
    double dropped = stage_get(stage, "cobot.uart.dropped_frames");
    print_message("%llu messages, %.0f dropped\n", (unsigned long long)heard, dropped);
    assert_true(dropped == 0);
    assert_true((double)heard == stage_get(stage, "cobot.uart.to_host_frames"));
    assert_true(client.bad == 0 && client.skipped == 0);
    cobot_client_close(&client);
    stage_end(stage);
}

/* ---- Bluetooth ---- */

static void a_telephone_on_the_second_pty_drives_with_letters(void **state)
{
    struct stage *stage = *state;
    char path[FOLDER_PATH_MAX];
    run_cobot(stage, "mecanum", "1");
    folder_path(&stage->folder, "cobot_bluetooth", path);
    int phone = serial_port_await(path);
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (stage_get(stage, "cobot.x_m") < 100.5) {
        assert_true(serial_port_write(phone, "6", 1));
        assert_true(now_ms() < end_ms);
        sleep_ms(50);
    }
    /* The other channel sends the last command. */
    struct cobot_client client;
    open_client(&client, stage);
    assert_true(cobot_client_move(&client, 0, 200, 0));
    WAIT_UNTIL(stage_get(stage, "cobot.motion.y") == 200);
    assert_true(stage_get(stage, "cobot.wanted_x_m_s") == 0);
    uint8_t byte;
    assert_int_equal(serial_port_read(phone, &byte, 1, 200), 0);
    /* If that channel stops sending, the robot stops. */
    WAIT_UNTIL(stage_get(stage, "cobot.driven") == 0);
    cobot_client_close(&client);
    stage_end(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_drives_each_of_the_models),
        STAGED(a_host_that_writes_for_ten_minutes_and_never_reads_stalls_nothing),
        STAGED(a_host_that_polls_at_1_khz_loses_nothing),
        STAGED(a_telephone_on_the_second_pty_drives_with_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
