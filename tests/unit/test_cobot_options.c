/* The open choices of the public document. Each is an option, tested by its effect on the wire. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

static struct rig open_with(const char *model, const char *option)
{
    const char *const options[] = {option, NULL};
    return rig_open(model, options);
}

static void message_03_is_in_mm_s_or_rpm_with_direction_or_without(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        int forward, back; // of message 03, as 16 bits; 0.3 m/s are 71.6 turns a minute
    } rows[] = {
        {"cobot.motor_speed=mm_s", 300, 300},
        {"cobot.motor_speed=mm_s_signed", 300, 65536 - 300},
        {"cobot.motor_speed=rpm", 72, 72},
        {"cobot.motor_speed=rpm_signed", 72, 65536 - 72},
    };
    for (size_t i = 0; i < 4; i++) {
        struct rig rig = open_with("mecanum", rows[i].option);
        rig_drive(&rig, 300, 0, 0, 2);
        for (size_t at = 3; at < 11; at += 2)
            assert_true(abs((int)rig_u16(&rig, 3, at) - rows[i].forward) <= 20);
        rig_drive(&rig, -300, 0, 0, 2);
        for (size_t at = 3; at < 11; at += 2)
            assert_true(abs((int)rig_u16(&rig, 3, at) - rows[i].back) <= 20);
        rig_close(&rig);
    }
}

static void motors_are_numbered_front_left_rear_left_front_right_rear_right(void **state)
{
    (void)state;
    /* When the robot moves to the left, the first and the fourth wheel turn backward: A = x + y_r,
     * with y_r positive to the right. */
    struct rig rig = open_with("mecanum", "cobot.motor_speed=mm_s_signed");
    rig_drive(&rig, 0, 200, 0, 2);
    static const bool is_back[] = {true, false, false, true};
    for (size_t i = 0; i < 4; i++)
        assert_true((rig_u16(&rig, 3, 3 + 2 * i) > 32767) == is_back[i]);
    rig_drive(&rig, 0, 0, 100, 2);
    for (size_t i = 0; i < 4; i++)
        assert_true((rig_u16(&rig, 3, 3 + 2 * i) > 32767) == (i < 2));
    rig_close(&rig);

    /* The front wheels of an Ackermann have no motor. */
    rig = open_with("ackermann", "cobot.motor_speed=mm_s");
    rig_drive(&rig, 300, 0, 0, 2);
    assert_true(rig_u16(&rig, 3, 3) == 0 && rig_u16(&rig, 3, 7) == 0);
    assert_true(rig_u16(&rig, 3, 5) > 280 && rig_u16(&rig, 3, 9) > 280);
    rig_close(&rig);
}

static void strafing_can_be_swapped_both_ways(void **state)
{
    (void)state;
    struct rig rig = open_with("mecanum", "cobot.strafe=swapped");
    rig_drive(&rig, 0, 200, 0, 3);
    assert_true(rig_get(&rig, "y_m") < 19.5);
    assert_true(abs(rig_signed(&rig, 2, 6) - 200) < 20);
    rig_close(&rig);
    rig = open_with("mecanum", "cobot.strafe=document");
    rig_drive(&rig, 0, 200, 0, 3);
    assert_true(rig_get(&rig, "y_m") > 20.5);
    assert_true(abs(rig_signed(&rig, 2, 6) - 200) < 20);
    rig_close(&rig);
}

static void y_of_message_02_can_be_made_of_the_left_wheels_alone(void **state)
{
    (void)state;
    struct rig rig = open_with("mecanum", "cobot.strafe_from=left_wheels");
    rig_drive(&rig, 100, -200, 0, 3);
    rig_run(&rig, 0.01);
    double left =
        (rig_get(&rig, "rear_left_window_m_s") - rig_get(&rig, "front_left_window_m_s")) / 2;
    assert_int_equal(rig_signed(&rig, 2, 6), (int)(left * 1000));
    assert_true(abs(rig_signed(&rig, 2, 6) + 200) < 20);
    rig_close(&rig);
}

static void an_ackermann_reports_its_turn_rate_or_its_steering(void **state)
{
    (void)state;
    struct rig rig = open_with("ackermann", "cobot.turn_report=rate");
    rig_drive(&rig, 300, 0, 17, 3);
    assert_in_range(rig_signed(&rig, 2, 9), 35, 62); // 0.496 rad/s, in steps of 0.069
    rig_close(&rig);
    rig = open_with("ackermann", "cobot.turn_report=steering");
    static const int angles[] = {0, 17, -17, 25, -25, 1, -1};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        rig_drive(&rig, 300, 0, angles[i], 0.2);
        assert_int_equal(rig_signed(&rig, 2, 9), angles[i]);
    }
    rig_close(&rig);
}

