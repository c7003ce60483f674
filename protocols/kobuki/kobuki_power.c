/* Battery, charger, lamps, buzzer. Approximated: the battery voltage follows two published curves,
 * regardless of the load. Left out: the battery's own cut-off; an empty robot keeps running.
 * Chosen: the notes of the melodies, which are not published. */
#include "protocols/kobuki/kobuki_power.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "protocols/curve.h"

/* ---- Battery ---- */

/* Voltage against charge without a charger: battery_discharging_profile.jpg, with time converted
 * to charge. The plot begins under load; a freshly charged battery has 16.7 V (protocol.rst,
 * Battery). */
static const struct curve_point pack_1p[] = {
    {0, 10.7},
    {1 - 4.33 / 4.55, 13.4},
    {1 - 4.0 / 4.55, 13.7},
    {1 - 3.0 / 4.55, 14.2},
    {1 - 2.0 / 4.55, 14.6},
    {1 - 1.0 / 4.55, 15.4},
    {0.99, 16.4},
    {1, 16.7},
};
static const struct curve_point pack_2p[] = {
    {0, 11.1},
    {1 - 8.5 / 8.9, 13.5},
    {1 - 8.0 / 8.9, 13.8},
    {1 - 6.0 / 8.9, 14.4},
    {1 - 4.0 / 8.9, 14.8},
    {1 - 2.0 / 8.9, 15.6},
    {0.99, 16.6},
    {1, 16.7},
};

/* The same with the adapter: the charging plots of the same page, with minutes converted to
 * charge. */
static const struct curve_point charge_1p[] = {
    {0, 14.1},         {3.0 / 87, 14.8},  {10.0 / 87, 15.1}, {20.0 / 87, 15.3},
    {32.0 / 87, 15.5}, {42.0 / 87, 15.7}, {51.0 / 87, 16.0}, {60.0 / 87, 16.5},
    {62.0 / 87, 16.6}, {71.0 / 87, 16.7}, {1, 16.7},
};
static const struct curve_point charge_2p[] = {
    {0, 13.3},           {6.0 / 156, 14.5},  {30.0 / 156, 15.0},  {58.0 / 156, 15.3},
    {79.0 / 156, 15.6},  {98.0 / 156, 16.1}, {112.0 / 156, 16.5}, {118.0 / 156, 16.6},
    {138.0 / 156, 16.7}, {1, 16.7},
};

struct pack {
    const struct curve_point *alone, *charging;
    size_t alone_count, charging_count;
    double capacity_as; /* A s: 2200 and 4400 mAh (specifications.rst) */
    double full_s;      /* from empty to charged: the charging plots */
};

static const struct pack packs[KOBUKI_PACK_COUNT] = {
    [KOBUKI_PACK_4S1P] = {pack_1p, charge_1p, COUNT(pack_1p), COUNT(charge_1p), 7920, 87 * 60},
    [KOBUKI_PACK_4S2P] = {pack_2p, charge_2p, COUNT(pack_2p), COUNT(charge_2p), 15840, 156 * 60},
};

/* Current of the electronics. Chosen so that a robot that turns on the spot, whose motors draw 0.15
 * A more, empties either battery in the time of the discharging plot. */
static const double KOBUKI_IDLE_A = 0.34;

/* The battery counts as full from KOBUKI_FULL_CHARGE on, and is charged again below
 * KOBUKI_REFILL_CHARGE. Chosen. */
static const double KOBUKI_FULL_CHARGE = 0.9999;
static const double KOBUKI_REFILL_CHARGE = 0.98;

/* Old firmware shows "charged" for about a second (yujinrobot/kobuki#137). */
static const int64_t KOBUKI_BLIP_US = 1000000;

/* Thresholds of the status lamp (yujinrobot/kobuki#18). Below them it blinks at 2 Hz and 4 Hz.
 * While charging it blinks green (out_of_the_box.rst); 1 Hz is chosen. */
static const double KOBUKI_LOW_V = 13.5;
static const double KOBUKI_EMERGENCY_V = 13.1;
static const int64_t status_half_us[] = {
    [KOBUKI_STATUS_ON] = 0,
    [KOBUKI_STATUS_LOW] = 250000,
    [KOBUKI_STATUS_EMERGENCY] = 125000,
    [KOBUKI_STATUS_CHARGING] = 500000,
};

/* ---- The battery ---- */

