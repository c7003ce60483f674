/* Motion of Feetech servos: joints according to the registers, and LeKiwi according to its driver's
 * formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/array.h"
#include "tests/unit/feetech_rig.h"

enum {
    P = 21,
    OFFSET = 31,
    MODE = 33,
    TORQUE = 40,
    ACCELERATION = 41,
    GOAL = 42,
    DUTY = 44,
    VELOCITY = 46,
    POSITION = 56,
    SPEED = 58,
    LOAD = 60,
};

static void near(double is, double wanted, double by)
{
    if (!(fabs(is - wanted) <= by))
        fail_msg("%g, not %g within %g", is, wanted, by);
}

/* ---- LeKiwi ---- */

/* huggingface/lerobot: robots/lekiwi/lekiwi.py: raw speeds of left, back and right wheel. */
static void lekiwi_drives_as_the_formulas_say(void **state)
{
    (void)state;
    static const struct {
        int raw[3];
        double x_m_s, y_m_s, turn_deg_s;
    } rows[] = {
        {{-1129, 0, 1129}, 0.1, 0, 0},
        {{-2258, 0, 2258}, 0.2, 0, 0},
        {{-3000, 0, 3000}, 0.3 * 3000 / 3387.2, 0, 0},
        {{652, -1304, 652}, 0, 0.1, 0},
        {{853, 853, 853}, 0, 0, 30},
        {{376, -450, 2634}, 0.1, 0.1, 30},
        {{2258, 0, -2258}, -0.2, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bus_rig bus = bus_open("lekiwi", "");
        for (unsigned id = 7; id <= 9; id++) {
            bus_write(&bus, id, MODE, 1, 1);
            bus_write(&bus, id, ACCELERATION, 1, 254);
            bus_write(&bus, id, TORQUE, 1, 1);
        }
        bus_sync_write(&bus, VELOCITY, 7, 3, rows[i].raw);
        bus_run(&bus, 1);
        double x = bus_get(&bus, "speed_m_s"), y = bus_get(&bus, "slide_m_s");
        near(x, rows[i].x_m_s, 0.01 * fabs(rows[i].x_m_s) + 0.0005);
        near(y, rows[i].y_m_s, 0.01 * fabs(rows[i].y_m_s) + 0.0005);
        near(bus_get(&bus, "turn_deg_s"), rows[i].turn_deg_s, 0.01 * rows[i].turn_deg_s + 0.1);
        for (unsigned k = 0; k < 3; k++) {
            int raw = bus_read(&bus, 7 + k, SPEED, 2);
            near(raw & 0x8000 ? -(raw & 0x7FFF) : raw, rows[i].raw[k], 2);
        }
        bus_close(&bus);
    }
}

static void turn_wheels_on(struct bus_rig *bus)
{
    for (unsigned id = 7; id <= 9; id++) {
        bus_write(bus, id, MODE, 1, 1);
        bus_write(bus, id, TORQUE, 1, 1);
    }
}

static void wheels_drive_on_when_their_host_is_gone_and_roll_without_torque(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("lekiwi", "");
    turn_wheels_on(&bus);
    bus_sync_write(&bus, VELOCITY, 7, 3, (int[]){-1129, 0, 1129});
    sim_host_present(bus.s.sim, 0, false);
    bus_run(&bus, 3);
    near(bus_get(&bus, "speed_m_s"), 0.1, 0.001);
    sim_host_present(bus.s.sim, 0, true);
    for (unsigned id = 7; id <= 9; id++)
        bus_write(&bus, id, TORQUE, 1, 0);
    bus_run(&bus, 2);
    near(bus_get(&bus, "speed_m_s"), 0, 0.001);
    bus_close(&bus);
}

static void full_speed_is_no_overload(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("lekiwi", "");
    turn_wheels_on(&bus);
    bus_sync_write(&bus, VELOCITY, 7, 3, (int[]){-3000, 0, 3000});
    bus_run(&bus, 4);
    near(bus_get(&bus, "speed_m_s"), 0.3 * 3000 / 3387.2, 0.003);
    assert_int_equal(bus_read(&bus, 7, 65, 1), 0);
    assert_in_range(bus_read(&bus, 9, LOAD, 2), 900, 1000); // the duty
    bus_close(&bus);
}

static void a_wheel_is_no_faster_than_its_voltage_allows(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("lekiwi", "model: sts3215, supply_v: 5");
    bus_write(&bus, 7, MODE, 1, 1);
    bus_write(&bus, 7, TORQUE, 1, 1);
    bus_write(&bus, 7, VELOCITY, 2, 3000);
    bus_run(&bus, 1);
    near(bus_read(&bus, 7, SPEED, 2), 3400 * 5 / 7.4, 3);
    bus_close(&bus);
}

/* ---- Joints ---- */

static void a_joint_moves_with_speed_and_acceleration_to_its_goal(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, ACCELERATION, 1, 10); // 1000 steps/s2
    bus_write(&bus, 1, TORQUE, 1, 1);
    bus_write(&bus, 1, VELOCITY, 2, 500);
    bus_write(&bus, 1, GOAL, 2, 3048);
    bus_run(&bus, 0.24);
    near(bus_read(&bus, 1, SPEED, 2), 250, 10);
    assert_int_equal(bus_read(&bus, 1, 66, 1), 1);
    bus_run(&bus, 0.755);
    near(bus_read(&bus, 1, POSITION, 2), 2048 + 125 + 250, 10); // half a second of each
    near(bus_read(&bus, 1, SPEED, 2), 500, 1);
    bus_run(&bus, 1.6); // 2.5 s in total
    near(bus_read(&bus, 1, POSITION, 2), 3048, 1);
    assert_int_equal(bus_read(&bus, 1, 66, 1), 0);
    bus_close(&bus);
}

