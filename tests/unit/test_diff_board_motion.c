/* The motion loop of a board: limits, targets, PID, timeouts, and invalid parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "protocols/diff_board/diff_board.h"
#include "tests/unit/diff_board_rig.h"

/* Offsets in the parameter block, from the vendor's document. */
enum {
    DIAMETER = 0,
    RESOLUTION = 4,
    INTERVAL = 6,
    KP = 7,
    KI = 9,
    KO = 13,
    CMD_LAST_TIME = 15,
    MAX_VX = 17,
    MAX_WZ = 21,
    RATIO = 24,
    MOTOR_FLAGS = 27,
    ENCODER_FLAGS = 28,
};

/* Inputs (or outputs) of the first two motors in message 6. */
static void assert_pid(struct board *board, bool is_output, int first, int second)
{
    const uint8_t *body = board_ask(board, 6, 32) + (is_output ? 16 : 0);
    assert_int_equal(board_i32(body), first);
    assert_int_equal(board_i32(body + 4), second);
}

/* The example machine in the vendor's document: 65 mm, 1560 counts per turn, 10 ms. */
static void open_example(struct board *board, bool is_old)
{
    board_open(board, (const char *const[]){
                          "board.encoder_counts=1560",
                          is_old ? "board.firmware=1.0.1" : "board.firmware=2.0.0", NULL});
    board_set(board, RESOLUTION, 1560, 2);
    if (!is_old)
        board_set(board, RATIO, 1, 2);
}

static void thirty_centimeters_a_second_are_22_counts(void **state)
{
    (void)state;
    for (int is_old = 0; is_old < 2; is_old++) {
        struct board board;
        open_example(&board, is_old);
        board_drive(&board, 30, 0, 0, 3000);
        assert_pid(&board, false, -22, 22);
        assert_true(fabs(board_get(&board, "motor2_target") - 22.918) < 0.001);
        /* Measured counts, not PWM: 22.9 on average. */
        const uint8_t *body = board_ask(&board, 6, 32);
        assert_in_range(-board_i32(body + 16), 21, 25);
        assert_in_range(board_i32(body + 20), 21, 25);
        assert_true(fabs(board_get(&board, "speed_m_s") - 0.3) < 0.003);
        board_close(&board);
    }
}

static void limits_come_before_kinematics(void **state)
{
    (void)state;
    struct board board;
    open_example(&board, false);
    board_set(&board, MAX_VX, 60, 2);
    board_set(&board, MAX_WZ, 120, 2);
    board_drive(&board, 32000, 0, -32000, 200);
    assert_pid(&board, false, -53, 37);
    board_drive(&board, -32768, -32768, 32767, 200);
    assert_pid(&board, false, 53, -37);
    board_drive(&board, 32767, 32767, -32768, 200);
    assert_pid(&board, false, -53, 37);
    board_set(&board, MAX_VX, 0, 2);
    board_set(&board, MAX_WZ, 0, 2);
    board_drive(&board, 30, 0, 100, 200);
    assert_pid(&board, false, 0, 0);
    /* The firmware reads 0xFFFF as -1, so every requested speed becomes -1 cm/s. */
    board_set(&board, MAX_VX, 0xffff, 2);
    board_drive(&board, 30, 0, 0, 200);
    assert_true(fabs(board_get(&board, "motor2_target") - -0.764) < 0.001);
    board_close(&board);
}

/* ---- The end of a command ---- */

/* Milliseconds from now until message 6 reports 0. */
static int until_zero(struct board *board)
{
    int ms = 0;
    for (; board_get(board, "pid.input_1") != 0; ms++) {
        assert_in_range(ms, 0, 5000);
        board_run(board, 1);
    }
    return ms;
}

static void targets_drop_when_cmd_last_time_is_over(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    /* The last command may come at any phase of the loop. */
    for (int phase = 0; phase < 10; phase++) {
        board_drive(&board, 30, 0, 0, 1000);
        board_run(&board, phase);
        board_velocity(&board, 30, 0, 0);
        while (board_get(&board, "uart.frames") < 11 * (phase + 1))
            board_run(&board, 1);
        int took_ms = until_zero(&board);
        print_message("phase %d: the input is 0 after %d ms\n", phase, took_ms);
        assert_in_range(took_ms, 250, 270);
    }
    assert_true(board_get(&board, "time_outs") == 10);
    board_close(&board);
}

