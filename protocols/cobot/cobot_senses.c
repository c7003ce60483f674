/* The inertial sensors. Their chip is unknown; the firmware's scales are those of an MPU-6050.
 * Signs: the chip is mounted reversed along x, and its yaw increases clockwise (the vendor's driver
 * reverses both). Left out: drift of the yaw, temperature, vibration. */
#include "protocols/cobot/cobot_state.h"

#include <math.h>

#include "base/angle.h"
#include "base/rng.h"

static const double COBOT_TURN_RAD = 2 * ANGLE_PI;
static const double COBOT_DEG_PER_RAD = 180 / ANGLE_PI;
static const double COBOT_GRAVITY_M_S2 = 9.80665; /* standard gravity, CGPM 1901 */

/* Digits of the chip (vendor firmware: feedback.c). */
static const double COBOT_DIGITS_PER_DEG_S = 16.4;
static const double COBOT_DIGITS_PER_G = 16384;

/* Standard deviation of a sample. MPU-6050 product specification: 0.05 deg/s; 400 ug/sqrt(Hz),
 * which is about 3 mg in a band of 44 Hz. */
static const double COBOT_GYRO_NOISE_DEG_S = 0.05;
static const double COBOT_ACCEL_NOISE_G = 0.003;

/* Weight of a new acceleration in the filtered value, per control pass. Chosen: a low-pass filter
 * of about 10 Hz, which firmware uses against the motors' vibration. */
static const double COBOT_ACCEL_PART = 0.4;

void cobot_imu_sample(struct cobot_state *state, const struct robot_sensors *sensors)
{
    struct cobot_inertia *inertia = &state->inertia;
    if (!inertia->has_start) {
        inertia->has_start = true;
        inertia->yaw_start_rad = sensors->yaw_rad;
        for (int i = 0; i < 3; i++)
            inertia->accel_m_s2[i] = sensors->accel_m_s2[i];
    }
    for (int i = 0; i < 3; i++) {
        double change = sensors->accel_m_s2[i] - inertia->accel_m_s2[i];
        inertia->accel_m_s2[i] += COBOT_ACCEL_PART * change;
    }
}

/* ---- Attitude ---- */

/* Converts to the range -pi .. pi, including pi. */
static double wrap(double angle_rad)
{
    return angle_rad - COBOT_TURN_RAD * ceil(angle_rad / COBOT_TURN_RAD - 0.5);
}

/* Yaw as on the wire. */
static double wire_yaw_rad(const struct cobot_state *state, const struct robot_sensors *sensors)
{
    double left_rad = sensors->yaw_rad - state->inertia.yaw_start_rad;
    return wrap(state->options.yaw == COBOT_YAW_CLOCKWISE ? -left_rad : left_rad);
}

static void put_angle(double angle_rad, uint8_t *sign, uint16_t *magnitude)
{
    cobot_put_signed(wrap(angle_rad) * COBOT_DEG_PER_RAD * 100, sign, magnitude);
}

void cobot_imu_fill_attitude(struct cobot_state *state, const struct robot_sensors *sensors)
{
    struct cobot_attitude *attitude = &state->last.attitude;
    put_angle(sensors->pitch_rad, &attitude->pitch_sign, &attitude->pitch);
    put_angle(sensors->roll_rad, &attitude->roll_sign, &attitude->roll);
    put_angle(wire_yaw_rad(state, sensors), &attitude->yaw_sign, &attitude->yaw);
}

/* ---- Raw values ---- */

/* A 16-bit value of the firmware. Beyond its range, a real board wraps. */
static double short_value(const struct cobot_state *state, double value)
{
    double whole = trunc(value);
    if (state->options.imu_overflow == COBOT_OVERFLOW_WRAP)
        return whole - 65536 * floor((whole + 32768) / 65536);
    return fmax(-32768, fmin(32767, whole));
}

static double noise(struct cobot_state *state, uint64_t axis)
{
    if (!state->options.has_noise)
        return 0;
    return rng_normal(state->imu_key, state->inertia.samples * 6 + axis);
}

static void fill_gyro(struct cobot_state *state, const struct robot_sensors *sensors)
{
    struct cobot_imu *imu = &state->last.imu;
    const double rates[3] = {-sensors->gyro_rad_s[0], sensors->gyro_rad_s[1],
                             sensors->gyro_rad_s[2]};
    double values[3];
    for (uint64_t i = 0; i < 3; i++) {
        double deg_s = rates[i] * COBOT_DEG_PER_RAD + COBOT_GYRO_NOISE_DEG_S * noise(state, i);
        double digits = floor(deg_s * COBOT_DIGITS_PER_DEG_S + 0.5);
        double rad_s = digits / COBOT_DIGITS_PER_DEG_S / COBOT_DEG_PER_RAD;
        values[i] = short_value(state, rad_s * 1000);
    }
    cobot_put_signed(values[0], &imu->gyro_x_sign, &imu->gyro_x);
    cobot_put_signed(values[1], &imu->gyro_y_sign, &imu->gyro_y);
    cobot_put_signed(values[2], &imu->gyro_z_sign, &imu->gyro_z);
}

static void fill_accel(struct cobot_state *state)
{
    struct cobot_imu *imu = &state->last.imu;
    const double *accel = state->inertia.accel_m_s2;
    const double parts[3] = {-accel[0], accel[1], accel[2]};
    double values[3];
    for (uint64_t i = 0; i < 3; i++) {
        double g = parts[i] / COBOT_GRAVITY_M_S2 + COBOT_ACCEL_NOISE_G * noise(state, 3 + i);
        double digits = floor(g * COBOT_DIGITS_PER_G + 0.5);
        values[i] = short_value(state, digits * 10000 / COBOT_DIGITS_PER_G);
    }
    cobot_put_signed(values[0], &imu->accel_x_sign, &imu->accel_x);
    cobot_put_signed(values[1], &imu->accel_y_sign, &imu->accel_y);
    cobot_put_signed(values[2], &imu->accel_z_sign, &imu->accel_z);
}

/* Quaternion from roll, pitch and yaw as in message 05, in the order ZYX (vendor firmware). */
static void fill_quaternion(struct cobot_state *state, const struct robot_sensors *sensors)
{
    struct cobot_imu *imu = &state->last.imu;
    double sr, cr, sp, cp, sy, cy;
    angle_sin_cos(wrap(sensors->roll_rad) / 2, &sr, &cr);
    angle_sin_cos(wrap(sensors->pitch_rad) / 2, &sp, &cp);
    angle_sin_cos(wire_yaw_rad(state, sensors) / 2, &sy, &cy);
    double w = cr * cp * cy + sr * sp * sy;
    double x = sr * cp * cy - cr * sp * sy;
    double y = cr * sp * cy + sr * cp * sy;
    double z = cr * cp * sy - sr * sp * cy;
    cobot_put_signed(w * 10000, &imu->quat_w_sign, &imu->quat_w);
    cobot_put_signed(x * 10000, &imu->quat_x_sign, &imu->quat_x);
    cobot_put_signed(y * 10000, &imu->quat_y_sign, &imu->quat_y);
    cobot_put_signed(z * 10000, &imu->quat_z_sign, &imu->quat_z);
}

void cobot_imu_fill_raw(struct cobot_state *state, const struct robot_sensors *sensors)
{
    fill_gyro(state, sensors);
    fill_accel(state);
    fill_quaternion(state, sensors);
    state->inertia.samples++;
}
