/* Approximated: the battery voltage follows a curve regardless of the load. Charging currents are
 * those that owners measured. Values marked as chosen are unknown. */
#include "protocols/create2/create2_power.h"
#include "protocols/create2/create2_motion.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "protocols/curve.h"

/* ---- Battery: twelve NiMH cells. 13.9 V at 14 % (an owner's 690). Chosen: the other points.
 * ---- */

static const struct curve_point pack[] = {{0, CREATE2_EMPTY_V}, {0.05, 13.2}, {0.14, 13.9},
                                          {0.5, 14.6},          {0.8, 15.2},  {0.95, 15.9},
                                          {1, CREATE2_FULL_V}};
/* During charging: 16.9..18.2 V (owners). */
static const struct curve_point charging[] = {{0, 16.4}, {0.1, 16.9}, {0.8, 17.6}, {1, 18.2}};

double create2_battery_charge(const void *options, double volts)
{
    (void)options;
    return curve_inverse(pack, COUNT(pack), volts);
}

/* Packet 21 (OI). */
enum { NOT_CHARGING, RECONDITIONING, FULL_CHARGING, TRICKLE, WAITING, FAULT };

static const double charge_a[] = {
    [RECONDITIONING] = 0.302, /* an owner's log: recovery */
    [FULL_CHARGING] = 1.05,   /* owners: 0.89..1.23 */
    [TRICKLE] = 0.06,         /* chosen: a fortieth of the capacity in an hour */
    [WAITING] = 0,
    [FAULT] = 0,
};
static const double IDLE_A = 0.147;        /* owners: 0.143..0.151 */
static const double ASLEEP_A = 0.005;      /* chosen */
static const double VACUUM_A = 0.9;        /* chosen */
static const double DEEP_CHARGE = 0.03;    /* chosen: below it the pack is reconditioned */
static const double FULL_CHARGE = 0.995;   /* chosen */
static const int64_t WAITING_US = 1000000; /* chosen: the charger looks at the pack first */

static uint8_t charging_state(const struct create2_state *state, int64_t now_us)
{
    const struct create2_power *power = &state->power;
    bool is_awake_host = state->host.mode >= CREATE2_MODE_SAFE;
    if (power->charger == CHARGER_NONE || is_awake_host)
        return NOT_CHARGING; /* a host in safe or full mode ends it (OI; an owner's 690) */
    if (power->is_faulty)
        return FAULT;
    if (now_us - power->plugged_us < WAITING_US)
        return WAITING;
    if (power->charge < DEEP_CHARGE)
        return RECONDITIONING;
    /* When full, it trickle-charges until it is unplugged. */
    bool was_full = power->state == TRICKLE && power->charge > FULL_CHARGE - 0.02;
    return power->charge >= FULL_CHARGE || was_full ? TRICKLE : FULL_CHARGING;
}

static double load_a(const struct create2_state *state)
{
    const struct create2_motion *motion = &state->motion;
    if (state->power.is_asleep)
        return ASLEEP_A;
    double load = IDLE_A;
    for (int i = 0; i < CREATE2_WHEELS; i++)
        load += fabs(motion->wheel[i].current_a * motion->wheel[i].duty);
    if (create2_profile(state)->has_cleaner)
        load += VACUUM_A * motion->vacuum;
    for (int i = 0; i < CREATE2_BRUSHES; i++)
        load += fabs(create2_motion_brush_a(state, (enum create2_brush)i));
    return load;
}

bool create2_power_read(struct create2_state *state, const struct robot_sensors *sensors,
                        int64_t now_us)
{
    struct create2_power *power = &state->power;
    bool is_new = sensors->charger != CHARGER_NONE && power->charger == CHARGER_NONE;
    power->charger = (uint8_t)sensors->charger;
    if (is_new)
        power->plugged_us = now_us;
    power->charge = sensors->battery_charge;
    power->state = charging_state(state, now_us);
    bool is_fed = charge_a[power->state] > 0;
    power->battery_v = is_fed ? curve_at(charging, COUNT(charging), power->charge)
                              : curve_at(pack, COUNT(pack), power->charge);
    /* A charger supplies the robot in all modes (OI). While it does not charge the battery, the
     * battery supplies the load. */
    power->current_a = is_fed ? charge_a[power->state] : -load_a(state);
    return is_new;
}

