/* The effect of received bytes on a COBOT, and the frames that it sends in known situations, byte
 * for byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "tests/unit/cobot_rig.h"

#define UART(name) rig_get(&rig, "uart." name)

/* ---- From the robot ---- */

static void a_robot_at_rest_sends_the_worked_frames(void **state)
{
    (void)state;
    static const struct {
        const char *model, *report;
    } models[] = {
        {"ackermann", "fd 02 07 01 06"},
        {"differential", "fd 02 07 02 05"},
        {"mecanum", "fd 02 07 03 04"},
        {"tracked", "fd 02 07 04 03"},
    };
    for (size_t i = 0; i < 4; i++) {
        const char *const full[] = {"cobot.battery_v=12.34", NULL};
        struct rig rig = rig_open(models[i].model, full);
        rig_run(&rig, 0.25);
        rig_expect(&rig, 2, "fd 0a 02 00 00 00 00 00 00 00 00 00 02");
        rig_expect(&rig, 3, "fd 09 03 00 00 00 00 00 00 00 00 03");
        rig_expect(&rig, 4, "fd 02 04 7b 7f");
        rig_expect(&rig, 5, "fd 0a 05 00 00 00 00 00 00 00 00 00 05");
        rig_expect(&rig, 6,
                   "fd 1f 06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 27 10 00 27 10 00 00 "
                   "00 00 00 00 00 00 00 06");
        rig_expect(&rig, 7, models[i].report);
        rig_do(&rig, "battery v=9.95");
        rig_run(&rig, 0.25);
        rig_expect(&rig, 4, "fd 02 04 63 67");
        rig_close(&rig);
    }
}

static void the_mecanum_firmwares_sign_of_zero_is_an_option(void **state)
{
    (void)state;
    const char *const minus[] = {"cobot.zero_y_sign=minus", NULL};
    struct rig rig = rig_open("mecanum", minus);
    rig_run(&rig, 0.1);
    rig_expect(&rig, 2, "fd 0a 02 00 00 00 01 00 00 00 00 00 03");
    rig_close(&rig);
}

static void half_a_turn_is_a_yaw_of_plus_180(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_run(&rig, 0.1);
    rig_do(&rig, "place x=20 y=20 heading=180");
    rig_run(&rig, 0.1);
    rig_expect(&rig, 5, "fd 0a 05 00 00 00 00 00 00 00 46 50 13");
    rig_do(&rig, "place x=20 y=20 heading=90.001");
    rig_run(&rig, 0.1);
    rig_expect(&rig, 5, "fd 0a 05 00 00 00 00 00 00 01 23 28 0f");
    rig_close(&rig);
}

static uint8_t tilted[64];
static size_t tilted_size;

static bool keep_attitude(void *context, unsigned channel, const uint8_t *bytes, size_t size)
{
    (void)context, (void)channel;
    if (bytes[2] == 5) {
        memcpy(tilted, bytes, size);
        tilted_size = size;
    }
    return true;
}

static size_t nothing_queued(void *context, unsigned channel)
{
    (void)context, (void)channel;
    return 0;
}

/* The floor of the simulation is level, so the test sets the sensors. */
static void a_tilted_robot_sends_the_worked_attitude(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xfd, 0x0a, 0x05, 0,    0,    0x28, 1,
                                       0,    0x46, 1,    0x23, 0x28, 0x60};
    static const double rad = 3.14159265358979323846 / 180;
    const struct robot_type *type = registry_find("cobot");
    union {
        double align;
        uint8_t bytes[4096];
    } memory, options;
    assert_true(type->state_size <= sizeof memory && type->options_size <= sizeof options);
    option_defaults(type->options, type->option_count, &options);
    const struct robot_start start = {.options = &options};
    const struct robot_tx tx = {.frame = keep_attitude, .queued = nothing_queued};
    struct robot_sensors sensors = {.battery_charge = 1};
    struct robot_actuators actuators = {0};
    int64_t now_us = type->reset(&memory, &start);
    now_us = type->tick(&memory, &sensors, &actuators, &tx, now_us);
    sensors.pitch_rad = 0.4001 * rad;
    sensors.roll_rad = -0.7001 * rad;
    sensors.yaw_rad = 90.0001 * rad; // left; the wire counts to the right
    while (now_us <= 50000)
        now_us = type->tick(&memory, &sensors, &actuators, &tx, now_us);
    assert_int_equal(tilted_size, sizeof expected);
    assert_memory_equal(tilted, expected, sizeof expected);
}

