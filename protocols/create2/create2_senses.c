/* Approximated: curves and thresholds of the optical sensors follow measurements of owners. Values
 * marked as chosen are unknown. Left out: acoustic dirt sensors, which a command sets. */
#include "protocols/create2/create2_senses.h"

#include <math.h>

#include "base/array.h"
#include "base/number.h"
#include "base/rng.h"
#include "protocols/create2/create2_motion.h"
#include "protocols/curve.h"

static const double COUNTS_MAX = 4095; /* OI, packets 28..31 and 46..51 */
static const double WALL_MAX = 1023;   /* OI, packet 27 */

/* Conversion of the distance to the floor, m, into counts: on the floor 2330..2680 (owners of a
 * 690, a 770; pycreate2#12). Chosen: the decrease with the distance. */
static const struct curve_point cliff_counts[] = {{0.00, 2500}, {0.020, 2500}, {0.035, 1600},
                                                  {0.06, 500},  {0.10, 80},    {0.20, 0}};
static const double CLIFF_EDGE = 1250; /* chosen: half of the floor's value */
static const double CLIFF_NOISE = 15;  /* chosen */

/* Conversion of the distance to a light gray object, m, into counts. Chosen; owners read 2..35
 * counts in free space. */
static const struct curve_point light_counts[] = {{0.00, 4000}, {0.02, 2600}, {0.05, 1000},
                                                  {0.10, 350},  {0.15, 150},  {0.20, 60},
                                                  {0.30, 15},   {0.40, 10}};
static const double LIGHT_REFLECTANCE = 0.8; /* reflectance of the object in the curve */
/* Inputs: thresholds of recorded robots for the bits of packet 45, from the left to the right
 * sensor (README.md). The bits follow the signals of the previous slot. */
static const double light_edges[CREATE2_LIGHT_BUMPERS] = {125, 125, 125, 125, 125, 285};
static const double LIGHT_NOISE = 2; /* chosen */

static const int64_t TURN_SLOTS =
    10; /* chosen: characters of several senders change after 156 ms */

/* ---- Switches ---- */

void create2_senses_read(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us)
{
    /* The body lists its bumpers in the order of the bits: right, left. */
    state->bumpers = (uint8_t)(sensors->bumpers & 3);
    state->touched |= state->bumpers;
    state->drops = (uint8_t)((sensors->wheel_dropped[CREATE2_RIGHT] ? CREATE2_DROP_RIGHT : 0) |
                             (sensors->wheel_dropped[CREATE2_LEFT] ? CREATE2_DROP_LEFT : 0));
    if (now_us >= state->released_us)
        state->pressed = 0;
    state->buttons = (uint8_t)(sensors->buttons | state->pressed);
}

/* ---- Infrared ---- */

/* OI, Characters sent: 160 or 240, plus a bit for each beam. */
static uint8_t dock_character(uint32_t beams, enum create2_dock_codes codes)
{
    bool is_old = codes == CREATE2_CODES_DISCOVERY;
    unsigned character = (beams & BEAM_RED_BUOY ? 8u : 0) | (beams & BEAM_GREEN_BUOY ? 4u : 0) |
                         (beams & BEAM_FORCE_FIELD ? is_old ? 2u : 1u : 0);
    return (uint8_t)(character == 0 ? 0 : (is_old ? 240 : 160) + character);
}

/* The character that a receiver decodes from these beams (enum robot_beam); 0: none. If there are
 * several senders, their characters alternate as TURN increases. */
static uint8_t create2_character(uint32_t beams, enum create2_dock_codes codes, uint64_t turn)
{
    /* 0LLLL0BB: number and beam of a lighthouse (OI). */
    static const uint32_t of_house[] = {BEAM_LIGHTHOUSE_FENCE, BEAM_LIGHTHOUSE_FIELD,
                                        BEAM_LIGHTHOUSE_GREEN, BEAM_LIGHTHOUSE_RED};
    uint8_t heard[2 + COUNT(of_house)];
    size_t count = 0;
    uint8_t dock = dock_character(beams, codes);
    if (dock != 0)
        heard[count++] = dock;
    if (beams & BEAM_VIRTUAL_WALL)
        heard[count++] = 162;
    for (unsigned i = 0; i < COUNT(of_house); i++)
        if (beams & of_house[i])
            heard[count++] = (uint8_t)((beams >> BEAM_NUMBER_SHIFT & 15) << 3 | i);
    return count > 0 ? heard[turn % count] : 0;
}

