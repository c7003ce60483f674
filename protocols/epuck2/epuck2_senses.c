/* Proximity, ToF, microphones, ground sensors, inertial sensors. Approximated: a proximity sensor
 * sees the nearest object in its cone, regardless of its angle and size; its reading follows a
 * table for one material. Left out: the offsets that the firmware subtracts from the inertial
 * sensors after its start. */
#include "protocols/epuck2/epuck2_senses.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/curve.h"
#include "protocols/epuck2/epuck2_body.h"
#include "protocols/epuck2/epuck2_motion.h"

static const double EPUCK2_ADC_MAX = 4095; /* 12 bit */

/* Reading against distance in m: lookup table of the robot's model in Webots (E-puck.proto). */
static const struct curve_point prox_curve[] = {
    {0, 4095},       {0.005, 2133.33}, {0.010, 1465.73}, {0.015, 601.46},
    {0.020, 383.84}, {0.030, 234.93},  {0.040, 158.03},  {0.050, 120},
    {0.060, 104.09}, {0.070, 67.19},   {0.100, 0},
};
/* Standard deviation relative to the reading, from the same table. */
static const struct curve_point prox_noise[] = {
    {0, 0.002},      {0.005, 0.003},  {0.010, 0.007},   {0.015, 0.0406},  {0.020, 0.01472},
    {0.030, 0.0241}, {0.040, 0.0287}, {0.050, 0.04225}, {0.060, 0.03065}, {0.070, 0.04897},
};
/* The table applies to this reflectance, which is that of the walls of a room here. */
static const double EPUCK2_PROX_REFLECTANCE = 0.8;

/* Ambient light: a high value is dark, about 3000 to 4000 indoors (firmware). Chosen: the two
 * ends. */
static const double EPUCK2_AMBIENT_DARK = 4000;
static const double EPUCK2_AMBIENT_BRIGHT = 200;
static const double EPUCK2_AMBIENT_NOISE = 4; /* chosen */

/* Reading in mm against distance in m, measured by a user of Webots; noise 0.7 % near, 3 % far. */
static const struct curve_point tof_curve[] = {
    {0, 20},     {0.05, 58.5}, {0.10, 111}, {0.20, 219},
    {0.50, 532}, {1.0, 1052},  {1.7, 1780}, {2.0, 2000},
};
static const struct curve_point tof_noise[] = {{0, 0.007}, {2.0, 0.03}};
static const double EPUCK2_TOF_NOTHING_MM = 8190; /* VL53L0X */

static const double EPUCK2_MIC_FLOOR = 40; /* chosen: a quiet room */
static const double EPUCK2_MIC_NOISE = 2;  /* chosen */

/* About 1000 on white, up to 300 on black (a course with real robots). Chosen: values within that
 * range. */
static const double EPUCK2_GROUND_WHITE = 1000;
static const double EPUCK2_GROUND_BLACK = 120;
static const double EPUCK2_GROUND_MAX = 1023;
/* The reading 16 mm above white is that of Webots; at 23 mm it is 0. */
static const double EPUCK2_GROUND_FADE_M = 0.016 / 0.7;
static const double EPUCK2_GROUND_DARK = 950; /* chosen: ambient value below the robot */
/* Chosen: far below the 10 % of Webots, because real readings of a course distinguish black from
 * white immediately. */
static const double EPUCK2_GROUND_NOISE = 8;

double epuck2_senses_prox(double distance_m, double reflectance)
{
    double reading = curve_at(prox_curve, COUNT(prox_curve), distance_m);
    return fmin(EPUCK2_ADC_MAX, reading * reflectance / EPUCK2_PROX_REFLECTANCE);
}

/* Gaussian noise of this pass, mean 0; 0 if noise is off. */
static double noise(const struct epuck2_state *state, uint64_t key, unsigned which)
{
    return state->options.has_noise ? rng_normal(key, state->sense_passes * 32 + which) : 0;
}

static double limit(double value, double most)
{
    return fmax(0, fmin(most, value));
}

/* Distance from the true position of the sensor. Without an object it is the range. */
static double distance_of(const struct sensor_reading *reading)
{
    return fmax(0, reading->distance_m - EPUCK2_SET_BACK_M);
}

/* ---- Proximity ---- */

