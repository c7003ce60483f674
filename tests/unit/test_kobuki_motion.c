/* From base control to wheels and back to encoders: formula, control, gains, over-current. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/kobuki_bench.h"

static const double M_PER_TICK = 0.000085292090497737556558; /* conversions.rst */

static double left_m(const struct bench *bench)
{
    return bench->sensors.wheel_rad[KOBUKI_LEFT] * 0.035;
}

static double right_m(const struct bench *bench)
{
    return bench->sensors.wheel_rad[KOBUKI_RIGHT] * 0.035;
}

/* ---- The formula ---- */

static void speed_and_radius_give_these_wheel_speeds(void **unused)
{
    (void)unused;
    static const struct {
        int speed, radius;
        double left_m_s, right_m_s;
    } rows[] = {
        {0, 0, 0, 0},
        {200, 0, 0.2, 0.2},
        {-200, 0, -0.2, -0.2},
        /* v 0.2, w 0.5: the right wheel is the outer one. */
        {257, 400, 257e-3 * 285 / 515, 0.257},
        /* v -0.1, w 0.5: backward, the left wheel is the outer one. */
        {-157, -200, -0.157, -157e-3 * 85 / 315},
        /* On the spot: the driver always sends radius 1. */
        {57, 1, -0.057, 0.057},
        {-57, 1, 0.057, -0.057},
        /* Radius -1 and a positive speed: clockwise. */
        {116, -1, 0.116, -0.114},
        {-116, -1, -0.116, 0.114},
        {100, 2, 0.1 * -113 / 117, 0.1},
        {100, -2, 0.1, 0.1 * -113 / 117},
        /* Around one wheel. */
        {230, 115, 0, 0.23},
        {230, -115, 0.23, 0},
        {100, 32767, 0.1 * 32652 / 32882, 0.1},
        {100, -32768, 0.1, 0.1 * 32653 / 32883},
        /* Too fast: the outer wheel is limited to 0.70 m/s, and the arc is kept. */
        {1000, 0, 0.7, 0.7},
        {32767, 0, 0.7, 0.7},
        {-32768, 0, -0.7, -0.7},
        {1000, 1, -0.7, 0.7},
        {-32768, 1, 0.7, -0.7},
        {1230, 500, 0.7 * 385 / 615, 0.7},
        {-32768, -32768, -0.7, -0.7 * 32653 / 32883},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        bench_open(&b, NULL);
        bench_base(&b, rows[i].speed, rows[i].radius);
        bench_run(&b, 20);
        ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), rows[i].left_m_s, 1e-12);
        ASSERT_NEAR(bench_signal(&b, "right_target_m_s"), rows[i].right_m_s, 1e-12);
        bench_close(&b);
    }
}

/* ---- Control ---- */

static void wheels_run_at_the_wanted_speed_from_10_mm_s_to_the_maximum(void **unused)
{
    (void)unused;
    static const int speeds[] = {10, -10, 15, 50, 100, -200, 300, 500, 700, -700};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct bench b;
        bench_open(&b, NULL);
        bench_drive(&b, speeds[i], 0, 2000);
        double from_left = left_m(&b);
        double from_right = right_m(&b);
        bench_drive(&b, speeds[i], 0, 4000);
        double wanted = speeds[i] * 1e-3 * 4;
        ASSERT_NEAR(left_m(&b) - from_left, wanted, fabs(wanted) * 0.01);
        ASSERT_NEAR(right_m(&b) - from_right, wanted, fabs(wanted) * 0.01);
        bench_close(&b);
    }
}

static void a_step_to_the_maximum_takes_about_half_a_second(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 700, 0, 40);
    double early = b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035;
    assert_true(early > 0.15 && early < 0.40);
    bench_drive(&b, 700, 0, 200);
    double middle = b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035;
    assert_true(middle > 0.45 && middle < 0.67);
    bench_drive(&b, 700, 0, 360);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035, 0.70, 0.035);
    ASSERT_SIGNAL(&b, "over_currents", 0);
    bench_close(&b);
}