static void only_a_velocity_holds_the_velocity(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_drive(&board, 30, 0, 0, 500);
    int64_t from_us = sim_now_us(board.rig.sim);
    for (int i = 0; i < 10 && board_get(&board, "pid.input_1") != 0; i++) {
        static const uint8_t ids[] = {0, 2, 3, 5, 6, 7, 8};
        for (size_t k = 0; k < sizeof ids; k++)
            board_send(&board, ids[k], NULL, 0);
        board_run(&board, 50);
    }
    assert_true(sim_now_us(board.rig.sim) - from_us <= 250000);
    assert_true(board_get(&board, "pid.input_1") == 0);

    /* A command of zeros is a command too: no timeout follows it. */
    board_drive(&board, 30, 0, 0, 500);
    double time_outs = board_get(&board, "time_outs");
    board_drive(&board, 0, 0, 0, 2000);
    assert_true(board_get(&board, "time_outs") == time_outs);
    board_close(&board);
}

static void a_stopped_robot_idles(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    assert_true(board_get(&board, "running") == 0 && board_get(&board, "pid_passes") == 0);
    board_drive(&board, 30, 0, 0, 1000);
    assert_true(board_get(&board, "running") == 1);
    board_run(&board, 2000);
    assert_true(board_get(&board, "running") == 0);
    assert_true(board_get(&board, "motor1_pwm") == 0 && board_get(&board, "motor1_error_sum") == 0);
    double passes = board_get(&board, "pid_passes");
    board_run(&board, 1000);
    assert_true(board_get(&board, "pid_passes") == passes);
    assert_true(fabs(board_get(&board, "speed_m_s")) < 1e-6);
    board_close(&board);
}

/* Rim speed of a wheel in m/s that moves its chassis as commanded. Forces act perpendicular to
 * the rollers, or along a plain wheel. */
static double rim_m_s(const struct robot_wheel *wheel, double vx_m_s, double vy_m_s, double wz)
{
    double from_heading = wheel->roller_rad == 0 ? 0 : wheel->roller_rad - ANGLE_PI / 2;
    double along_rad = wheel->heading_rad + from_heading;
    double x_m_s = vx_m_s - wz * wheel->y_m, y_m_s = vy_m_s + wz * wheel->x_m;
    return (x_m_s * cos(along_rad) + y_m_s * sin(along_rad)) / cos(from_heading);
}

/* A wheel that is mounted differently slips, and the other wheels hide this. */
static void every_wheel_turns_as_its_place_needs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int model, counts; /* counts per turn */
        bool is_holonomic;
    } rows[] = {{"apollo", DIFF_BOARD_APOLLO, 44 * 90, false},
                {"apollo_x", DIFF_BOARD_APOLLO_X, 68 * 90, false},
                {"zeus", DIFF_BOARD_ZEUS, 44 * 90, true},
                {"omni4", DIFF_BOARD_OMNI4, 44 * 90, true},
                {"hades", DIFF_BOARD_HADES, 44 * 90, true},
                {"hades_x", DIFF_BOARD_HADES_X, 44 * 72, true}};
    static const int motions[][3] = {{20, 0, 0}, {0, 0, 100}, {10, 0, -60}, {0, 20, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diff_board_options options = {.model = rows[i].model};
        struct robot_body body;
        struct board board;
        char option[32];
        diff_board_type.body(&options, &body);
        snprintf(option, sizeof option, "board.model=%s", rows[i].name);
        board_open(&board, (const char *const[]){option, NULL});
        for (size_t k = 0; k < (rows[i].is_holonomic ? 4 : 3); k++) {
            const int *motion = motions[k];
            board_drive(&board, motion[0], motion[1], motion[2], 30);
            for (size_t w = 0; w < body.wheel_count; w++) {
                char name[] = "motor1_target";
                name[5] = (char)('1' + w);
                double rim =
                    rim_m_s(&body.wheels[w], motion[0] * 0.01, motion[1] * 0.01, motion[2] * 0.01);
                double turns = rim * 0.01 / (2 * ANGLE_PI * body.wheels[w].radius_m); // in 10 ms
                if (fabs(board_get(&board, name) - turns * rows[i].counts) > 0.01)
                    fail_msg("%s, motion %zu: %s is %g, not %g", rows[i].name, k, name,
                             board_get(&board, name), turns * rows[i].counts);
            }
        }
        board_close(&board);
    }
}

/* Wheels at the corners of a square: the robot moves in any direction and rotates, without the slip
 * of a wrongly mounted wheel. test_diff_board_travel.c tests all motions of all chassis. */
