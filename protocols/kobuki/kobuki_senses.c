/* Conversion of sensor data into firmware values. Approximated: noise, bias and error at low rates
 * of the gyro follow published plots and one capture. Left out: temperature and vibration of the
 * gyro, and the fold-back of the cliff sensor below 2 cm, which does not occur for a robot on the
 * floor. */
#include "protocols/kobuki/kobuki_senses.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/array.h"
#include "base/rng.h"
#include "protocols/curve.h"

/* ---- Switches, encoders, cliff sensors, expansion port ---- */

/* conversions.rst: 2578.33 ticks per wheel turn. */
static const double KOBUKI_RAD_PER_TICK = 0.002436916871363930187454;

/* 12-bit ADC over 3.3 V (protocol.rst, Cliff and General Purpose Input). */
static const double KOBUKI_ADC_MAX = 4095.0;
static const double KOBUKI_ADC_V = 3.3;

/* Volts against distance in m, typical curve of the GP2Y0A51SK0F datasheet (2..15 cm). Chosen: flat
 * below, decreasing beyond. */
static const struct curve_point cliff_volts[] = {
    {0.00, 2.2}, {0.02, 2.0}, {0.032, 1.4}, {0.06, 0.9},
    {0.08, 0.7}, {0.15, 0.4}, {0.30, 0.2},  {0.60, 0.1},
};

/* Standard deviation of a conversion, counts. Chosen: sensors of this family have at least this
 * noise. */
static const double KOBUKI_CLIFF_NOISE = 4.0;

/* First unused word of the inputs, and unconnected analog inputs, on a real robot without and
 * with noise (kobuki-interface: rx/feedback_decoder.rs; input: three frames of another robot,
 * tortuga). */
enum { KOBUKI_INPUT_UNUSED0 = 0x0FF0, KOBUKI_OPEN_LEAST = 4057, KOBUKI_OPEN_MOST = 4068 };

/* Input: counts of the sensors of one recorded robot on the floor (right, center, left), divided by
 * the counts of the curve (bus710/tortuga @ f7c21c9: test/tortuga_test.go, 1772, 2038, 1682). */
static const double cliff_spread[] = {1.020, 1.173, 0.968};

/* Output of a cliff sensor that is DISTANCE_M above the floor, ADC counts before rounding. */
static double kobuki_cliff_counts(double distance_m)
{
    return curve_at(cliff_volts, COUNT(cliff_volts), distance_m) / KOBUKI_ADC_V * KOBUKI_ADC_MAX;
}

/* The counters start at 0 at each power-on, regardless of the wheel angles. */
static void read_wheels(struct kobuki_motion *motion, const struct robot_sensors *sensors)
{
    for (int i = 0; i < KOBUKI_WHEELS; i++) {
        struct kobuki_wheel *wheel = &motion->wheel[i];
        if (!motion->has_start)
            motion->start_rad[i] = sensors->wheel_rad[i];
        double turned_rad = sensors->wheel_rad[i] - motion->start_rad[i];
        wheel->ticks = (int64_t)floor(turned_rad / KOBUKI_RAD_PER_TICK + 0.5);
        wheel->current_a = sensors->motor_a[i];
    }
    motion->has_start = true;
}

/* A byte of the packet Docking IR (protocol.rst). Light of other docks has no effect. */
static uint8_t dock_byte(uint32_t beams)
{
    static const uint32_t of_bit[] = {BEAM_NEAR_LEFT,  BEAM_NEAR_CENTER, BEAM_NEAR_RIGHT,
                                      BEAM_FAR_CENTER, BEAM_FAR_LEFT,    BEAM_FAR_RIGHT};
    unsigned byte = 0;
    for (size_t i = 0; i < COUNT(of_bit); i++)
        byte |= beams & of_bit[i] ? 1u << i : 0;
    return (uint8_t)byte;
}

void kobuki_senses_read(struct kobuki_state *state, const struct robot_sensors *sensors)
{
    /* The body lists its bumpers in the order of the protocol's bits: right, center, left. */
    state->bumper = (uint8_t)(sensors->bumpers & 0x07);
    state->touched |= state->bumper;
    state->wheel_drop = (uint8_t)((sensors->wheel_dropped[KOBUKI_RIGHT] ? 0x01 : 0) |
                                  (sensors->wheel_dropped[KOBUKI_LEFT] ? 0x02 : 0));

    /* One button at a time, as on a touch pad; the lowest bit has priority. */
    uint32_t buttons = sensors->buttons & 0x07;
    state->buttons = (uint8_t)(buttons & (~buttons + 1));

    read_wheels(&state->motion, sensors);
    for (int i = 0; i < 3; i++)
        state->dock[i] = dock_byte(sensors->sensor[KOBUKI_DOCK_RIGHT + i].beams);
}

