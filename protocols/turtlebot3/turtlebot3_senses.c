/* "Firmware" is ROBOTIS-GIT/OpenCR @ 68ec75d: turtlebot3_ros2, and the library IMU. */
#include "protocols/turtlebot3/turtlebot3_senses.h"

#include <math.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/curve.h"
#include "protocols/turtlebot3/turtlebot3_motion.h"

/* ---- IMU ---- */

/* Firmware: IMU.h. Units of one count; 200 Hz; counts up to 3 are set to 0. */
#define GYRO_RAD_S 0.0010642
#define ACCEL_M_S2 0.000598550415
#define FIELD_UT   0.15
#define GYRO_DEAD  3
#define IMU_US     5000

/* Standard deviations of its Gazebo model (ROBOTIS-GIT/turtlebot3_simulations @ eb50ff8). */
#define GYRO_NOISE_RAD_S 2e-4
#define ACCEL_NOISE_M_S2 0.017
#define FIELD_NOISE_UT   0.3 /* chosen: two counts */

static double counted(double value, double count)
{
    return round(value / count) * count;
}

void turtlebot3_imu_sample(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                           int64_t now_us)
{
    struct turtlebot3_imu_state *imu = &state->imu;
    if (now_us < imu->due_us)
        return;
    uint64_t counter = 9 * imu->samples++;
    double noise = state->options.has_noise ? 1 : 0;
    imu->due_us += IMU_US;
    imu->calibrations += state->is_calibrating;
    for (uint64_t i = 0; i < 3; i++) {
        double raw = sensors->gyro_rad_s[i] +
                     noise * GYRO_NOISE_RAD_S * rng_normal(state->rng_key, counter + i);
        double rate = counted(raw - imu->bias_rad_s[i], GYRO_RAD_S);
        imu->bias_sum[i] += state->is_calibrating ? raw : 0;
        imu->rate_rad_s[i] = fabs(rate) < (GYRO_DEAD + 0.5) * GYRO_RAD_S ? 0 : rate;
        imu->accel_m_s2[i] =
            counted(sensors->accel_m_s2[i] +
                        noise * ACCEL_NOISE_M_S2 * rng_normal(state->rng_key, counter + 3 + i),
                    ACCEL_M_S2);
        imu->field_ut[i] =
            counted(sensors->field_ut[i] +
                        noise * FIELD_NOISE_UT * rng_normal(state->rng_key, counter + 6 + i),
                    FIELD_UT);
    }
    imu->yaw_rad += imu->rate_rad_s[2] * IMU_US * 1e-6;
}

void turtlebot3_imu_calibrate(struct turtlebot3_state *state)
{
    struct turtlebot3_imu_state *imu = &state->imu;
    state->is_calibrating = true;
    imu->calibrations = 0;
    for (int i = 0; i < 3; i++)
        imu->bias_sum[i] = 0;
}

void turtlebot3_imu_calibrated(struct turtlebot3_state *state)
{
    struct turtlebot3_imu_state *imu = &state->imu;
    for (int i = 0; i < 3 && imu->calibrations > 0; i++)
        imu->bias_rad_s[i] = imu->bias_sum[i] / (double)imu->calibrations;
    state->is_calibrating = false;
    state->table.recalibrate = 0;
}

static void read_imu(struct turtlebot3_state *state, const struct robot_sensors *sensors)
{
    const struct turtlebot3_imu_state *imu = &state->imu;
    struct turtlebot3_table *table = &state->table;
    float *const rates[] = {&table->gyro_x, &table->gyro_y, &table->gyro_z};
    float *const accels[] = {&table->accel_x, &table->accel_y, &table->accel_z};
    float *const fields[] = {&table->field_x, &table->field_y, &table->field_z};
    bool has_field = state->options.imu == TURTLEBOT3_MPU9250;
    for (int i = 0; i < 3; i++) {
        *rates[i] = (float)imu->rate_rad_s[i];
        *accels[i] = (float)imu->accel_m_s2[i];
        *fields[i] = has_field ? (float)(imu->field_ut[i] * 1e-6) : 0;
    }
    double roll[2], pitch[2], yaw[2]; // cosine, sine of the half
    angle_sin_cos(sensors->roll_rad / 2, &roll[1], &roll[0]);
    angle_sin_cos(sensors->pitch_rad / 2, &pitch[1], &pitch[0]);
    angle_sin_cos(imu->yaw_rad / 2, &yaw[1], &yaw[0]);
    double flat = roll[0] * pitch[0], both = roll[1] * pitch[1];
    double rolled = roll[1] * pitch[0], pitched = roll[0] * pitch[1];
    table->orientation_w = (float)(flat * yaw[0] + both * yaw[1]);
    table->orientation_x = (float)(rolled * yaw[0] - pitched * yaw[1]);
    table->orientation_y = (float)(pitched * yaw[0] + rolled * yaw[1]);
    table->orientation_z = (float)(flat * yaw[1] - both * yaw[0]);
}

/* ---- Battery ---- */