static void four_omni_wheels_move_it_in_any_direction(void **state)
{
    (void)state;
    static const struct {
        int vx_cm_s, vy_cm_s, wz;
    } rows[] = {{20, 0, 0}, {0, 20, 0}, {-15, 15, 0}, {0, 0, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct board board;
        board_open(&board, (const char *const[]){"board.model=omni4", NULL});
        board_drive(&board, rows[i].vx_cm_s, rows[i].vy_cm_s, rows[i].wz, 500);
        struct pose from = sim_robot_pose(board.rig.sim, 0);
        board_drive(&board, rows[i].vx_cm_s, rows[i].vy_cm_s, rows[i].wz, 1000);
        struct pose to = sim_robot_pose(board.rig.sim, 0);
        double x_m = to.x_m - from.x_m, y_m = to.y_m - from.y_m;
        double turned_rad = to.heading_rad - from.heading_rad;
        if (fabs(x_m - rows[i].vx_cm_s * 0.01) > 0.005 ||
            fabs(y_m - rows[i].vy_cm_s * 0.01) > 0.005 ||
            fabs(turned_rad - rows[i].wz * 0.01) > 0.02)
            fail_msg("row %zu: %g m, %g m, %g rad", i, x_m, y_m, turned_rad);
        board_close(&board);
    }
}

static void a_derivative_cuts_the_pwm_after_twice_the_time(void **state)
{
    (void)state;
    for (int has_timeout = 0; has_timeout < 2; has_timeout++) {
        struct board board;
        board_open(&board, (const char *const[]){has_timeout ? "board.pwm_timeout=yes"
                                                             : "board.pwm_timeout=no",
                                                 "board.encoders_crossed=3", NULL});
        /* With reversed encoders the robot runs away and never comes to rest. */
        board_drive(&board, 20, 0, 0, 1000);
        board_run(&board, 3000);
        assert_true((fabs(board_get(&board, "speed_m_s")) > 0.3) == !has_timeout);
        assert_true((board_get(&board, "motor1_pwm") == 0) == has_timeout);
        board_close(&board);
    }
}

/* ---- Parameters ---- */

static void parameters_are_read_live(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    board_set(&board, CMD_LAST_TIME, 1000, 2);
    board_drive(&board, 30, 0, 0, 500);
    board_run(&board, 800);
    assert_true(board_get(&board, "pid.input_1") != 0);
    board_set(&board, CMD_LAST_TIME, 100, 2);
    board_run(&board, 20);
    assert_true(board_get(&board, "pid.input_1") == 0);

    /* The interval takes effect at once, the targets only with the next command. */
    board_set(&board, CMD_LAST_TIME, 1000, 2);
    board_drive(&board, 30, 0, 0, 500);
    double target = board_get(&board, "motor2_target");
    board_set(&board, INTERVAL, 20, 1);
    assert_true(board_get(&board, "motor2_target") == target);
    double passes = board_get(&board, "pid_passes");
    board_run(&board, 200);
    assert_in_range((int)(board_get(&board, "pid_passes") - passes), 9, 11);
    board_drive(&board, 30, 0, 0, 100);
    assert_true(fabs(board_get(&board, "motor2_target") - 2 * target) < 1e-9);
    board_close(&board);
}

/* Mean square of the difference between wanted and measured counts, over a second. */
static double unrest(struct board *board)
{
    double sum = 0;
    board_drive(board, 20, 0, 0, 2000);
    for (int i = 0; i < 100; i++) {
        if (i % 10 == 0)
            board_velocity(board, 20, 0, 0);
        board_run(board, 10);
        double error = board_get(board, "motor2_target") - board_get(board, "motor2_feedback");
        sum += error * error;
    }
    return sum / 100;
}

static void wrong_gains_oscillate(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    double calm = unrest(&board);
    board_set(&board, KP, 10000, 2);
    double wild = unrest(&board);
    board_set(&board, KP, 320, 2);
    double calm_again = unrest(&board);
    print_message("mean square error %.2f counts2, kp 10000: %.2f, kp 320 again: %.2f\n", calm,
                  wild, calm_again);
    assert_true(calm < 2 && calm_again < 2);
    assert_true(wild > 20 * calm);

    /* With almost no gain it does not reach the speed. */
    board_set(&board, KP, 1, 2);
    board_set(&board, KI, 1, 2);
    board_drive(&board, 20, 0, 0, 2000);
    assert_true(board_get(&board, "speed_m_s") < 0.1);
    board_close(&board);
}

static void nonsense_never_crashes_and_stands_still(void **state)
{
    (void)state;
    static const struct {
        size_t at, size;
    } cases[] = {{DIAMETER, 2}, {RESOLUTION, 2}, {INTERVAL, 1}, {KO, 2}, {2, 2}, {RATIO, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct board board;
        board_open(&board, NULL);
        board_set(&board, cases[i].at, 0, cases[i].size);
        board_drive(&board, 30, 10, 0, 1000);
        board_drive(&board, -30, 0, 100, 1000);
        struct board_odometry odometry = board_odometry(&board);
        bool is_geometry = cases[i].at == 2; /* without a track it still drives straight */
        if (!is_geometry) {
            assert_true(fabs(board_get(&board, "speed_m_s")) < 1e-6);
            assert_int_equal(odometry.x_cm, 0);
        }
        assert_int_equal(odometry.yaw, 0);

        /* It recovers with a valid block. */
        rig_do(&board.rig, "board.eeprom contents=factory");
        board_drive(&board, 30, 0, 0, 2000);
        assert_true(fabs(board_get(&board, "speed_m_s") - 0.3) < 0.01);
        board_close(&board);
    }
}

static void random_blocks_never_crash(void **state)
{
    (void)state;
    struct board board;
    uint32_t random = 1;
    board_open(&board, NULL);
    for (int round = 0; round < 300; round++) {
        uint8_t block[BOARD_BLOCK];
        for (size_t i = 0; i < sizeof block; i++) {
            random = random * 1664525 + 1013904223;
            uint8_t byte = (uint8_t)(random >> 24);
            block[i] = byte % 3 == 0 ? 0 : byte % 3 == 1 ? 0xff : byte;
        }
        board_send(&board, 1, block, sizeof block);
        board_velocity(&board, (int)(random >> 16 & 0x7fff), 5, -300);
        board_run(&board, 150);
        board_odometry(&board);
        board_ask(&board, 6, 32);
        board_ask(&board, 8, 16);
        assert_true(isfinite(board_get(&board, "odom_x_m")));
        assert_true(isfinite(board_get(&board, "motor1_pwm")));
        board.count = 0;
    }
    board_close(&board);
}

/* ---- Wiring ---- */

static void flags_make_up_for_crossed_wires(void **state)
{
    (void)state;
    struct board board;
    board_open(&board,
               (const char *const[]){"board.motors_crossed=3", "board.encoders_crossed=1", NULL});
    board_set(&board, MOTOR_FLAGS, 0x0c, 1);
    board_set(&board, ENCODER_FLAGS, 0x0e, 1);
    board_drive(&board, 30, 0, 0, 3000);
    assert_true(fabs(board_get(&board, "speed_m_s") - 0.3) < 0.003);
    struct board_odometry odometry = board_odometry(&board);
    assert_in_range(odometry.vx_cm_s, 29, 31);

    /* With one wrong flag, that motor runs away. */
    board_set(&board, MOTOR_FLAGS, 0x0d, 1);
    board_drive(&board, 30, 0, 0, 2000);
    assert_true(fabs(board_get(&board, "turn_deg_s")) > 60);
    board_close(&board);
}

static void pwm_can_be_set_by_hand(void **state)
{
    (void)state;
    struct board board;
    board_open(&board, NULL);
    /* PWM -2000 and 2000 of 5000. */
    board_write_hex(&board, "5a090830f8d007000000006a");
    board_run(&board, 20);
    assert_int_equal(board.count, 1);
    board_run(&board, 3000); /* no timeout ends it */
    double speed = board_get(&board, "speed_m_s");
    assert_true(speed > 0.2);
    const uint8_t *body = board_ask(&board, 8, 16);
    assert_true(board_f32(body) < -1000 && board_f32(body + 4) > 1000);
    assert_true(fabs((double)board_f32(body) + (double)board_f32(body + 4)) < 2);
    assert_true(board_f32(body + 8) == 0 && board_f32(body + 12) == 0);
    assert_true(board_get(&board, "by_hand") == 1);

    board_drive(&board, 10, 0, 0, 2000);
    assert_true(fabs(board_get(&board, "speed_m_s") - 0.1) < 0.005);
    board_write_hex(&board, "5a090800000000000000006b");
    board_run(&board, 2000);
    assert_true(fabs(board_get(&board, "speed_m_s")) < 1e-6);
    board_close(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirty_centimeters_a_second_are_22_counts),
        cmocka_unit_test(limits_come_before_kinematics),
        cmocka_unit_test(targets_drop_when_cmd_last_time_is_over),
        cmocka_unit_test(only_a_velocity_holds_the_velocity),
        cmocka_unit_test(a_stopped_robot_idles),
        cmocka_unit_test(every_wheel_turns_as_its_place_needs),
        cmocka_unit_test(four_omni_wheels_move_it_in_any_direction),
        cmocka_unit_test(a_derivative_cuts_the_pwm_after_twice_the_time),
        cmocka_unit_test(parameters_are_read_live),
        cmocka_unit_test(wrong_gains_oscillate),
        cmocka_unit_test(nonsense_never_crashes_and_stands_still),
        cmocka_unit_test(random_blocks_never_crash),
        cmocka_unit_test(flags_make_up_for_crossed_wires),
        cmocka_unit_test(pwm_can_be_set_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
