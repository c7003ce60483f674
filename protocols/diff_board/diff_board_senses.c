/* Evaluation of encoders and IMU in the firmware. Source of the odometry: the vendor's firmware
 * (gskywolf/MoBot_Arduino: src/robot.cpp, lib/KinematicModels), which computes in single precision;
 * this file uses double precision. Left out: digital steps, temperature drift and misalignment of a
 * real IMU. */
#include "protocols/diff_board/diff_board_senses.h"

#include <math.h>

#include "base/angle.h"
#include "base/rng.h"
#include "protocols/diff_board/diff_board_motion.h"
#include "protocols/diff_board/diff_board_parameters.h"

/* ---- Odometry ---- */

static const double PERIOD_S = DIFF_BOARD_ODOMETRY_PERIOD_US * 1e-6;

enum { YAW_TURN = 628 }; /* of 0.01 rad: a later derivative wraps here */

static void odometry_zero(struct diff_board_odometry *message)
{
    message->v_liner_x = message->v_liner_y = message->v_angular_z = 0;
    message->x = message->y = 0;
    message->yaw = 0;
}

void diff_board_odometry_clear(struct diff_board_state *state)
{
    struct diff_board_odom *odom = &state->odom;
    odom->x_m = odom->y_m = odom->yaw_rad = 0;
    odom->velocity = (struct diff_board_twist){0};
    odom->is_poisoned = false;
    odometry_zero(&state->last.odometry);
    state->wants_clear = true;
}

/* ---- Conversion of doubles into the message: times 100, truncated toward zero ---- */

static int32_t hundredths(double value)
{
    double scaled = trunc(value * 100);
    return (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, scaled));
}

/* Like the firmware's cast: values out of range wrap around. */
static int16_t low_half(int32_t value)
{
    return (int16_t)(uint16_t)((uint32_t)value & 0xFFFF);
}

static void odometry_publish(struct diff_board_state *state)
{
    const struct diff_board_odom *odom = &state->odom;
    struct diff_board_odometry *message = &state->last.odometry;
    bool is_omni3 = diff_board_model(state) == diff_board_kinematics(DIFF_BOARD_OMNI_3);
    /* The firmware's omni3 code divides by milliseconds and omits the factor. */
    double scale = is_omni3 && state->options.has_omni3_quirk ? 0.001 : 1;
    message->v_liner_x = low_half(hundredths(odom->velocity.x * scale));
    message->v_liner_y = low_half(hundredths(odom->velocity.y * scale));
    message->v_angular_z = low_half(hundredths(odom->velocity.turn * scale));
    /* The processor converts a value that is not a number into INT32_MIN; its lower half is 0. */
    message->x = odom->is_poisoned ? INT32_MIN : hundredths(odom->x_m);
    message->y = odom->is_poisoned ? INT32_MIN : hundredths(odom->y_m);
    int32_t yaw = odom->is_poisoned ? INT32_MIN : hundredths(odom->yaw_rad);
    bool is_wrapped = state->options.has_yaw_wrap && !odom->is_poisoned;
    message->yaw = low_half(is_wrapped ? yaw % YAW_TURN : yaw);
}

/* ---- Integration ---- */

/* In the firmware, NaN or infinity spoils all later sums. */
static double finite_or_zero(struct diff_board_state *state, double value)
{
    if (isfinite(value))
        return value;
    state->odom.is_poisoned = state->odom.is_poisoned || state->options.has_nan_quirk;
    return 0;
}

static struct diff_board_twist odometry_travel(struct diff_board_state *state)
{
    double m_a_count =
        ANGLE_PI * state->parameters.wheel_diameter * 0.001 / diff_board_odometry_counts(state);
    double wheel_m[DIFF_BOARD_MOTORS];
    for (int i = 0; i < DIFF_BOARD_MOTORS; i++) {
        struct diff_board_motor *motor = &state->motion.motor[i];
        double counted = (double)(motor->count - motor->odom_count);
        wheel_m[i] = finite_or_zero(state, counted * m_a_count);
        motor->odom_count = motor->count;
    }
    struct diff_board_twist travel =
        diff_board_travel(diff_board_model(state), wheel_m, state->parameters.wheel_track * 0.0005);
    travel.turn = finite_or_zero(state, travel.turn);
    return travel;
}