#define VOLTS_STEP 0.0184 /* 10 bits over 18.81 V: firmware */
#define LOW_V      11.0   /* firmware; and for how long, about */
#define LOW_US     6000000
#define ADAPTER_V  12.0         /* of its power supply: e-manual */
#define BATTERY_AS (1.8 * 3600) /* 1800 mAh: e-manual */

/* Chosen: three lithium polymer cells. */
static const struct curve_point volts_of_charge[] = {
    {0, 10.5}, {0.15, 11.1}, {0.45, 11.5}, {0.75, 12.0}, {1, 12.6}};

double turtlebot3_battery_volts(double charge)
{
    return curve_at(volts_of_charge, COUNT(volts_of_charge), charge);
}

double turtlebot3_battery_charge(double volts)
{
    return curve_inverse(volts_of_charge, COUNT(volts_of_charge), volts);
}

void turtlebot3_power(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                      int64_t now_us)
{
    struct turtlebot3_power *power = &state->power;
    power->has_adapter = sensors->charger != CHARGER_NONE;
    power->volts =
        power->has_adapter ? ADAPTER_V : turtlebot3_battery_volts(sensors->battery_charge);
    if (power->volts >= LOW_V) {
        if (power->is_cut)
            turtlebot3_motion_zero(state, sensors);
        power->is_cut = false;
        power->low_us = ROBOT_NEVER;
    } else if (power->low_us == ROBOT_NEVER) {
        power->low_us = now_us;
    } else if (now_us - power->low_us >= LOW_US) {
        power->is_cut = true;
        state->has_torque = false;
    }
}

double turtlebot3_charge_rate(const struct turtlebot3_state *state)
{
    double load_a = turtlebot3_traits[state->model].board_a;
    for (int i = 0; i < TURTLEBOT3_WHEELS; i++)
        load_a += fabs(state->servos[i].current_a * state->servos[i].duty);
    return state->power.has_adapter ? 0 : -load_a / BATTERY_AS;
}

static void read_power(struct turtlebot3_state *state)
{
    struct turtlebot3_table *table = &state->table;
    double volts = floor(state->power.volts / VOLTS_STEP) * VOLTS_STEP;
    table->battery = (uint32_t)(volts * 100);
    if (volts >= 10.5)
        table->battery_percent = (uint32_t)((volts - 10.5) / 1.8 * 10000);
}

/* ---- Inputs ---- */

/* Accessories on OLLO ports, and a light sensor. Chosen: the values of the infrared sensor and of
 * the light. Without accessories, values are 0, and bumpers are 1, because their inputs have
 * pull-ups. */
static void read_inputs(struct turtlebot3_state *state, const struct robot_sensors *sensors)
{
    struct turtlebot3_table *table = &state->table;
    bool has_all = state->options.has_accessories;
    table->button1 = sensors->buttons & 1;
    table->button2 = sensors->buttons >> 1 & 1;
    table->bumper1 = has_all ? sensors->bumpers & 1 : 1;
    table->bumper2 = has_all ? sensors->bumpers >> 1 & 1 : 1;
    if (!has_all)
        return;
    double near = 1 - fmin(1, sensors->sensor[0].distance_m / TURTLEBOT3_CLIFF_RANGE_M);
    table->infrared = wire_saturate_u16(1023 * near);
    table->illumination = wire_saturate_u16(1023 * sensors->sensor[1].level);
}

void turtlebot3_senses_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us)
{
    state->table.millis = (uint32_t)((now_us - state->start_us) / 1000);
    read_imu(state, sensors);
    read_power(state);
    read_inputs(state, sensors);
}

/* ---- Buzzer ---- */

enum { NOTES = 8 };

/* Firmware: turtlebot3_sensor.cpp. Melodies: off, on, low battery, error. */
static const struct {
    uint16_t hz[NOTES];
    double note_s;
} melodies[] = {
    {{523, 494, 440, 392, 349, 330, 294, 262}, 0.25},
    {{262, 294, 330, 349, 392, 440, 494, 523}, 0.25},
    {{1000, 1000, 1000, 1000}, 1},
    {{1000, 500, 1000, 500, 1000, 500, 1000, 500}, 0.333},
};

void turtlebot3_play(struct turtlebot3_state *state, uint8_t melody, int64_t now_us)
{
    if (melody >= COUNT(melodies))
        return;
    state->play.melody = melody;
    state->play.is_playing = true;
    state->play.start_us = now_us;
    state->melodies++;
}

double turtlebot3_sound_hz(struct turtlebot3_state *state, int64_t now_us)
{
    struct turtlebot3_play *play = &state->play;
    double from_s = (double)(now_us - play->start_us) * 1e-6;
    double each_s = 1.3 * melodies[play->melody].note_s; // with the pause behind it
    double low_s = (double)(now_us - state->power.low_us) * 1e-6;
    if (state->power.is_cut) // firmware: 0.5 s each 2 s
        return fmod(low_s, 2) < 0.5 ? 1000 : 0;
    play->is_playing &= from_s < NOTES * each_s;
    if (!play->is_playing)
        return 0;
    bool is_pause = fmod(from_s, each_s) >= melodies[play->melody].note_s;
    return is_pause ? 0 : melodies[play->melody].hz[(int)(from_s / each_s)];
}