double create2_power_charge_rate(const struct create2_state *state)
{
    const struct create2_power *power = &state->power;
    double capacity_as = create2_profile(state)->capacity_mah * 3.6;
    if (power->state == TRICKLE)
        return power->charge < 1 ? power->current_a / capacity_as : 0;
    return power->current_a / capacity_as;
}

void create2_power_stir(struct create2_state *state, int64_t now_us)
{
    state->power.active_us = now_us;
}

/* ---- Panel ---- */

void create2_panel_own(struct create2_state *state)
{
    struct create2_panel *panel = &state->panel;
    memset(panel, 0, sizeof *panel);
    if (state->host.mode == CREATE2_MODE_OFF || state->power.is_asleep)
        return;
    /* Green when full, red when empty (the manufacturer's manual). Chosen: the colors in
     * between. */
    panel->color = wire_saturate_u8(255 * (1 - state->power.charge));
    panel->intensity = 255;
    panel->leds = state->conduct.kind == CREATE2_DO_SPOT   ? 2
                  : state->conduct.kind == CREATE2_DO_DOCK ? 4
                                                           : 0;
}

/* Chosen: the usual shapes of seven-segment displays, from space (32) to z. Characters without a
 * good shape are dark. */
uint8_t create2_panel_segments(uint8_t character)
{
    static const uint8_t digits[] = {63, 6, 91, 79, 102, 109, 125, 7, 127, 111};
    static const uint8_t letters[] = {119, 124, 57,  94,  121, 113, 61,  118, 48, 30, 117, 56,  21,
                                      84,  92,  115, 103, 80,  109, 120, 62,  28, 42, 118, 110, 91};
    static const struct {
        char character;
        uint8_t segments;
    } marks[] = {{'-', 64}, {'_', 8},  {'=', 72}, {'\'', 32}, {'"', 34}, {'(', 57},
                 {')', 15}, {'[', 57}, {']', 15}, {'?', 83},  {'!', 10}};
    if (character >= '0' && character <= '9')
        return digits[character - '0'];
    if (character >= 'a' && character <= 'z')
        character = (uint8_t)(character - 'a' + 'A');
    if (character >= 'A' && character <= 'Z')
        return letters[character - 'A'];
    for (size_t i = 0; i < COUNT(marks); i++)
        if (marks[i].character == (char)character)
            return marks[i].segments;
    return 0;
}

/* ---- Songs ---- */

static const struct create2_song_store tunes[] = {
    [CREATE2_TUNE_START - CREATE2_SONGS] = {1, {{72, 16}}},
    [CREATE2_TUNE_STOP - CREATE2_SONGS] = {3, {{76, 8}, {72, 8}, {67, 16}}},
    [CREATE2_TUNE_BOOT - CREATE2_SONGS] = {4, {{67, 8}, {72, 8}, {76, 8}, {79, 16}}},
};

static const struct create2_song_store *song_of(const struct create2_state *state, int32_t song)
{
    return song < CREATE2_SONGS ? &state->songs[song] : &tunes[song - CREATE2_SONGS];
}

void create2_play_reset(struct create2_play *play)
{
    memset(play, 0, sizeof *play);
    play->song = -1;
    play->until_us = ROBOT_NEVER;
}

/* Frequency of a MIDI note: 69 is 440 Hz, twelve notes per octave. */
static double note_hz(uint8_t note)
{
    static const double of_60[] = {261.6256, 277.1826, 293.6648, 311.1270, 329.6276, 349.2282,
                                   369.9944, 391.9954, 415.3047, 440.0,    466.1638, 493.8833};
    return ldexp(of_60[note % 12], note / 12 - 5);
}

static void play_note(struct create2_state *state, int64_t from_us)
{
    struct create2_play *play = &state->play;
    const struct create2_note *note = &song_of(state, play->song)->notes[play->note];
    bool is_rest = note->note < 31 || note->note > 127; /* OI, Song */
    play->hz = is_rest ? 0 : note_hz(note->note);
    play->until_us = from_us + note->duration * INT64_C(15625); /* 1/64 s */
}

void create2_play_start(struct create2_state *state, int32_t song, int64_t now_us)
{
    if (song_of(state, song)->count == 0)
        return;
    state->play.song = song;
    state->play.note = 0;
    play_note(state, now_us);
}

void create2_play_next(struct create2_state *state)
{
    struct create2_play *play = &state->play;
    if (play->song < 0 || ++play->note >= song_of(state, play->song)->count) {
        create2_play_reset(play);
        return;
    }
    play_note(state, play->until_us);
}