static void speed_0_is_the_highest_if_phase_says_so(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "servos: 2");
    bus_write(&bus, 2, 18, 1, 4); // without bit 3
    for (unsigned id = 1; id <= 2; id++) {
        bus_write(&bus, id, TORQUE, 1, 1);
        bus_write(&bus, id, GOAL, 2, 3048);
    }
    bus_run(&bus, 0.2);
    near(bus_read(&bus, 1, SPEED, 2), 3400, 5); // 7.4 V
    assert_int_equal(bus_read(&bus, 2, POSITION, 2), 2048);
    bus_close(&bus);
}

static void bit_2_of_phase_is_the_unit_of_velocities(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, 18, 1, 8);
    bus_write(&bus, 1, MODE, 1, 1);
    bus_write(&bus, 1, TORQUE, 1, 1);
    bus_write(&bus, 1, VELOCITY, 2, 10);
    bus_run(&bus, 0.5);
    near(bus_get(&bus, "servo_1.speed_deg_s"), 500 * 360.0 / 4096, 0.1);
    assert_int_equal(bus_read(&bus, 1, SPEED, 2), 10);
    bus_close(&bus);
}

static void modes_of_duty_and_steps(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, MODE, 1, 2);
    bus_write(&bus, 1, TORQUE, 1, 1);
    bus_write(&bus, 1, DUTY, 2, 500 | 1 << 10); // backward
    bus_run(&bus, 0.3);
    near(bus_get(&bus, "servo_1.speed_deg_s"), -0.5 * 3400 * 360 / 4096, 0.5);
    bus_close(&bus);
    bus = bus_open("sts3215", "");
    bus_write(&bus, 1, MODE, 1, 3);
    bus_write(&bus, 1, TORQUE, 1, 1);
    for (int i = 0; i < 2; i++) {
        bus_write(&bus, 1, GOAL, 2, 300);
        bus_run(&bus, 0.5);
    }
    near(bus_read(&bus, 1, POSITION, 2), 2648, 2);
    bus_write(&bus, 1, GOAL, 2, 100 | 0x8000);
    bus_run(&bus, 0.5);
    near(bus_read(&bus, 1, POSITION, 2), 2548, 2);
    bus_close(&bus);
}