double kobuki_battery_charge(const void *options, double volts)
{
    const struct pack *pack = &packs[((const struct kobuki_options *)options)->battery_pack];
    return curve_inverse(pack->alone, pack->alone_count, volts);
}

double kobuki_battery_empty_v(enum kobuki_pack pack)
{
    return packs[pack].alone[0].y;
}

double kobuki_battery_full_v(enum kobuki_pack pack)
{
    return packs[pack].alone[packs[pack].alone_count - 1].y;
}

double kobuki_power_charge_rate(const struct kobuki_state *state)
{
    const struct kobuki_power *power = &state->power;
    const struct pack *pack = &packs[state->options.battery_pack];
    if (power->charger_kind != CHARGER_NONE)
        return power->is_charging ? 1.0 / pack->full_s : 0;
    double load_a = KOBUKI_IDLE_A;
    for (int i = 0; i < KOBUKI_WHEELS; i++)
        load_a += fabs(state->motion.wheel[i].current_a * state->motion.wheel[i].duty);
    return -load_a / pack->capacity_as;
}

/* ---- The charger ---- */

static uint8_t charger_byte(const struct kobuki_state *state, int64_t now_us)
{
    const struct kobuki_power *power = &state->power;
    if (power->charger_kind == CHARGER_NONE)
        return 0;
    bool is_blip =
        kobuki_profile(state)->has_charge_blip && now_us - power->plugged_us < KOBUKI_BLIP_US;
    uint8_t from = power->charger_kind == CHARGER_ADAPTER ? 0x10 : 0;
    return (uint8_t)(from | (power->is_charging && !is_blip ? 6 : 2));
}

bool kobuki_power_read(struct kobuki_state *state, const struct robot_sensors *sensors,
                       int64_t now_us)
{
    struct kobuki_power *power = &state->power;
    const struct pack *pack = &packs[state->options.battery_pack];
    bool is_plugged = sensors->charger != CHARGER_NONE;
    bool was_charging = power->is_charging;
    if (is_plugged && power->charger_kind == CHARGER_NONE)
        power->plugged_us = now_us;
    power->charger_kind = (uint8_t)sensors->charger;
    power->charge = sensors->battery_charge;
    double full = power->is_full ? KOBUKI_REFILL_CHARGE : KOBUKI_FULL_CHARGE;
    power->is_full = is_plugged && power->charge >= full;
    power->is_charging = is_plugged && !power->is_full;
    power->has_outlet = power->is_charging; /* anatomy.rst: live only while charging */
    power->battery_v = is_plugged ? curve_at(pack->charging, pack->charging_count, power->charge)
                                  : curve_at(pack->alone, pack->alone_count, power->charge);
    power->charger = charger_byte(state, now_us);
    return power->is_charging && !was_charging;
}

/* ---- Lamps and outputs ---- */

void kobuki_power_reset(struct kobuki_state *state)
{
    memset(&state->power, 0, sizeof state->power);
    /* All power outputs are on, as in the initial value of the driver's copy of the word
     * (kobuki_core: command.cpp). */
    kobuki_power_outputs(state, KOBUKI_OUTPUT_POWERS);
}

void kobuki_power_outputs(struct kobuki_state *state, uint16_t outputs)
{
    struct kobuki_power *power = &state->power;
    power->outputs = outputs;
    power->led1 = (uint8_t)((outputs & KOBUKI_OUTPUT_LED1_RED ? 1 : 0) |
                            (outputs & KOBUKI_OUTPUT_LED1_GREEN ? 2 : 0));
    power->led2 = (uint8_t)((outputs & KOBUKI_OUTPUT_LED2_RED ? 1 : 0) |
                            (outputs & KOBUKI_OUTPUT_LED2_GREEN ? 2 : 0));
}