/* ---- To the robot ---- */

static void the_documents_example_drives_back_and_to_the_left(void **state)
{
    (void)state;
    static const char *const models[] = {"differential", "mecanum", "tracked"};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_open(models[i], NULL);
        double from_deg = 0, told = 0;
        for (int n = 0; n < 60; n++) {
            from_deg = n == 20 ? rig_get(&rig, "heading_deg") : from_deg;
            rig_hex(&rig, RIG_UART, "cd 0a 01 01 03 20 00 00 00 00 00 19 3a");
            rig_run(&rig, 0.1);
            told += n >= 20 ? rig_signed(&rig, 2, 9) / 40.0 : 0;
        }
        // A single packet varies by the encoder counts; the mean does not.
        assert_true(told > 23 && told < 27);
        assert_true(rig_get(&rig, "wanted_x_m_s") == -0.8);
        assert_true(rig_get(&rig, "wanted_turn_rad_s") == 0.25);
        assert_true(fabs(rig_get(&rig, "speed_m_s") + 0.8) < 0.02);
        assert_true(fabs((rig_get(&rig, "heading_deg") - from_deg) / 4 - 0.25 * 57.296) < 0.3);
        assert_true(abs(rig_signed(&rig, 2, 3) + 800) <= 16);
        assert_in_range(rig_signed(&rig, 2, 9), 16,
                        34); // quantized to the encoder counts of a packet: steps of 2
        assert_int_equal(rig.last[2][3], 1); // back
        assert_int_equal(rig.last[2][9], 0); // left
        rig_close(&rig);
    }
}

/* The commanded motion after one frame. */
struct meaning {
    const char *model, *hex;
    double x_m_s, y_m_s, turn_rad_s, steer_deg;
};

static void every_worked_command_is_understood(void **state)
{
    (void)state;
    static const struct meaning meanings[] = {
        {"mecanum", "cd 0a 01 00 00 00 00 00 00 00 00 00 01", 0, 0, 0, 0},
        {"mecanum", "cd 0a 01 00 00 00 00 00 00 01 00 00 00", 0, 0, 0, 0},
        {"mecanum", "cd 0a 01 00 01 2c 00 00 00 01 00 00 2d", 0.3, 0, 0, 0},
        {"mecanum", "cd 0a 01 00 01 2c 00 00 00 00 00 32 1e", 0.3, 0, 0.5, 0},
        {"mecanum", "cd 0a 01 01 01 2c 00 00 00 01 00 32 1e", -0.3, 0, -0.5, 0},
        {"mecanum", "cd 0a 01 00 00 00 00 00 c8 00 00 00 c9", 0, 0.2, 0, 0},
        {"mecanum", "cd 0a 01 00 00 00 01 00 c8 00 00 00 c8", 0, -0.2, 0, 0},
        {"ackermann", "cd 0a 01 00 01 2c 00 00 00 00 00 11 3d", 0.3, 0, 0, 17},
        {"mecanum", "cd 0a 01 00 00 00 00 00 00 00 02 1c 1f", 0, 0, 5.4, 0},
        {"mecanum", "cd 0a 01 7f 01 2c ff 00 00 80 00 32 1e", -0.3, 0, -0.5, 0},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        const struct meaning *meaning = &meanings[i];
        struct rig rig = rig_open(meaning->model, NULL);
        rig_hex(&rig, RIG_UART, meaning->hex);
        rig_run(&rig, 0.02);
        assert_true(UART("frames") == 1);
        assert_true(fabs(rig_get(&rig, "wanted_x_m_s") - meaning->x_m_s) < 1e-9);
        assert_true(fabs(rig_get(&rig, "wanted_y_m_s") - meaning->y_m_s) < 1e-9);
        assert_true(fabs(rig_get(&rig, "wanted_turn_rad_s") - meaning->turn_rad_s) < 1e-9);
        assert_true(fabs(rig_get(&rig, "wanted_steer_deg") - meaning->steer_deg) < 1e-9);
        assert_true(rig_get(&rig, "driven") == 1);
        rig_close(&rig);
    }
}