static void present_is_real_minus_offset_and_wraps_unless_turns_count(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, OFFSET, 2, 100);
    assert_int_equal(bus_read(&bus, 1, POSITION, 2), 1948);
    bus_write(&bus, 1, OFFSET, 2, 100 | 1 << 11);
    bus_run(&bus, 0.001);
    assert_int_equal(bus_read(&bus, 1, POSITION, 2), 2148);
    bus_write(&bus, 1, OFFSET, 2, 0);
    bus_write(&bus, 1, MODE, 1, 1);
    bus_write(&bus, 1, TORQUE, 1, 1);
    bus_write(&bus, 1, VELOCITY, 2, 3000);
    bus_run(&bus, 1); // beyond 4095
    int raw = bus_read(&bus, 1, POSITION, 2);
    assert_in_range(raw, 0, 4095);
    bus_write(&bus, 1, VELOCITY, 2, 0);
    bus_write(&bus, 1, 18, 1, 12 | 16);
    bus_run(&bus, 0.01);
    assert_int_equal(bus_read(&bus, 1, POSITION, 2) / 4096, 1);
    bus_ask(&bus, "ff ff 01 02 0a f2", "ff ff 01 02 00 fc");
    assert_int_equal(bus_read(&bus, 1, POSITION, 2) / 4096, 0);
    bus_close(&bus);
}

static void goals_beyond_the_limits_are_clamped(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    int low = bus_read(&bus, 1, 9, 2), high = bus_read(&bus, 1, 11, 2);
    assert_int_equal(low, 2048 - 1252); // 110 degrees
    assert_int_equal(high, 2048 + 1252);
    bus_write(&bus, 1, TORQUE, 1, 1);
    bus_write(&bus, 1, GOAL, 2, 4000);
    bus_run(&bus, 2);
    near(bus_read(&bus, 1, POSITION, 2), high, 1);
    near(bus_get(&bus, "shoulder_pan.angle_deg"), 110, 0.1);
    bus_close(&bus);
}

static void gravity_loads_bends_and_lowers_an_arm(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "");
    near(bus_get(&bus, "wrist_roll.reach_m"), 0.030 + 0.135 + 0.061 + 0.098, 0.001); // upright
    for (unsigned id = 1; id <= 6; id++)
        bus_write(&bus, id, TORQUE, 1, 1);
    bus_write(&bus, 2, GOAL, 2, 2048 + 800); // 70 degrees forward
    bus_write(&bus, 3, GOAL, 2, 2048 - 800);
    bus_run(&bus, 2);
    double soft, load = bus_read(&bus, 2, LOAD, 2);
    assert_true((int)load >> 10 & 1); // it pulls upward
    int sag = bus_read(&bus, 2, POSITION, 2) - 2848;
    assert_in_range(sag, 5, 40); // 20..30 steps with 1.5 kg at 10 cm and P 32
    bus_write(&bus, 2, P, 1, 16);
    bus_run(&bus, 1);
    soft = bus_read(&bus, 2, POSITION, 2) - 2848;
    near(soft, 2 * sag, 2);
    double height = bus_get(&bus, "gripper.height_m");
    bus_write(&bus, 2, TORQUE, 1, 0); // it falls
    bus_run(&bus, 3);
    assert_true(bus_get(&bus, "gripper.height_m") < height - 0.05);
    near(bus_get(&bus, "shoulder_lift.angle_deg"), 100, 0.01); // at its stop
    double angle = bus_get(&bus, "shoulder_lift.angle_deg");
    bus_write(&bus, 2, TORQUE, 1, 1); // stays where it is
    bus_run(&bus, 1);
    near(bus_get(&bus, "shoulder_lift.angle_deg"), angle, 3);
    bus_close(&bus);
}