static void the_firmwares_bug_lets_w_wrap_on_mecanum(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        int turn;
        double rad_s;
    } rows[] = {
        {"mecanum", 300, 0.44},   {"mecanum", -300, -0.44}, {"mecanum", 255, 2.55},
        {"mecanum", 301, 0.45},   {"mecanum", -301, -0.45}, {"mecanum", 256, 0},
        {"differential", 300, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig rig = open_with(rows[i].model, "cobot.turn_overflow=wrap");
        rig_drive(&rig, 0, 0, rows[i].turn, 0.1);
        assert_true(fabs(rig_get(&rig, "wanted_turn_rad_s") - rows[i].rad_s) < 1e-9);
        rig_close(&rig);
    }
}

static void a_speed_loop_stepped_by_commands_rests_between_them(void **state)
{
    (void)state;
    /* Each command executes one step of the loop, after which the duty is constant. */
    struct rig rig = open_with("mecanum", "cobot.speed_loop=per_command");
    rig_motion(&rig, RIG_UART, 300, 0, 0);
    rig_run(&rig, 0.05);
    double duty = rig_get(&rig, "front_left_duty");
    assert_true(duty > 0);
    rig_run(&rig, 0.3);
    assert_true(rig_get(&rig, "front_left_duty") == duty);
    rig_drive(&rig, 300, 0, 0, 5); // at 20 Hz it follows the command
    double x = rig_get(&rig, "x_m");
    rig_drive(&rig, 300, 0, 0, 5);
    assert_true(fabs(rig_get(&rig, "x_m") - x - 1.5) < 0.1);
    rig_close(&rig);
}

static void a_pack_above_25_volts_saturates_or_wraps(void **state)
{
    (void)state;
    const char *const saturate[] = {"cobot.battery_cells=7", "cobot.battery_v=28.15", NULL};
    const char *const wrap[] = {"cobot.battery_cells=7", "cobot.battery_v=28.15",
                                "cobot.battery_overflow=wrap", NULL};
    struct rig rig = rig_open("mecanum", saturate);
    rig_run(&rig, 0.3);
    rig_expect(&rig, 4, "fd 02 04 ff fb");
    rig_close(&rig);
    rig = rig_open("mecanum", wrap);
    rig_run(&rig, 0.3);
    rig_expect(&rig, 4, "fd 02 04 19 1d"); // 281 - 256
    rig_close(&rig);
}

static void use_empties_the_battery_and_more_use_faster(void **state)
{
    (void)state;
    double left[3];
    for (int i = 0; i < 3; i++) {
        struct rig rig = open_with("differential", "cobot.battery_ah=0.2");
        double before = rig_get(&rig, "charge");
        if (i == 0)
            rig_run(&rig, 60);
        else
            rig_drive(&rig, i == 1 ? 500 : 0, 0, i == 1 ? 0 : 300, 60); // skidding costs most
        left[i] = before - rig_get(&rig, "charge");
        assert_true(rig_get(&rig, "battery_v") < 12.35);
        rig_do(&rig, "plug what=adapter");
        double low = rig_get(&rig, "charge");
        rig_run(&rig, 30);
        assert_true(rig_get(&rig, "charge") > low && rig_get(&rig, "charging") == 1);
        rig_close(&rig);
    }
    print_message("a minute at rest, straight, on the spot: %.4f, %.4f, %.4f of 0.2 Ah\n", left[0],
                  left[1], left[2]);
    assert_true(fabs(left[0] - 0.25 / 60 / 0.2) < 0.001);
    assert_true(left[1] > 1.1 * left[0] && left[2] > 1.2 * left[1]);
}

static void sizes_are_options(void **state)
{
    (void)state;
    const char *const large[] = {"cobot.track_m=0.4", "cobot.wheelbase_m=0.3",
                                 "cobot.wheel_diameter_m=0.15", NULL};
    static const char *const models[] = {"differential", "mecanum", "tracked"};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_open(models[i], large);
        rig_drive(&rig, 0, 0, 50, 6);
        rig_stand(&rig, 0);
        assert_true(fabs(rig_get(&rig, "heading_deg") * 3.14159265 / 180 - 3) < 0.06);
        assert_true(fabs(rig.odometry.heading_rad - 3) < 0.09);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_03_is_in_mm_s_or_rpm_with_direction_or_without),
        cmocka_unit_test(motors_are_numbered_front_left_rear_left_front_right_rear_right),
        cmocka_unit_test(strafing_can_be_swapped_both_ways),
        cmocka_unit_test(y_of_message_02_can_be_made_of_the_left_wheels_alone),
        cmocka_unit_test(an_ackermann_reports_its_turn_rate_or_its_steering),
        cmocka_unit_test(the_firmwares_bug_lets_w_wrap_on_mecanum),
        cmocka_unit_test(a_speed_loop_stepped_by_commands_rests_between_them),
        cmocka_unit_test(a_pack_above_25_volts_saturates_or_wraps),
        cmocka_unit_test(use_empties_the_battery_and_more_use_faster),
        cmocka_unit_test(sizes_are_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