/* Noise increases with the motors' speed and at low battery (e-puck.org). Chosen: the amount. */
static double prox_unrest(const struct epuck2_state *state)
{
    const struct epuck2_wheel *wheels = state->motion.wheel;
    double speed =
        fmax(fabs(wheels[EPUCK2_LEFT].true_steps_s), fabs(wheels[EPUCK2_RIGHT].true_steps_s));
    return 1 + speed / EPUCK2_SPEED_MAX + (state->power.is_low ? 1 : 0);
}

enum { EPUCK2_CALIBRATION_SAMPLES = 100 }; /* proximity.c */

static void calibrate_end(struct epuck2_prox *prox)
{
    for (int i = 0; i < EPUCK2_PROX_COUNT; i++) {
        prox->offset[i] = wire_saturate_u16(prox->sum[i] / prox->samples);
        prox->sum[i] = 0;
    }
    prox->samples = 0;
    prox->is_calibrating = false;
    prox->calibrations++;
}

void epuck2_senses_calibrate(struct epuck2_state *state)
{
    struct epuck2_prox *prox = &state->prox;
    memset(prox->sum, 0, sizeof prox->sum);
    prox->samples = 0;
    prox->is_calibrating = true;
}

static void pass_prox(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    struct epuck2_prox *prox = &state->prox;
    double unrest = prox_unrest(state);
    for (unsigned i = 0; i < EPUCK2_PROX_COUNT; i++) {
        const struct sensor_reading *seen = &sensors->sensor[EPUCK2_PROX0 + i];
        double distance_m = distance_of(seen);
        double raw = epuck2_senses_prox(distance_m, seen->reflectance);
        if (raw > 0) { /* nothing in sight is exactly 0, with noise too */
            double share = curve_at(prox_noise, COUNT(prox_noise), distance_m) * unrest;
            raw = limit(raw * (1 + share * noise(state, state->prox_key, i)), EPUCK2_ADC_MAX);
        }
        prox->raw[i] = raw;
        prox->sum[i] += prox->is_calibrating ? raw : 0;
        prox->value[i] = wire_saturate_u16(fmax(0, floor(raw + 0.5) - prox->offset[i]));

        double light = limit(seen->level, 1);
        double ambient =
            EPUCK2_AMBIENT_DARK + (EPUCK2_AMBIENT_BRIGHT - EPUCK2_AMBIENT_DARK) * light;
        ambient += EPUCK2_AMBIENT_NOISE * noise(state, state->prox_key, 8 + i);
        prox->ambient[i] = wire_saturate_u16(limit(ambient, EPUCK2_ADC_MAX));
    }
    prox->samples += prox->is_calibrating;
    if (prox->samples == EPUCK2_CALIBRATION_SAMPLES)
        calibrate_end(prox);
}

/* ---- Other sensors ---- */

static void pass_tof(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    double distance_m = distance_of(&sensors->sensor[EPUCK2_TOF]);
    double reading = EPUCK2_TOF_NOTHING_MM;
    /* Without an object the distance is the range, except for rounding. */
    if (distance_m < EPUCK2_TOF_RANGE_M - 1e-6) {
        double share = curve_at(tof_noise, COUNT(tof_noise), distance_m);
        double mean_mm = curve_at(tof_curve, COUNT(tof_curve), distance_m);
        reading = mean_mm * (1 + share * noise(state, state->other_key, 0));
    }
    state->tof = wire_saturate_u16(reading);
}

static void pass_mics(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    for (unsigned i = 0; i < EPUCK2_MIC_COUNT; i++) {
        double level = limit(sensors->sensor[EPUCK2_MIC_RIGHT + i].level, 1);
        double reading = EPUCK2_MIC_FLOOR + (EPUCK2_ADC_MAX - EPUCK2_MIC_FLOOR) * level;
        reading += EPUCK2_MIC_NOISE * noise(state, state->other_key, 1 + i);
        state->mic[i] = wire_saturate_u16(limit(reading, EPUCK2_ADC_MAX));
    }
}

