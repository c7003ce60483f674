/* Inertial units without a world. A robot can therefore be tilted, and rotated faster than it can
 * drive. Orientations, values beyond 16 bits, and the gyro's zero. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/cobot/cobot_state.h"
#include "protocols/turtlebot3/turtlebot3_senses.h"

/* Roll, pitch, yaw. */
static const double tilts[][3] = {{0, 0, 0},         {0.3, 0, 0},       {0, 0.4, 0},
                                  {0, 0, 1.2},       {0.3, -0.2, 0.9},  {-0.5, 0.25, -1.4},
                                  {0.2, 0.35, 2.75}, {-0.1, -0.6, -2.2}};

/* OUT = A * B, as w, x, y, z. */
static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* A rotation about z, then about the new y, then about the new x. */
static void orientation_of(const double tilt[3], double q[4])
{
    const double roll[4] = {cos(tilt[0] / 2), sin(tilt[0] / 2), 0, 0};
    const double pitch[4] = {cos(tilt[1] / 2), 0, sin(tilt[1] / 2), 0};
    const double yaw[4] = {cos(tilt[2] / 2), 0, 0, sin(tilt[2] / 2)};
    double both[4];
    multiply(yaw, pitch, both);
    multiply(both, roll, q);
}

static void expect_orientation(const char *robot, size_t row, const double q[4], double off)
{
    double wanted[4];
    orientation_of(tilts[row], wanted);
    for (int i = 0; i < 4; i++)
        if (fabs(q[i] - wanted[i]) > off)
            fail_msg("%s, row %zu: %c is %g, not %g", robot, row, "wxyz"[i], q[i], wanted[i]);
}

static void a_quaternion_is_yaw_then_pitch_then_roll(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(tilts); i++) {
        static struct robot_sensors sensors;
        static struct cobot_state cobot;
        static struct turtlebot3_state burger;
        sensors.roll_rad = tilts[i][0];
        sensors.pitch_rad = tilts[i][1];
        sensors.yaw_rad = burger.imu.yaw_rad = tilts[i][2];

        cobot.options.yaw = COBOT_YAW_COUNTER_CLOCKWISE;
        cobot_imu_fill_raw(&cobot, &sensors);
        const struct cobot_imu *imu = &cobot.last.imu;
        expect_orientation("cobot", i,
                           (const double[]){(imu->quat_w_sign ? -1e-4 : 1e-4) * imu->quat_w,
                                            (imu->quat_x_sign ? -1e-4 : 1e-4) * imu->quat_x,
                                            (imu->quat_y_sign ? -1e-4 : 1e-4) * imu->quat_y,
                                            (imu->quat_z_sign ? -1e-4 : 1e-4) * imu->quat_z},
                           1.1e-4);

        turtlebot3_senses_pass(&burger, &sensors, 0);
        expect_orientation("turtlebot3", i,
                           (const double[]){(double)burger.table.orientation_w,
                                            (double)burger.table.orientation_x,
                                            (double)burger.table.orientation_y,
                                            (double)burger.table.orientation_z},
                           1e-6);
    }
}

/* 0.001 rad/s in 16 bits; the unit is mounted reversed along x. */
static void a_cobots_gyro_ends_where_16_bits_end(void **unused)
{
    (void)unused;
    static struct robot_sensors sensors = {.gyro_rad_s = {40, 40, -40}};
    static struct cobot_state cobot;
    cobot.options.imu_overflow = COBOT_OVERFLOW_SATURATE;
    cobot_imu_fill_raw(&cobot, &sensors);
    const struct cobot_imu *imu = &cobot.last.imu;
    assert_int_equal(imu->gyro_x_sign, 1);
    assert_int_equal(imu->gyro_x, 32768);
    assert_int_equal(imu->gyro_y_sign, 0);
    assert_int_equal(imu->gyro_y, 32767);
    assert_int_equal(imu->gyro_z_sign, 1);
    assert_int_equal(imu->gyro_z, 32768);
}

/* 20 samples at this rate about z. */
static void calibrate(struct turtlebot3_state *burger, double rate_rad_s, int64_t from_us)
{
    static struct robot_sensors sensors;
    sensors.gyro_rad_s[2] = rate_rad_s;
    turtlebot3_imu_calibrate(burger);
    for (int i = 0; i < 20; i++)
        turtlebot3_imu_sample(burger, &sensors, from_us + 5000 * i);
    turtlebot3_imu_calibrated(burger);
}

static void each_calibration_of_a_gyro_forgets_the_one_before(void **unused)
{
    (void)unused;
    static struct turtlebot3_state burger;
    calibrate(&burger, 0.5, 0);
    assert_true(fabs(burger.imu.bias_rad_s[2] - 0.5) < 1e-9);
    calibrate(&burger, 0, 1000000);
    assert_true(fabs(burger.imu.bias_rad_s[2]) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quaternion_is_yaw_then_pitch_then_roll),
        cmocka_unit_test(a_cobots_gyro_ends_where_16_bits_end),
        cmocka_unit_test(each_calibration_of_a_gyro_forgets_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