static void a_stop_command_ends_at_rest_with_no_duty(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 700, 0, 2000);
    bench_drive(&b, 0, 0, 2000);
    assert_true(b.sensors.wheel_rad_s[KOBUKI_LEFT] == 0);
    assert_true(b.actuators.motor[KOBUKI_LEFT] == 0);
    assert_true(b.actuators.motor[KOBUKI_RIGHT] == 0);
    assert_int_equal(bench_basic(&b).left_pwm, 0);
    bench_close(&b);
}

static void pwm_and_current_on_the_wire_are_those_of_the_motors(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 300, 1, 2000);
    assert_int_equal(bench_basic(&b).left_pwm, lround(b.actuators.motor[KOBUKI_LEFT] * 100));
    assert_int_equal(bench_basic(&b).right_pwm, lround(b.actuators.motor[KOBUKI_RIGHT] * 100));
    assert_true(bench_basic(&b).left_pwm < -10 && bench_basic(&b).right_pwm > 10);
    struct kobuki_current current;
    bench_read(&b, &kobuki_current_packet, &current);
    assert_int_equal(current.left, lround(fabs(b.sensors.motor_a[KOBUKI_LEFT]) * 100));
    assert_int_equal(current.right, lround(fabs(b.sensors.motor_a[KOBUKI_RIGHT]) * 100));
    assert_true(current.left > 10);
    bench_close(&b);
}

/* ---- Encoders ---- */

static void encoders_count_ticks_and_wrap_both_ways(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.is_plain = true;
    bench_run(&b, 20);
    b.sensors.wheel_rad[KOBUKI_LEFT] = -0.0024369168;            /* one tick back from 0 */
    b.sensors.wheel_rad[KOBUKI_RIGHT] = 65536 * 0.0024369168713; /* once around */
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).left_encoder, 65535);
    assert_int_equal(bench_basic(&b).right_encoder, 0);
    b.sensors.wheel_rad[KOBUKI_LEFT] = -65536 * 0.0024369168713 * 3 - 0.1;
    b.sensors.wheel_rad[KOBUKI_RIGHT] = 2 * 3.14159265358979;
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).left_encoder, 65536 - 41);
    assert_int_equal(bench_basic(&b).right_encoder, 2578); /* conversions.rst: 2578.33 a turn */
    bench_close(&b);

    bench_open(&b, "left_encoder_start=65530", "right_encoder_start=3", NULL);
    b.is_plain = true;
    bench_run(&b, 20);
    b.sensors.wheel_rad[KOBUKI_LEFT] = 10 * 0.0024369168713;
    b.sensors.wheel_rad[KOBUKI_RIGHT] = -10 * 0.0024369168713;
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).left_encoder, 4);
    assert_int_equal(bench_basic(&b).right_encoder, 65529);
    bench_close(&b);
}

static void a_drive_counts_11724_ticks_a_metre(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 250, 0, 5000);
    double way_m = left_m(&b);
    ASSERT_NEAR(bench_basic(&b).left_encoder, way_m / M_PER_TICK, 1);
    ASSERT_NEAR(bench_basic(&b).left_encoder, way_m * 11724.41658, 1);
    bench_close(&b);
}

/* ---- Gains ---- */

static struct kobuki_gain read_gains(struct bench *b)
{
    struct kobuki_gain gains;
    bench_send(b, "aa 55 03 0e 01 30 3c"); /* its unused byte may hold anything */
    bench_run(b, 20);
    bench_read(b, &kobuki_controller_info_packet, &gains);
    return gains;
}