static void pass_ground(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    for (unsigned i = 0; i < EPUCK2_GROUND_COUNT; i++) {
        const struct sensor_reading *seen = &sensors->sensor[EPUCK2_GROUND_LEFT + i];
        double height_m = fmax(0, seen->distance_m - EPUCK2_GROUND_Z_M);
        double near = fmax(0, 1 - height_m / EPUCK2_GROUND_FADE_M);
        double shade = EPUCK2_GROUND_BLACK +
                       (EPUCK2_GROUND_WHITE - EPUCK2_GROUND_BLACK) * limit(seen->reflectance, 1);
        double reading =
            near > 0 ? shade * near + EPUCK2_GROUND_NOISE * noise(state, state->other_key, 5 + i)
                     : 0;
        state->ground[i] = wire_saturate_u16(limit(reading, EPUCK2_GROUND_MAX));
        double dark = EPUCK2_GROUND_DARK * (1 - limit(seen->level, 1));
        dark += EPUCK2_GROUND_NOISE * noise(state, state->other_key, 8 + i);
        state->ground_ambient[i] = wire_saturate_u16(limit(dark, EPUCK2_GROUND_MAX));
    }
}

/* ---- Accelerometer, gyro, magnetometer and thermometer (MPU-9250). Axes as in the firmware's
 * comments: x right, y back, z up. ---- */

static const double EPUCK2_GRAVITY_M_S2 = 9.80665;
static const double EPUCK2_ACC_1_G = 16384;    /* digits at +-2 g, 16 bit */
static const double EPUCK2_GYRO_1_DEG_S = 131; /* digits at +-250 deg/s */
static const double EPUCK2_DEG_1_RAD = 180 / ANGLE_PI;
static const double EPUCK2_MAG_STEP_UT = 0.15; /* AK8963, 16 bit */

/* Standard deviations. Chosen: approximately the data sheet's noise at the firmware's bandwidth. */
static const double EPUCK2_ACC_NOISE_G = 0.004;
static const double EPUCK2_GYRO_NOISE_DEG_S = 0.05;
static const double EPUCK2_MAG_NOISE_UT = 0.3;

static const double EPUCK2_WARMTH_C = 6; /* chosen: temperature of the board above that of the
                                          * room */

/* Below 5 degrees and above 160 the orientation is 0 (firmware). */
static const double EPUCK2_FLAT_DEG = 5;
static const double EPUCK2_UPSIDE_DOWN_DEG = 160;

static double inertia_noise(const struct epuck2_state *state, unsigned which)
{
    uint64_t counter = state->sense_passes * 16 + which;
    return state->options.has_noise ? rng_normal(state->inertia_key, counter) : 0;
}

/* Rotates a vector from the frame of the level robot to that of the robot as it is held: pitch,
 * then roll. */
static void tilt(const struct epuck2_inertia *inertia, const double level[3], double held[3])
{
    double sine;
    double cosine;
    angle_sin_cos(inertia->pitch_rad, &sine, &cosine);
    double x = cosine * level[0] - sine * level[2];
    double z = sine * level[0] + cosine * level[2];
    angle_sin_cos(inertia->roll_rad, &sine, &cosine);
    held[0] = x;
    held[1] = cosine * level[1] + sine * z;
    held[2] = cosine * z - sine * level[1];
}

/* Converts axes: from forward, left, up to right, back, up. */
static void turn_axes(const double body[3], double chip[3])
{
    chip[0] = -body[1];
    chip[1] = -body[0];
    chip[2] = body[2];
}

static void pass_acc(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    struct epuck2_inertia *inertia = &state->inertia;
    double held[3];
    double chip[3];
    tilt(inertia, sensors->accel_m_s2, held);
    turn_axes(held, chip);
    for (unsigned i = 0; i < 3; i++) {
        double g = chip[i] / EPUCK2_GRAVITY_M_S2 + EPUCK2_ACC_NOISE_G * inertia_noise(state, i);
        int digits = wire_saturate_i16(g * EPUCK2_ACC_1_G);
        /* (raw >> 4) - (raw >> 6), rounded down: 768 per g. */
        inertia->acc[i] = (int16_t)(floor(digits / 16.0) - floor(digits / 64.0));
    }
    double x = inertia->acc[0];
    double y = inertia->acc[1];
    double z = inertia->acc[2];
    double inclination = 90 - angle_atan2(z, sqrt(x * x + y * y)) * EPUCK2_DEG_1_RAD;
    bool is_level = inclination < EPUCK2_FLAT_DEG || inclination > EPUCK2_UPSIDE_DOWN_DEG;
    inertia->magnitude = (float)sqrt(x * x + y * y + z * z);
    inertia->inclination = (float)inclination;
    inertia->orientation = is_level ? 0 : (float)(angle_atan2(x, y) * EPUCK2_DEG_1_RAD + 180);
}

