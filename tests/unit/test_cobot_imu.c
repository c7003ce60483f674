/* The inertial messages 05 and 06. Both report the same motion, which is the simulated one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

static const double PI = 3.14159265358979323846;
static const double GRAVITY_M_S2 = 9.80665;

static double degrees(const struct rig *rig, size_t at)
{
    return rig_signed(rig, 5, at) * 0.01;
}

static double between(double a_deg, double b_deg)
{
    return fabs(remainder(a_deg - b_deg, 360));
}

/* ---- Quaternion and Euler angles ---- */

struct comparison {
    bool has_attitude;
    unsigned count;
    double worst_deg, worst_length;
};

/* Message 06 directly after message 05 describes the same moment. */
static void compare(struct rig *rig, uint8_t function)
{
    struct comparison *comparison = rig->user;
    if (function == 5)
        comparison->has_attitude = true;
    if (function != 6 || !comparison->has_attitude)
        return;
    comparison->has_attitude = false;
    double q[4];
    for (size_t i = 0; i < 4; i++)
        q[i] = rig_signed(rig, 6, 21 + 3 * i) * 0.0001;
    double roll = atan2(2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    double pitch = asin(2 * (q[0] * q[2] - q[3] * q[1]));
    double yaw = atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
    comparison->worst_deg = fmax(comparison->worst_deg, between(pitch * 180 / PI, degrees(rig, 3)));
    comparison->worst_deg = fmax(comparison->worst_deg, between(roll * 180 / PI, degrees(rig, 6)));
    comparison->worst_deg = fmax(comparison->worst_deg, between(yaw * 180 / PI, degrees(rig, 9)));
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    comparison->worst_length = fmax(comparison->worst_length, fabs(length - 1));
    comparison->count++;
}

static void quaternion_and_euler_angles_agree_within_rounding(void **state)
{
    (void)state;
    static const char *const yaws[] = {"cobot.yaw=clockwise", "cobot.yaw=counter_clockwise"};
    for (size_t i = 0; i < 2; i++) {
        const char *const options[] = {yaws[i], NULL};
        struct comparison comparison = {0};
        struct rig rig = rig_open("mecanum", options);
        rig.heard = compare;
        rig.user = &comparison;
        rig_drive(&rig, 300, 100, 80, 20); // four turns
        rig_drive(&rig, 100, -100, -60, 20);
        assert_in_range(comparison.count, 799, 800); // the last is still on its way
        print_message("%u pairs, at most %.4f deg apart, length off by %.5f\n", comparison.count,
                      comparison.worst_deg, comparison.worst_length);
        /* Truncation by 1e-4 rotates a half angle by at most sqrt(2) x 1e-4, which is 0.016 deg of
         * yaw. The angle itself is truncated by 0.01 deg. */
        assert_true(comparison.worst_deg < 0.027);
        assert_true(comparison.worst_length < 1.5e-4);
        rig_close(&rig);
    }
}

/* ---- Yaw and gyro ---- */

static void yaw_grows_clockwise_and_gyro_z_to_the_left(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_stand(&rig, 0);
    rig_drive(&rig, 0, 0, 50, 2);
    assert_true(abs(rig_signed(&rig, 6, 9) - 500) < 60);
    rig_stand(&rig, 0);
    double left_deg = rig_get(&rig, "heading_deg");
    assert_true(left_deg > 50);
    assert_true(between(degrees(&rig, 9), -left_deg) < 0.02);
    rig_close(&rig);

    const char *const other[] = {"cobot.yaw=counter_clockwise", NULL};
    rig = rig_open("mecanum", other);
    rig_drive(&rig, 0, 0, 50, 2);
    rig_stand(&rig, 0);
    assert_true(between(degrees(&rig, 9), rig_get(&rig, "heading_deg")) < 0.02);
    rig_close(&rig);
}

static void check_gyro(const char *model, const char *const *options)
{
    struct rig rig = rig_open(model, options);
    double turned_rad = 0;
    for (int i = 0; i < 8; i++) {
        int turn = model[0] == 'a' ? 25 - 6 * i : 150 - 40 * i;
        rig_drive(&rig, 300 - 40 * i, 0, turn, 5);
        rig_stand(&rig, model[0] == 'a' ? turn : 0);
        turned_rad = rig_get(&rig, "heading_deg") * PI / 180;
    }
    double wire_rad = -degrees(&rig, 9) * PI / 180;
    print_message("%-12s gyro %.4f rad, yaw %.4f rad\n", model, rig.gyro_turn_rad, turned_rad);
    assert_true(fabs(remainder(wire_rad - turned_rad, 2 * PI)) < 0.0003);
    assert_true(fabs(rig.gyro_turn_rad - turned_rad) < 0.02);
    rig_close(&rig);
}

static void the_integral_of_gyro_z_is_the_change_of_yaw(void **state)
{
    (void)state;
    const char *const noisy[] = {"cobot.noise=on", NULL};
    check_gyro("ackermann", NULL);
    check_gyro("differential", NULL);
    check_gyro("mecanum", NULL);
    check_gyro("tracked", NULL);
    check_gyro("mecanum", noisy);
}

/* ---- Acceleration ---- */

struct means {
    double sum[3], squares[3];
    unsigned count;
};

static void add(struct rig *rig, uint8_t function)
{
    struct means *means = rig->user;
    for (size_t i = 0; function == 6 && i < 3; i++) {
        double g = rig_signed(rig, 6, 12 + 3 * i) * 0.0001;
        means->sum[i] += g;
        means->squares[i] += g * g;
    }
    means->count += function == 6;
}

static void gravity_is_one_g_at_rest(void **state)
{
    (void)state;
    static const char *const wrapping[] = {"cobot.imu_overflow=wrap", NULL};
    for (int i = 0; i < 2; i++) {
        struct means means = {0};
        struct rig rig = rig_open("mecanum", i == 0 ? NULL : wrapping);
        rig.heard = add;
        rig.user = &means;
        rig_run(&rig, 10);
        assert_true(means.sum[0] == 0 && means.sum[1] == 0);
        assert_true(fabs(means.sum[2] / means.count - 1) < 1e-12);
        rig_close(&rig);
    }
}

static void noise_is_small_and_has_no_bias(void **state)
{
    (void)state;
    const char *const noisy[] = {"cobot.noise=on", NULL};
    struct means means = {0};
    struct rig rig = rig_open("mecanum", noisy);
    rig.heard = add;
    rig.user = &means;
    rig_run(&rig, 100);
    for (size_t i = 0; i < 3; i++) {
        double mean = means.sum[i] / means.count;
        double spread = sqrt(means.squares[i] / means.count - mean * mean);
        assert_true(fabs(mean - (i == 2)) < 0.0003); // 3 mg over 4000 samples: 0.05 mg
        assert_true(spread > 0.001 && spread < 0.01);
    }
    assert_true(fabs(rig.gyro_turn_rad) < 0.005);
    rig_close(&rig);
}

/* Message 06 has the robot's -x as its x. */
static void accelerations_are_those_of_the_motion(void **state)
{
    (void)state;
    static const char *const models[] = {"ackermann", "differential", "mecanum", "tracked"};
    for (size_t i = 0; i < 4; i++) {
        struct means means = {0};
        struct rig rig = rig_open(models[i], NULL);
        rig.heard = add;
        rig.user = &means;

        /* A start: the integral of the acceleration is the speed. */
        rig_drive(&rig, 400, 0, 0, 2);
        double gained_m_s = -means.sum[0] * GRAVITY_M_S2 * 0.025;
        double speed_m_s = rig_get(&rig, "speed_m_s");
        assert_true(speed_m_s > 0.38 && fabs(gained_m_s / speed_m_s - 1) < 0.1);

        /* A circle to the left: speed x turn rate, to the left. */
        rig_drive(&rig, 400, 0, i == 0 ? 10 : 50, 2);
        means = (struct means){0};
        double heading = rig_get(&rig, "heading_deg");
        rig_drive(&rig, 400, 0, i == 0 ? 10 : 50, 10);
        double turn_rad_s = (rig_get(&rig, "heading_deg") - heading) * PI / 180 / 10;
        double inward_m_s2 = means.sum[1] / means.count * GRAVITY_M_S2;
        print_message("%-12s gained %.3f of %.3f m/s; inward %.4f of %.4f m/s2\n", models[i],
                      gained_m_s, speed_m_s, inward_m_s2, 0.4 * turn_rad_s);
        assert_true(fabs(inward_m_s2 / (0.4 * turn_rad_s) - 1) < 0.05);
        assert_true(fabs(means.sum[0] / means.count) < 0.002);
        assert_true(fabs(means.sum[2] / means.count - 1) < 1e-9);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternion_and_euler_angles_agree_within_rounding),
        cmocka_unit_test(yaw_grows_clockwise_and_gyro_z_to_the_left),
        cmocka_unit_test(the_integral_of_gyro_z_is_the_change_of_yaw),
        cmocka_unit_test(gravity_is_one_g_at_rest),
        cmocka_unit_test(noise_is_small_and_has_no_bias),
        cmocka_unit_test(accelerations_are_those_of_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