static bool is_differential(const struct diff_board_kinematics *model)
{
    return model == diff_board_kinematics(DIFF_BOARD_2WD) ||
           model == diff_board_kinematics(DIFF_BOARD_4WD);
}

void diff_board_odometry_update(struct diff_board_state *state)
{
    struct diff_board_odom *odom = &state->odom;
    struct diff_board_twist travel = odometry_travel(state);
    /* Differential models rotate the step in the wrong direction (a sign error in the firmware).
     * The others use the heading before the step. */
    bool is_lagging = state->options.has_heading_lag && is_differential(diff_board_model(state));
    double heading_rad = odom->yaw_rad - (is_lagging ? travel.turn : 0);
    double sine, cosine;
    angle_sin_cos(heading_rad, &sine, &cosine);
    odom->x_m += cosine * travel.x - sine * travel.y;
    odom->y_m += sine * travel.x + cosine * travel.y;
    odom->yaw_rad += travel.turn;
    odom->velocity.x = travel.x / PERIOD_S;
    odom->velocity.y = travel.y / PERIOD_S;
    odom->velocity.turn = travel.turn / PERIOD_S;
    odom->due_us += DIFF_BOARD_ODOMETRY_PERIOD_US;
    odometry_publish(state);
}

/* ---- IMU ---- */

/* Firmware 1.0.1 reads the sensors every 100 ms (gskywolf/MoBot_Arduino: src/robot.cpp). The period
 * of firmware 2 is unknown. Chosen: the rate of the requests of most hosts. */
static const int64_t IMU_PERIOD_1_0_1_US = 100000;
static const int64_t IMU_PERIOD_US = 10000;

static const double MG_PER_UT = 10; /* milligauss in a microtesla */

/* imu_type of the parameters: pibotek/pibot_bringup. */
enum { IMU_GY65 = 49, IMU_GY85 = 69, IMU_GY87 = 71 };

static bool has_imu(const struct diff_board_state *state)
{
    uint8_t type = state->parameters.imu_type;
    return state->options.firmware == DIFF_BOARD_FIRMWARE_1_0_1 || type == IMU_GY65 ||
           type == IMU_GY85 || type == IMU_GY87;
}

void diff_board_imu_update(struct diff_board_state *state, const struct robot_sensors *sensors)
{
    struct diff_board_imu_state *imu = &state->imu;
    struct diff_board_imu *message = &state->last.imu;
    const struct diff_board_options *options = &state->options;
    bool is_old = options->firmware == DIFF_BOARD_FIRMWARE_1_0_1;
    double part = has_imu(state) ? 1 : 0;
    uint64_t counter = 9 * imu->samples++;
    for (uint64_t i = 0; i < 3; i++) {
        double accel =
            sensors->accel_m_s2[i] + options->accel_noise_m_s2 * rng_normal(imu->key, counter + i);
        double gyro = sensors->gyro_rad_s[i] + (i == 2 ? options->gyro_bias_rad_s : 0) +
                      options->gyro_noise_rad_s * rng_normal(imu->key, counter + 3 + i);
        double field = sensors->field_ut[i] * MG_PER_UT +
                       options->field_noise_mg * rng_normal(imu->key, counter + 6 + i);
        message->accel[i] = (float)(part * accel);
        message->gyro[i] = (float)(part * gyro);
        message->field[i] = (float)(part * field);
    }
    imu->due_us += is_old ? IMU_PERIOD_1_0_1_US : IMU_PERIOD_US;
}