void kobuki_senses_convert(struct kobuki_state *state, const struct robot_sensors *sensors,
                           uint64_t pass)
{
    double edge = kobuki_cliff_counts(state->options.cliff_threshold_m);
    state->cliff = 0;
    for (int i = 0; i < 3; i++) {
        double counts = kobuki_cliff_counts(sensors->sensor[KOBUKI_CLIFF_RIGHT + i].distance_m);
        if (state->options.has_noise)
            counts = counts * cliff_spread[i] +
                     KOBUKI_CLIFF_NOISE * rng_normal(state->adc_key, pass * 3 + (uint64_t)i);
        counts = round(fmax(0, fmin(KOBUKI_ADC_MAX, counts)));
        state->cliff_adc[i] = (uint16_t)counts;
        /* The additional half count keeps rounding from setting the flag exactly at the
         * threshold. */
        if (counts + 0.5 < edge)
            state->cliff = (uint8_t)(state->cliff | 1u << i);
    }
}

void kobuki_senses_inputs(const struct kobuki_state *state, struct kobuki_inputs *inputs)
{
    uint16_t analog[KOBUKI_ANALOG_INPUTS];
    bool is_noisy = state->options.has_noise;
    uint64_t at = state->last.basic.timestamp * (uint64_t)(KOBUKI_ANALOG_INPUTS + 1);
    for (int i = 0; i < KOBUKI_ANALOG_INPUTS; i++) {
        double counts = state->analog_v[i] / KOBUKI_ADC_V * KOBUKI_ADC_MAX;
        if (!state->has_analog[i])
            counts = is_noisy
                         ? KOBUKI_OPEN_LEAST + (KOBUKI_OPEN_MOST - KOBUKI_OPEN_LEAST) *
                                                   rng_uniform(state->adc_key, at + (uint64_t)i)
                         : KOBUKI_ADC_MAX;
        counts = fmax(0, fmin(KOBUKI_ADC_MAX, counts));
        analog[i] = wire_saturate_u16(counts);
    }
    inputs->digital = state->digital_inputs;
    inputs->analog0 = analog[0];
    inputs->analog1 = analog[1];
    inputs->analog2 = analog[2];
    inputs->analog3 = analog[3];
    bool is_below = is_noisy && rng_uniform(state->adc_key, at + KOBUKI_ANALOG_INPUTS) < 2.0 / 3;
    inputs->unused0 = (uint16_t)(KOBUKI_INPUT_UNUSED0 - is_below);
    inputs->unused1 = 0;
    inputs->unused2 = 0;
}

/* ---- Gyro and heading ---- */

/* L3G4200D, +-250 deg/s range (protocol.rst, Raw Data Of 3-Axis Gyro; datasheet). */
static const double KOBUKI_DEG_S_PER_DIGIT = 0.00875;

/* The heading saturates at 5.09 rad/s (kobuki_core: doxygen/angular_acceleration.png). */
static const double KOBUKI_RATE_MAX_DEG_S = 292.0;

static const double KOBUKI_DEG_PER_RAD = 180 / ANGLE_PI;

/* Standard deviation of the raw samples, digits. Chosen: samples in the capture of kobuki-interface
 * (rx/feedback_decoder.rs) differ by 3 to 7 digits. */
static const double KOBUKI_GYRO_NOISE = 3.5;

/* With noise, rates below this read 0. Chosen: that capture has rate 0 next to noisy samples. */
static const double KOBUKI_RATE_DEAD_DEG_S = 0.15;

/* Degrees that are missing in the reading of a revolution, against the rate in deg/s; 0 from 90 on
 * (kobuki_documentation: gyro_in_place_rotation.jpg). */
static const struct curve_point short_left[] = {{5, 1.5}, {20, 2.3}, {45, 1.2}, {70, 0.6}, {90, 0}};
static const struct curve_point short_right[] = {{20, 1.8}, {45, 0.9}, {75, 0.4}, {90, 0}};