static void a_hand_moves_the_joints_of_a_leader(void **state)
{
    (void)state;
    struct error error = {0};
    struct bus_rig bus = bus_open("so101", "role: leader");
    bus_do(&bus, "move_joint servo=shoulder_pan to=45 over=1");
    bus_run(&bus, 0.5);
    near(bus_get(&bus, "shoulder_pan.angle_deg"), 22.5, 0.2);
    near(bus_read(&bus, 1, SPEED, 2), 45 * 4096 / 360, 2);
    bus_run(&bus, 1);
    near(bus_read(&bus, 1, POSITION, 2), 2048 + 512, 1);
    double from_deg = bus_get(&bus, "gripper.angle_deg");
    bus_do(&bus, "move_joint servo=gripper to=200 over=1"); // its stop
    bus_run(&bus, 0.5);
    near(bus_get(&bus, "gripper.angle_deg"), (from_deg + 100) / 2, 0.2);
    bus_run(&bus, 0.6);
    near(bus_get(&bus, "gripper.angle_deg"), 100, 0.01);
    assert_false(sim_do(bus.s.sim, "bot.move_joint servo=elbow to=1", &error));
    assert_non_null(strstr(error.text, "there is no joint 'elbow'"));
    bus_close(&bus);
}

static void goals_are_clamped_to_the_registers_and_counted(void **state)
{
    (void)state;
    static const struct {
        int goal, position;
        bool is_outside;
    } rows[] = {{3500, 3000, true},  {500, 1000, true},   {3000, 3000, false},
                {1000, 1000, false}, {2000, 2000, false}, {1234, 1234, false}};
    struct bus_rig bus = bus_open("sts3215", "");
    int outside = 0;
    bus_write(&bus, 1, 9, 2, 1000);
    bus_write(&bus, 1, 11, 2, 3000);
    bus_write(&bus, 1, TORQUE, 1, 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        bus_write(&bus, 1, GOAL, 2, rows[i].goal);
        bus_run(&bus, 3);
        near(bus_read(&bus, 1, POSITION, 2), rows[i].position, 1);
        outside += rows[i].is_outside;
        assert_int_equal((int)bus_get(&bus, "out_of_range"), outside);
    }
    bus_close(&bus);
}

static void a_calibrated_position_reads_exactly_as_told(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("so101", "role: leader");
    for (int i = 0; i < 20; i++) { // at parts of a step, 0.088 degrees
        char command[80];
        snprintf(command, sizeof command, "move_joint servo=shoulder_pan to=%g over=0.1",
                 20 + i * 0.01);
        bus_do(&bus, command);
        bus_run(&bus, 0.2);
        bus_send(&bus, "ff ff 01 02 0b f1", 10);
        assert_int_equal(bus_read(&bus, 1, POSITION, 2), 2048);
        bus_send(&bus, "ff ff 01 04 0b e8 03 04", 10);
        assert_int_equal(bus_read(&bus, 1, POSITION, 2), 1000);
    }
    bus_close(&bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lekiwi_drives_as_the_formulas_say),
        cmocka_unit_test(wheels_drive_on_when_their_host_is_gone_and_roll_without_torque),
        cmocka_unit_test(full_speed_is_no_overload),
        cmocka_unit_test(a_wheel_is_no_faster_than_its_voltage_allows),
        cmocka_unit_test(a_joint_moves_with_speed_and_acceleration_to_its_goal),
        cmocka_unit_test(speed_0_is_the_highest_if_phase_says_so),
        cmocka_unit_test(bit_2_of_phase_is_the_unit_of_velocities),
        cmocka_unit_test(modes_of_duty_and_steps),
        cmocka_unit_test(present_is_real_minus_offset_and_wraps_unless_turns_count),
        cmocka_unit_test(goals_beyond_the_limits_are_clamped),
        cmocka_unit_test(gravity_loads_bends_and_lowers_an_arm),
        cmocka_unit_test(a_hand_moves_the_joints_of_a_leader),
        cmocka_unit_test(goals_are_clamped_to_the_registers_and_counted),
        cmocka_unit_test(a_calibrated_position_reads_exactly_as_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
