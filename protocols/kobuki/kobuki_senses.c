/* Sensors to firmware values. Left out: the cliff sensor's fold-back below 2 cm, which a standing
 * robot never meets. */
#include "protocols/kobuki/kobuki_senses.h"

#include <math.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/curve.h"

/* conversions.rst: 2578.33 ticks a wheel turn. */
static const double KOBUKI_RAD_PER_TICK = 0.002436916871363930187454;

/* 12-bit ADC over 3.3 V (protocol.rst, Cliff and General Purpose Input). */
static const double KOBUKI_ADC_MAX = 4095.0;
static const double KOBUKI_ADC_V = 3.3;

/* Distance m to volts, typical curve of the GP2Y0A51SK0F datasheet (2..15 cm); the rest is chosen:
 * flat below, fading beyond. */
static const struct curve_point cliff_volts[] = {
    {0.00, 2.2}, {0.02, 2.0}, {0.032, 1.4}, {0.06, 0.9},
    {0.08, 0.7}, {0.15, 0.4}, {0.30, 0.2},  {0.60, 0.1},
};

/* Standard deviation of a conversion, counts. Chosen: a PSD of this family is not quieter. */
static const double KOBUKI_CLIFF_NOISE = 4.0;

/* First unused word of the inputs on a real robot (kobuki-interface: rx/feedback_decoder.rs). */
static const uint16_t KOBUKI_INPUT_UNUSED0 = 0x0FF0;

static double cliff_counts_at(double volts)
{
    return volts / KOBUKI_ADC_V * KOBUKI_ADC_MAX;
}

double kobuki_cliff_counts(double distance_m)
{
    return cliff_counts_at(curve_at(cliff_volts, COUNT(cliff_volts), distance_m));
}

/* The counters start at 0 with each power-on, however far the wheels have turned before. */
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

void kobuki_senses_read(struct kobuki_state *state, const struct robot_sensors *sensors)
{
    /* The body lists its bumpers in the order of the protocol's bits: right, center, left. */
    state->bumper = (uint8_t)(sensors->bumpers & 0x07);
    state->touched |= state->bumper;
    state->wheel_drop = (uint8_t)((sensors->wheel_dropped[KOBUKI_RIGHT] ? 0x01 : 0) |
                                  (sensors->wheel_dropped[KOBUKI_LEFT] ? 0x02 : 0));

    /* A touch pad: at most one button at a time; the lowest wins. */
    uint32_t buttons = sensors->buttons & 0x07;
    state->buttons = (uint8_t)(buttons & (~buttons + 1));

    read_wheels(&state->motion, sensors);
    for (int i = 0; i < 3; i++) {
        uint32_t bits = sensors->sensor[KOBUKI_DOCK_RIGHT + i].dock_bits;
        state->dock[i] = (uint8_t)(bits & 0x3F);
    }
}

void kobuki_senses_convert(struct kobuki_state *state, const struct robot_sensors *sensors,
                           uint64_t pass)
{
    double edge = kobuki_cliff_counts(state->options.cliff_threshold_m);
    state->cliff = 0;
    for (int i = 0; i < 3; i++) {
        double counts = kobuki_cliff_counts(sensors->sensor[KOBUKI_CLIFF_RIGHT + i].distance_m);
        if (state->options.has_noise)
            counts += KOBUKI_CLIFF_NOISE * rng_normal(state->adc_key, pass * 3 + (uint64_t)i);
        counts = round(fmax(0, fmin(KOBUKI_ADC_MAX, counts)));
        state->cliff_adc[i] = (uint16_t)counts;
        /* Half a count of rounding must not trip it at the very threshold. */
        if (counts + 0.5 < edge)
            state->cliff = (uint8_t)(state->cliff | 1u << i);
    }
}

void kobuki_senses_inputs(const struct kobuki_state *state, struct kobuki_inputs *inputs)
{
    uint16_t analog[KOBUKI_ANALOG_INPUTS];
    for (int i = 0; i < KOBUKI_ANALOG_INPUTS; i++) {
        double counts = state->analog_v[i] / KOBUKI_ADC_V * KOBUKI_ADC_MAX;
        counts = state->has_analog[i] ? fmax(0, fmin(KOBUKI_ADC_MAX, counts)) : KOBUKI_ADC_MAX;
        analog[i] = wire_saturate_u16(counts);
    }
    inputs->digital = state->digital_inputs;
    inputs->analog0 = analog[0];
    inputs->analog1 = analog[1];
    inputs->analog2 = analog[2];
    inputs->analog3 = analog[3];
    inputs->unused0 = KOBUKI_INPUT_UNUSED0;
    inputs->unused1 = 0;
    inputs->unused2 = 0;
}