static void gains_are_set_read_back_and_restored(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    struct kobuki_gain gains = read_gains(&b);
    assert_int_equal(gains.type, 0);
    assert_int_equal(gains.p, 100000);
    assert_int_equal(gains.i, 100);
    assert_int_equal(gains.d, 2000);

    struct kobuki_gain user = {1, 4000000000, 7, 0};
    bench_send_packet(&b, &kobuki_set_gain_packet, &user);
    gains = read_gains(&b);
    assert_int_equal(gains.type, 1);
    assert_int_equal(gains.p, 4000000000);
    assert_int_equal(gains.i, 7);
    assert_int_equal(gains.d, 0);

    struct kobuki_gain factory = {0, 1, 2, 3}; /* its values are ignored */
    bench_send_packet(&b, &kobuki_set_gain_packet, &factory);
    gains = read_gains(&b);
    assert_int_equal(gains.type, 0);
    assert_int_equal(gains.p, 100000);

    struct kobuki_gain unknown = {2, 1, 2, 3};
    bench_send_packet(&b, &kobuki_set_gain_packet, &unknown);
    gains = read_gains(&b);
    assert_int_equal(gains.p, 100000);
    ASSERT_SIGNAL(&b, "bad_values", 1);
    bench_close(&b);
}

static void gains_of_an_unknown_kind_leave_the_control_as_it_is(void **unused)
{
    (void)unused;
    struct bench told, other;
    struct kobuki_gain unknown = {2, 1, 2, 3};
    bench_open(&told, NULL);
    bench_open(&other, NULL);
    for (int i = 0; i < 20; i++) {
        if (i > 1)
            bench_send_packet(&told, &kobuki_set_gain_packet, &unknown);
        bench_drive(&told, 200, 0, 20);
        bench_drive(&other, 200, 0, 20);
        ASSERT_NEAR(told.actuators.motor[KOBUKI_LEFT], other.actuators.motor[KOBUKI_LEFT], 0);
    }
    bench_close(&told);
    bench_close(&other);
}

/* Speed of the left wheel at the end of two seconds at 0.2 m/s, and how much its duty jumps. */
static double speed_with_gains(uint32_t p, uint32_t i, uint32_t d, double *jump)
{
    struct bench b;
    bench_open(&b, NULL);
    struct kobuki_gain gains = {1, p, i, d};
    bench_send_packet(&b, &kobuki_set_gain_packet, &gains);
    bench_drive(&b, 200, 0, 2000);
    *jump = 0;
    for (int k = 0; k < 50; k++) {
        double before = b.actuators.motor[KOBUKI_LEFT];
        bench_drive(&b, 200, 0, 20);
        *jump = fmax(*jump, fabs(b.actuators.motor[KOBUKI_LEFT] - before));
        assert_true(fabs(b.actuators.motor[KOBUKI_LEFT]) <= 1);
    }
    double speed_m_s = b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035;
    assert_true(fabs(speed_m_s) < 2);
    bench_close(&b);
    return speed_m_s;
}

static void gains_change_how_the_robot_drives(void **unused)
{
    (void)unused;
    double jump;
    ASSERT_NEAR(speed_with_gains(100000, 100, 2000, &jump), 0.2, 0.004);
    assert_true(jump < 0.05);
    assert_true(speed_with_gains(0, 0, 0, &jump) == 0); /* without gains, no motion */
    assert_true(speed_with_gains(0, 0, 2000, &jump) <
                0.15); /* without P, the speed stays too low */
    speed_with_gains(UINT32_MAX, UINT32_MAX, UINT32_MAX, &jump);
    assert_true(jump > 0.5); /* much too large: the speed oscillates */
}

/* ---- Over-current ---- */

static void a_stalled_wheel_loses_its_power_and_gets_it_back(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.is_jammed[KOBUKI_RIGHT] = true;
    bench_drive(&b, 300, 0, 600);
    assert_int_equal(bench_basic(&b).over_current, 0x02);
    assert_int_equal(bench_basic(&b).right_pwm, 0);
    assert_true(b.actuators.motor_free[KOBUKI_RIGHT]);
    assert_false(b.actuators.motor_free[KOBUKI_LEFT]);
    ASSERT_SIGNAL(&b, "over_currents", 1);
    b.is_jammed[KOBUKI_RIGHT] = false;
    bench_drive(&b, 300, 0, 3000);
    assert_int_equal(bench_basic(&b).over_current, 0);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_RIGHT] * 0.035, 0.3, 0.01);
    b.is_jammed[KOBUKI_LEFT] = true;
    bench_drive(&b, 300, 0, 600);
    assert_int_equal(bench_basic(&b).over_current, 0x01);
    bench_close(&b);
}