static void pass_gyro(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    double chip[3];
    turn_axes(sensors->gyro_rad_s, chip);
    for (unsigned i = 0; i < 3; i++) {
        double deg_s =
            chip[i] * EPUCK2_DEG_1_RAD + EPUCK2_GYRO_NOISE_DEG_S * inertia_noise(state, 3 + i);
        state->inertia.gyro[i] = wire_saturate_i16(deg_s * EPUCK2_GYRO_1_DEG_S);
    }
}

static void pass_mag(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    double held[3];
    double chip[3];
    tilt(&state->inertia, sensors->field_ut, held);
    turn_axes(held, chip);
    for (unsigned i = 0; i < 3; i++) {
        double ut = chip[i] + EPUCK2_MAG_NOISE_UT * inertia_noise(state, 6 + i);
        double digits = wire_saturate_i16(ut / EPUCK2_MAG_STEP_UT);
        state->inertia.mag[i] = (float)(digits * EPUCK2_MAG_STEP_UT);
    }
}

static void pass_inertia(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    pass_acc(state, sensors);
    pass_gyro(state, sensors);
    /* 8 Hz: in the passes that complete another eighth of a second. */
    if (state->sense_passes == 0 ||
        state->sense_passes * 8 / 100 != (state->sense_passes - 1) * 8 / 100)
        pass_mag(state, sensors);
    state->inertia.temperature = wire_saturate_i8(sensors->temperature_c + EPUCK2_WARMTH_C);
}

/* ---- All sensors ---- */

void epuck2_senses_pass(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    /* Rates of the firmware's threads: proximity and microphones 100 Hz, ground 25, ToF 10. */
    pass_prox(state, sensors);
    pass_mics(state, sensors);
    if (state->sense_passes % 10 == 0)
        pass_tof(state, sensors);
    if (state->options.has_ground && state->sense_passes % 4 == 0)
        pass_ground(state, sensors);
    pass_inertia(state, sensors);
    state->has_button = (sensors->buttons & 1) != 0;
    state->sense_passes++;
}

static void packet_inertia(const struct epuck2_inertia *inertia, struct epuck2_sensors *out)
{
    out->acc_x = inertia->acc[0];
    out->acc_y = inertia->acc[1];
    out->acc_z = inertia->acc[2];
    out->acc_magnitude = inertia->magnitude;
    out->orientation = inertia->orientation;
    out->inclination = inertia->inclination;
    out->gyro_x = inertia->gyro[0];
    out->gyro_y = inertia->gyro[1];
    out->gyro_z = inertia->gyro[2];
    out->mag_x = inertia->mag[0];
    out->mag_y = inertia->mag[1];
    out->mag_z = inertia->mag[2];
    out->temperature = inertia->temperature;
}

void epuck2_senses_packet(const struct epuck2_state *state, struct epuck2_sensors *out)
{
    packet_inertia(&state->inertia, out);
    memcpy(out->prox, state->prox.value, sizeof out->prox);
    memcpy(out->ambient, state->prox.ambient, sizeof out->ambient);
    out->tof = state->tof;
    out->mic_right = state->mic[0];
    out->mic_left = state->mic[1];
    out->mic_back = state->mic[2];
    out->mic_front = state->mic[3];
    out->left_steps = epuck2_motion_steps(&state->motion.wheel[EPUCK2_LEFT]);
    out->right_steps = epuck2_motion_steps(&state->motion.wheel[EPUCK2_RIGHT]);
    out->battery = state->power.raw;
    out->sd = state->has_sd;
    out->remote_toggle = state->remote_toggle;
    out->remote_address = state->remote_address;
    out->remote_data = state->remote_data;
    out->selector = state->selector;
    memcpy(out->ground, state->ground, sizeof out->ground);
    memcpy(out->ground_ambient, state->ground_ambient, sizeof out->ground_ambient);
    out->button = state->has_button;
    out->reserved = 0;
}
