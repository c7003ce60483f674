/* Accelerometer, gyro, magnetometer and thermometer (MPU-9250). Axes as the firmware's comments
 * say: x right, y back, z up. Left out: the offsets that the firmware takes off at its start. */
#include <math.h>

#include "base/rng.h"
#include "protocols/epuck2/epuck2_senses.h"
#include "protocols/trig.h"

static const double EPUCK2_GRAVITY_M_S2 = 9.80665;
static const double EPUCK2_ACC_1_G = 16384;    /* digits at +-2 g, 16 bit */
static const double EPUCK2_GYRO_1_DEG_S = 131; /* digits at +-250 deg/s */
static const double EPUCK2_DEG_1_RAD = 57.295779513082320877;
static const double EPUCK2_MAG_STEP_UT = 0.15; /* AK8963, 16 bit */

/* Standard deviations. Chosen: about the data sheet's noise at the firmware's bandwidth. */
static const double EPUCK2_ACC_NOISE_G = 0.004;
static const double EPUCK2_GYRO_NOISE_DEG_S = 0.05;
static const double EPUCK2_MAG_NOISE_UT = 0.3;

static const double EPUCK2_WARMTH_C = 6; /* chosen: of the board above the room */

/* Below 5 degrees and above 160 the orientation is 0 (firmware). */
static const double EPUCK2_FLAT_DEG = 5;
static const double EPUCK2_UPSIDE_DOWN_DEG = 160;

static double noise(const struct epuck2_state *state, unsigned which)
{
    uint64_t counter = state->sense_passes * 16 + which;
    return state->options.has_noise ? rng_normal(state->inertia_key, counter) : 0;
}

/* A vector of the level robot in the frame of the robot as it is held: pitch, then roll. */
static void tilt(const struct epuck2_inertia *inertia, const double level[3], double held[3])
{
    double sine;
    double cosine;
    trig_sin_cos(inertia->pitch_rad, &sine, &cosine);
    double x = cosine * level[0] - sine * level[2];
    double z = sine * level[0] + cosine * level[2];
    trig_sin_cos(inertia->roll_rad, &sine, &cosine);
    held[0] = x;
    held[1] = cosine * level[1] + sine * z;
    held[2] = cosine * z - sine * level[1];
}

/* From forward, left, up to right, back, up. */
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
        double g = chip[i] / EPUCK2_GRAVITY_M_S2 + EPUCK2_ACC_NOISE_G * noise(state, i);
        int digits = wire_saturate_i16(g * EPUCK2_ACC_1_G);
        /* (raw >> 4) - (raw >> 6), rounded down: 768 a g. */
        inertia->acc[i] = (int16_t)(floor(digits / 16.0) - floor(digits / 64.0));
    }
    double x = inertia->acc[0];
    double y = inertia->acc[1];
    double z = inertia->acc[2];
    double inclination = 90 - trig_atan2(z, sqrt(x * x + y * y)) * EPUCK2_DEG_1_RAD;
    bool is_level = inclination < EPUCK2_FLAT_DEG || inclination > EPUCK2_UPSIDE_DOWN_DEG;
    inertia->magnitude = (float)sqrt(x * x + y * y + z * z);
    inertia->inclination = (float)inclination;
    inertia->orientation = is_level ? 0 : (float)(trig_atan2(x, y) * EPUCK2_DEG_1_RAD + 180);
}

static void pass_gyro(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    double chip[3];
    turn_axes(sensors->gyro_rad_s, chip);
    for (unsigned i = 0; i < 3; i++) {
        double deg_s = chip[i] * EPUCK2_DEG_1_RAD + EPUCK2_GYRO_NOISE_DEG_S * noise(state, 3 + i);
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
        double ut = chip[i] + EPUCK2_MAG_NOISE_UT * noise(state, 6 + i);
        double digits = wire_saturate_i16(ut / EPUCK2_MAG_STEP_UT);
        state->inertia.mag[i] = (float)(digits * EPUCK2_MAG_STEP_UT);
    }
}

void epuck2_inertia_pass(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    pass_acc(state, sensors);
    pass_gyro(state, sensors);
    /* 8 Hz: at the passes where another eighth of a second is full. */
    if (state->sense_passes == 0 ||
        state->sense_passes * 8 / 100 != (state->sense_passes - 1) * 8 / 100)
        pass_mag(state, sensors);
    state->inertia.temperature = wire_saturate_i8(sensors->temperature_c + EPUCK2_WARMTH_C);
}