/* Each cut-off needs 0.1 s above 3 A without interruption, and lasts 1 s. */
static void each_over_current_begins_anew(void **unused)
{
    (void)unused;
    struct bench b;
    int64_t cut_us[3] = {0};
    bench_open(&b, NULL);
    b.is_plain = true;
    b.sensors.motor_a[KOBUKI_LEFT] = 4;
    for (int count = 0; count < 3; bench_run(&b, 1)) {
        assert_true(b.now_us < 5000000);
        if (bench_signal(&b, "over_currents") > count)
            cut_us[count++] = b.now_us;
    }
    assert_true(cut_us[0] >= 100000 && cut_us[0] <= 120000);
    for (int i = 1; i < 3; i++) {
        int64_t between_us = cut_us[i] - cut_us[i - 1];
        assert_true(between_us >= 1100000 && between_us <= 1120000);
    }
    bench_close(&b);
}

static void hard_starts_and_turns_are_no_over_current(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    for (int i = 0; i < 40; i++)
        bench_drive(&b, i % 2 == 0 ? 700 : -700, i % 3, 200);
    ASSERT_SIGNAL(&b, "over_currents", 0);
    bench_close(&b);
}

static void a_wheel_that_cannot_keep_up_does_not_bolt_afterwards(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.body.supply_v = 8; /* too little for 0.70 m/s */
    bench_drive(&b, 700, 0, 20000);
    assert_int_equal(bench_basic(&b).left_pwm, 100);
    bench_drive(&b, 100, 0, 1500);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035, 0.1, 0.02);
    bench_close(&b);
}

/* ---- Safety of old firmware ---- */

static void only_old_firmware_stops_at_the_bumper_by_itself(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.sensors.bumpers = 0x02;
    bench_drive(&b, 200, 0, 200);
    ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), 0.2, 1e-12);
    bench_close(&b);

    bench_open(&b, "firmware=1.1.1", NULL);
    b.sensors.bumpers = 0x02;
    bench_drive(&b, 200, 0, 200);
    assert_true(bench_signal(&b, "left_target_m_s") == 0);
    bench_drive(&b, -200, 0, 200);
    ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), -0.2, 1e-12);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_and_radius_give_these_wheel_speeds),
        cmocka_unit_test(wheels_run_at_the_wanted_speed_from_10_mm_s_to_the_maximum),
        cmocka_unit_test(a_step_to_the_maximum_takes_about_half_a_second),
        cmocka_unit_test(a_stop_command_ends_at_rest_with_no_duty),
        cmocka_unit_test(pwm_and_current_on_the_wire_are_those_of_the_motors),
        cmocka_unit_test(encoders_count_ticks_and_wrap_both_ways),
        cmocka_unit_test(a_drive_counts_11724_ticks_a_metre),
        cmocka_unit_test(gains_are_set_read_back_and_restored),
        cmocka_unit_test(gains_of_an_unknown_kind_leave_the_control_as_it_is),
        cmocka_unit_test(gains_change_how_the_robot_drives),
        cmocka_unit_test(a_stalled_wheel_loses_its_power_and_gets_it_back),
        cmocka_unit_test(each_over_current_begins_anew),
        cmocka_unit_test(hard_starts_and_turns_are_no_over_current),
        cmocka_unit_test(a_wheel_that_cannot_keep_up_does_not_bolt_afterwards),
        cmocka_unit_test(only_old_firmware_stops_at_the_bumper_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