void kobuki_gyro_reset(struct kobuki_state *state, int64_t now_us)
{
    struct kobuki_gyro_state *gyro = &state->gyro;
    memset(gyro, 0, sizeof *gyro);
    gyro->period_us = (int64_t)round(1e6 / state->options.gyro_rate_hz);
    gyro->due_us = now_us + gyro->period_us;
    gyro->angle_deg = state->options.angle_start_deg;
}

/* Raw digits on the sensor's axes. The sensor is rotated by 90 degrees: wx = -y, wy = x
 * (protocol.rst; kobuki_node: slot_callbacks.cpp). */
static void gyro_digits(const struct kobuki_state *state, const double robot_rad_s[3],
                        double digits[3])
{
    const double axes[3] = {robot_rad_s[1], -robot_rad_s[0], robot_rad_s[2]};
    for (uint64_t i = 0; i < 3; i++) {
        digits[i] = axes[i] * KOBUKI_DEG_PER_RAD / KOBUKI_DEG_S_PER_DIGIT;
        if (state->options.has_noise)
            digits[i] += KOBUKI_GYRO_NOISE * rng_normal(state->gyro_key, state->gyro.index * 3 + i);
    }
}

/* The rate that the firmware computes from the z axis, without bias. */
static double gyro_heading_rate(const struct kobuki_state *state, double digits)
{
    double rate = digits * KOBUKI_DEG_S_PER_DIGIT;
    if (state->options.has_noise) {
        double missing_deg = rate > 0 ? curve_at(short_left, COUNT(short_left), rate)
                                      : curve_at(short_right, COUNT(short_right), -rate);
        rate *= 1.0 - missing_deg / 360.0;
        rate = fabs(rate) < KOBUKI_RATE_DEAD_DEG_S ? 0 : rate;
    }
    return fmax(-KOBUKI_RATE_MAX_DEG_S, fmin(KOBUKI_RATE_MAX_DEG_S, rate));
}

static void gyro_integrate(struct kobuki_state *state, double rate)
{
    struct kobuki_gyro_state *gyro = &state->gyro;
    double drift = state->options.has_noise ? kobuki_profile(state)->drift_deg_s : 0;
    double mean = 0.5 * (gyro->rate_deg_s + rate) + drift;
    double angle = gyro->angle_deg + mean * (double)gyro->period_us * 1e-6;
    angle -= 360.0 * floor((angle + 180.0) / 360.0);
    gyro->angle_deg = angle;
    gyro->rate_deg_s = rate;
}

static void gyro_keep(struct kobuki_state *state, const double digits[3])
{
    struct kobuki_gyro_state *gyro = &state->gyro;
    if (gyro->count == KOBUKI_GYRO_SAMPLES_MAX)
        return; /* nothing has been sent for a long time: the id continues, as over lost samples */
    if (gyro->count == 0)
        gyro->first = gyro->index;
    struct kobuki_gyro_sample *sample = &gyro->samples[gyro->count++];
    const int64_t *bias = state->options.gyro_bias;
    sample->x = wire_saturate_i16(digits[0] + (double)bias[0]);
    sample->y = wire_saturate_i16(digits[1] + (double)bias[1]);
    sample->z = wire_saturate_i16(digits[2] + (double)bias[2]);
    gyro->rate_sum += gyro->rate_deg_s;
}

void kobuki_gyro_sample(struct kobuki_state *state, const struct robot_sensors *sensors)
{
    struct kobuki_gyro_state *gyro = &state->gyro;
    double digits[3];
    gyro_digits(state, sensors->gyro_rad_s, digits);
    gyro_integrate(state, gyro_heading_rate(state, digits[2]));
    uint64_t every = (uint64_t)state->options.gyro_lost_every;
    bool is_lost = every > 0 && (gyro->index + 1) % every == 0;
    if (!is_lost)
        gyro_keep(state, digits);
    gyro->index++;
    gyro->due_us += gyro->period_us;
}

double kobuki_gyro_rate(const struct kobuki_gyro_state *gyro)
{
    return gyro->count > 0 ? gyro->rate_sum / gyro->count : gyro->rate_deg_s;
}

uint8_t kobuki_gyro_frame_id(const struct kobuki_state *state)
{
    const struct kobuki_gyro_state *gyro = &state->gyro;
    uint64_t index = gyro->count > 0 ? gyro->first : gyro->index;
    return (uint8_t)((index + (uint64_t)state->options.gyro_frame_start) & 0xFF);
}

void kobuki_gyro_sent(struct kobuki_gyro_state *gyro)
{
    gyro->count = 0;
    gyro->rate_sum = 0;
}