void kobuki_power_lamps(struct kobuki_state *state, int64_t now_us)
{
    static const uint8_t led1[] = {0, KOBUKI_LAMP_LED1_RED, KOBUKI_LAMP_LED1_GREEN,
                                   KOBUKI_LAMP_LED1_ORANGE};
    static const uint8_t led2[] = {0, KOBUKI_LAMP_LED2_RED, KOBUKI_LAMP_LED2_GREEN,
                                   KOBUKI_LAMP_LED2_ORANGE};
    struct kobuki_power *power = &state->power;
    power->status = power->is_charging                      ? KOBUKI_STATUS_CHARGING
                    : power->battery_v < KOBUKI_EMERGENCY_V ? KOBUKI_STATUS_EMERGENCY
                    : power->battery_v < KOBUKI_LOW_V       ? KOBUKI_STATUS_LOW
                                                            : KOBUKI_STATUS_ON;
    int64_t half_us = status_half_us[power->status];
    bool is_lit = half_us == 0 || (now_us - state->start_us) / half_us % 2 == 0;
    bool is_orange = power->status == KOBUKI_STATUS_LOW || power->status == KOBUKI_STATUS_EMERGENCY;
    unsigned lamp = is_orange ? KOBUKI_LAMP_STATUS_ORANGE : KOBUKI_LAMP_STATUS_GREEN;
    assert(power->led1 < COUNT(led1) && power->led2 < COUNT(led2));
    power->lamps = (uint8_t)(led1[power->led1] | led2[power->led2] | (is_lit ? lamp : 0));
}

/* ---- Buzzer ---- */

/* note = 1 / (f x 0.00000275) (protocol.rst, Sound; kobuki_core: command.hpp). */
static const double KOBUKI_NOTE_S = 0.00000275;

/* Range of the buzzer (kobuki_node: commit 7e7b84f0). */
static const double KOBUKI_SOUND_MIN_HZ = 72;
static const double KOBUKI_SOUND_MAX_HZ = 22017;

struct note {
    uint16_t hz, ms; /* hz 0: a rest; ms 0: the end */
};

static const struct note notes_on[] = {{523, 100}, {659, 100}, {784, 200}, {0, 0}};
static const struct note notes_off[] = {{784, 100}, {659, 100}, {523, 200}, {0, 0}};
static const struct note notes_recharge[] = {{880, 120}, {988, 120}, {1175, 240}, {0, 0}};
static const struct note notes_button[] = {{1760, 60}, {0, 0}};
static const struct note notes_error[] = {{220, 150}, {0, 50}, {220, 150}, {0, 0}};
static const struct note notes_start[] = {{659, 100}, {880, 100}, {1319, 200}, {0, 0}};
static const struct note notes_end[] = {{1319, 100}, {880, 100}, {659, 200}, {0, 0}};

static const struct note *const melodies[KOBUKI_MELODY_COUNT] = {
    [KOBUKI_MELODY_ON] = notes_on,
    [KOBUKI_MELODY_OFF] = notes_off,
    [KOBUKI_MELODY_RECHARGE] = notes_recharge,
    [KOBUKI_MELODY_BUTTON] = notes_button,
    [KOBUKI_MELODY_ERROR] = notes_error,
    [KOBUKI_MELODY_CLEANING_START] = notes_start,
    [KOBUKI_MELODY_CLEANING_END] = notes_end,
};

void kobuki_sounds_stop(struct kobuki_play *play)
{
    play->sequence = KOBUKI_MELODY_NONE;
    play->note = 0;
    play->hz = 0;
    play->until_us = ROBOT_NEVER;
}

static void play_melody_note(struct kobuki_play *play, int64_t from_us)
{
    const struct note *note = &melodies[play->sequence][play->note];
    play->hz = note->hz;
    play->until_us = from_us + (int64_t)note->ms * 1000;
}

void kobuki_sounds_melody(struct kobuki_play *play, enum kobuki_melody melody, int64_t now_us)
{
    assert(melody >= 0 && melody < KOBUKI_MELODY_COUNT);
    play->sequence = melody;
    play->note = 0;
    play->started++;
    play_melody_note(play, now_us);
}

void kobuki_sounds_note(struct kobuki_play *play, uint16_t note, uint8_t duration, int64_t now_us)
{
    kobuki_sounds_stop(play);
    play->started++;
    if (note > 0 && duration > 0) {
        double hz = 1.0 / (note * KOBUKI_NOTE_S);
        play->hz = fmax(KOBUKI_SOUND_MIN_HZ, fmin(KOBUKI_SOUND_MAX_HZ, hz));
        play->until_us = now_us + (int64_t)duration * 1000;
    }
}

void kobuki_sounds_next(struct kobuki_play *play)
{
    uint32_t next = play->note + 1;
    bool has_next = play->sequence != KOBUKI_MELODY_NONE && melodies[play->sequence][next].ms > 0;
    if (!has_next) {
        kobuki_sounds_stop(play);
        return;
    }
    play->note = next;
    play_melody_note(play, play->until_us);
}
