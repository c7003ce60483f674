/* The IMU message. Leaves out the digital steps, the temperature drift and the misalignment of real
 * sensors. */
#include "protocols/diff_board/diff_board_imu.h"

#include "base/rng.h"

/* Firmware 1.0.1 reads the sensors every 100 ms (gskywolf/MoBot_Arduino: src/robot.cpp); what
 * firmware 2 does is unknown. Chosen: as fast as most hosts ask. */
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