static void hear(struct create2_state *state, const struct robot_sensors *sensors, int64_t now_us)
{
    uint64_t turn = state->slots / (uint64_t)TURN_SLOTS;
    for (int i = 0; i < CREATE2_RECEIVERS; i++) {
        state->beams[i] = sensors->sensor[CREATE2_IR_OMNI + i].beams;
        state->ir[i] =
            now_us < state->ir_until_us
                ? state->ir_code
                : create2_character(state->beams[i],
                                    (enum create2_dock_codes)state->options.dock_codes, turn);
    }
}

/* ---- Analog sensors ---- */

static double noisy(const struct create2_state *state, double counts, double noise, uint64_t at)
{
    if (state->options.has_noise)
        counts += noise * rng_normal(state->noise_key, state->slots * CREATE2_SENSORS + at);
    return number_between(counts, 0, COUNTS_MAX);
}

/* On the dock, the robot is on a ramp: all cliff sensors see no floor (owners of a 690 and a
 * 770). */
static void convert(struct create2_state *state, const struct robot_sensors *sensors)
{
    state->cliffs = 0;
    for (unsigned i = 0; i < CREATE2_CLIFFS; i++) {
        const struct sensor_reading *reading = &sensors->sensor[CREATE2_CLIFF_LEFT + i];
        double counts = curve_at(cliff_counts, COUNT(cliff_counts), reading->distance_m);
        counts = sensors->charger == CHARGER_DOCK
                     ? 0
                     : noisy(state, counts, counts > 0 ? CLIFF_NOISE : 0, CREATE2_CLIFF_LEFT + i);
        state->cliff_counts[i] = floor(counts);
        state->cliffs |= (uint8_t)(counts < CLIFF_EDGE ? 1u << i : 0);
    }
    state->readings.light_bumper = 0;
    for (unsigned i = 0; i < CREATE2_LIGHT_BUMPERS; i++) {
        const struct sensor_reading *reading = &sensors->sensor[CREATE2_BUMP_LEFT + i];
        bool is_near = state->light_counts[i] >= light_edges[i];
        state->readings.light_bumper |= (uint8_t)(is_near ? 1u << i : 0);
        double counts = curve_at(light_counts, COUNT(light_counts), reading->distance_m);
        if (reading->reflectance > 0)
            counts *= reading->reflectance / LIGHT_REFLECTANCE;
        state->light_counts[i] = floor(noisy(state, counts, LIGHT_NOISE, CREATE2_BUMP_LEFT + i));
    }
}

/* ---- Readings ---- */

static void fill_switches(struct create2_state *state)
{
    struct create2_readings *to = &state->readings;
    to->bumps_and_wheel_drops = (uint8_t)(state->touched | state->drops);
    to->cliff_left = state->cliffs & 1;
    to->cliff_front_left = state->cliffs >> 1 & 1;
    to->cliff_front_right = state->cliffs >> 2 & 1;
    to->cliff_right = state->cliffs >> 3 & 1;
    to->virtual_wall = (state->beams[0] & BEAM_VIRTUAL_WALL) != 0;
    to->overcurrents = (uint8_t)((state->motion.jam[CREATE2_SIDE_BRUSH].is_over ? 1 : 0) |
                                 (state->motion.jam[CREATE2_MAIN_BRUSH].is_over ? 4 : 0) |
                                 (state->motion.wheel[CREATE2_RIGHT].is_over ? 8 : 0) |
                                 (state->motion.wheel[CREATE2_LEFT].is_over ? 16 : 0));
    to->dirt_detect = wire_saturate_u8(state->dirt);
    to->buttons = state->buttons & create2_profile(state)->buttons;
    to->ir_omni = state->ir[0];
    to->ir_left = state->ir[1];
    to->ir_right = state->ir[2];
}