/* ---- Invalid commands ---- */

static const char forward[] = "cd 0a 01 00 01 2c 00 00 00 01 00 00 2d";

static void a_wrong_checksum_is_counted_and_not_obeyed(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_hex(&rig, RIG_UART, "cd 0a 01 00 01 2c 00 00 00 01 00 00 2e");
    rig_run(&rig, 0.05);
    assert_true(UART("bad_frames") == 1 && UART("frames") == 0 && UART("noise_bytes") == 0);
    assert_true(rig_get(&rig, "driven") == 0);
    /* Header and length are not part of the checksum; with them it would be this value. */
    rig_hex(&rig, RIG_UART, "cd 0a 01 00 01 2c 00 00 00 01 00 00 ea");
    rig_run(&rig, 0.05);
    assert_true(UART("bad_frames") == 2 && UART("frames") == 0);
    rig_close(&rig);
}

static void an_unknown_function_is_counted_and_ignored(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    for (int function = 0; function < 256; function++) {
        if (function == 1)
            continue;
        rig_frame(&rig, RIG_UART, (uint8_t)function, (const uint8_t[9]){0, 1, 0x2c}, 9);
        rig_run(&rig, 0.002);
    }
    assert_true(UART("unknown_ids") == 255 && UART("frames") == 255 && UART("bad_frames") == 0);
    assert_true(rig_get(&rig, "driven") == 0);
    rig_close(&rig);
}

static void a_motion_of_the_wrong_length_is_rejected(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    const uint8_t data[30] = {0, 1, 0x2c};
    size_t sent = 0;
    for (size_t size = 0; size <= 30; size++) {
        if (size == 9)
            continue;
        rig_frame(&rig, RIG_UART, 1, data, size);
        rig_run(&rig, 0.01);
        sent++;
    }
    assert_true(UART("bad_lengths") == (double)sent && UART("bad_frames") == 0);
    assert_true(rig_get(&rig, "driven") == 0);
    rig_close(&rig);
}

static void a_frame_behind_a_cut_one_is_found(void **state)
{
    (void)state;
    /* Cut after each byte, including the length, where 0xcd is read as a length. */
    static const char *const cuts[] = {"cd",
                                       "cd 0a",
                                       "cd 0a 01",
                                       "cd 0a 01 00 01 2c 00",
                                       "cd 0a 01 00 01 2c 00 00 00 01 00 00",
                                       "cd cd cd cd cd",
                                       "cd 00",
                                       "cd ff",
                                       "cd 20 01",
                                       "00 fd 0a ff"};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct rig rig = rig_open("mecanum", NULL);
        rig_hex(&rig, RIG_UART, cuts[i]);
        rig_run(&rig, 0.05);
        rig_hex(&rig, RIG_UART, forward);
        rig_run(&rig, 0.05);
        if (UART("frames") != 1)
            fail_msg("lost behind %s", cuts[i]);
        assert_true(fabs(rig_get(&rig, "wanted_x_m_s") - 0.3) < 1e-9);
        rig_close(&rig);
    }
}

static void a_long_length_swallows_no_more_than_the_longest_message(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_hex(&rig, RIG_UART, "cd 1f");
    for (int i = 0; i < 4; i++) {
        rig_hex(&rig, RIG_UART, forward);
        rig_run(&rig, 0.01);
    }
    assert_true(UART("frames") == 4);
    assert_true(UART("bad_frames") == 1);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_at_rest_sends_the_worked_frames),
        cmocka_unit_test(the_mecanum_firmwares_sign_of_zero_is_an_option),
        cmocka_unit_test(half_a_turn_is_a_yaw_of_plus_180),
        cmocka_unit_test(a_tilted_robot_sends_the_worked_attitude),
        cmocka_unit_test(the_documents_example_drives_back_and_to_the_left),
        cmocka_unit_test(every_worked_command_is_understood),
        cmocka_unit_test(a_wrong_checksum_is_counted_and_not_obeyed),
        cmocka_unit_test(an_unknown_function_is_counted_and_ignored),
        cmocka_unit_test(a_motion_of_the_wrong_length_is_rejected),
        cmocka_unit_test(a_frame_behind_a_cut_one_is_found),
        cmocka_unit_test(a_long_length_swallows_no_more_than_the_longest_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