static void fill_light(struct create2_state *state)
{
    struct create2_readings *to = &state->readings;
    uint16_t *const light[] = {&to->light_left,        &to->light_front_left,
                               &to->light_center_left, &to->light_center_right,
                               &to->light_front_right, &to->light_right};
    uint16_t *const cliff[] = {&to->cliff_left_signal, &to->cliff_front_left_signal,
                               &to->cliff_front_right_signal, &to->cliff_right_signal};
    for (int i = 0; i < CREATE2_CLIFFS; i++)
        *cliff[i] = wire_saturate_u16(state->cliff_counts[i]);
    for (unsigned i = 0; i < CREATE2_LIGHT_BUMPERS; i++)
        *light[i] = wire_saturate_u16(state->light_counts[i]);
    /* The wall sensor is the right light bumper, with another scale (OI). */
    to->wall = to->light_bumper >> 5 & 1;
    to->wall_signal = wire_saturate_u16(
        number_smaller(state->light_counts[CREATE2_LIGHT_BUMPERS - 1] / 4, WALL_MAX));
}

static void fill_motion(struct create2_state *state)
{
    struct create2_readings *to = &state->readings;
    const struct create2_wheel *left = &state->motion.wheel[CREATE2_LEFT];
    const struct create2_wheel *right = &state->motion.wheel[CREATE2_RIGHT];
    to->encoder_left = create2_motion_counts(left);
    to->encoder_right = create2_motion_counts(right);
    to->current_left = wire_saturate_i16(left->current_a * 1000);
    to->current_right = wire_saturate_i16(right->current_a * 1000);
    to->current_main_brush =
        wire_saturate_i16(create2_motion_brush_a(state, CREATE2_MAIN_BRUSH) * 1000);
    to->current_side_brush =
        wire_saturate_i16(create2_motion_brush_a(state, CREATE2_SIDE_BRUSH) * 1000);
    double turned_m = right->moved_m + left->moved_m, spun_m = fabs(right->moved_m - left->moved_m);
    to->stasis = turned_m > 0 && spun_m < turned_m;
}

static void fill_power(struct create2_state *state)
{
    struct create2_readings *to = &state->readings;
    const struct create2_power *power = &state->power;
    double capacity_mah = create2_profile(state)->capacity_mah;
    to->charging_state = power->state;
    to->voltage = wire_saturate_u16(power->battery_v * 1000);
    to->current = wire_saturate_i16(power->current_a * 1000);
    to->temperature = 25; /* chosen: a room and a little warmth */
    to->charge = wire_saturate_u16(power->charge * capacity_mah);
    to->capacity = wire_saturate_u16(capacity_mah);
    to->charging_sources = power->charger == CHARGER_ADAPTER ? 1
                           : power->charger == CHARGER_DOCK  ? 2
                                                             : 0;
}

static void fill_host(struct create2_state *state)
{
    struct create2_readings *to = &state->readings;
    const struct create2_host *host = &state->host;
    bool is_raised = state->options.has_mode_bug && host->mode != CREATE2_MODE_OFF;
    to->mode = (uint8_t)(host->mode + is_raised);
    to->song_playing = state->play.song >= 0;
    if (state->play.song >= 0 && state->play.song < CREATE2_SONGS)
        to->song_number = (uint8_t)state->play.song;
    to->stream_packets = wire_saturate_u8(host->stream_count);
}

void create2_senses_slot(struct create2_state *state, const struct robot_sensors *sensors,
                         int64_t now_us)
{
    hear(state, sensors, now_us);
    convert(state, sensors);
    fill_switches(state);
    fill_light(state);
    fill_motion(state);
    fill_power(state);
    fill_host(state);
    state->touched = state->bumpers;
}

/* Bugs of old firmware. Until 3.2.x the distance is wrong, in recordings by the factor -1/8
 * (robotics.SE 6869). Until 3.4.0 the angle must be divided by 0.324056 (libcreate). */
void create2_senses_take_motion(struct create2_state *state)
{
    struct create2_motion *motion = &state->motion;
    double distance_mm = trunc(motion->distance_mm), angle_deg = trunc(motion->angle_deg);
    double shown_mm = state->options.has_distance_bug ? -distance_mm / 8 : distance_mm;
    double shown_deg = state->options.has_angle_bug ? angle_deg * 0.324056 : angle_deg;
    state->readings.distance = wire_saturate_i16(number_clamp(shown_mm, INT16_MAX));
    state->readings.angle = wire_saturate_i16(number_clamp(shown_deg, INT16_MAX));
    motion->distance_mm -= distance_mm; /* what is not told yet is not lost */
    motion->angle_deg -= angle_deg;
}
