/* Battery, lamps, loudspeaker. Approximated: the battery's curve does not depend on load and age;
 * an RGB LED that is on shows its full color. Left out: the firmware switches off below 3.17 V.
 * Chosen: the notes of the melodies, which are placeholders for those of the robot. */
#include "protocols/epuck2/epuck2_power.h"

#include "base/array.h"
#include "protocols/curve.h"

/* ---- Battery: one lithium cell of 1800 mAh (vendor) ---- */

/* Voltage against charge. Chosen: the usual curve of a lithium-polymer cell. */
static const struct curve_point cell[] = {
    {0, EPUCK2_BATTERY_OFF_V},
    {0.03, 3.4},
    {0.1, 3.6},
    {0.3, 3.72},
    {0.5, 3.8},
    {0.7, 3.92},
    {0.9, 4.08},
    {1, EPUCK2_BATTERY_FULL_V},
};

static const double EPUCK2_CAPACITY_A_S = 1.8 * 3600;
static const double EPUCK2_IDLE_A = 0.4;    /* chosen: WiFi on; about 3 h in use (vendor) */
static const double EPUCK2_MOTOR_A = 0.15;  /* chosen: one motor with its coils on */
static const double EPUCK2_CHARGER_A = 0.9; /* chosen: USB, about 2.5 h */

double epuck2_battery_charge(const void *options, double volts)
{
    (void)options;
    return curve_inverse(cell, COUNT(cell), volts);
}

void epuck2_power_read(struct epuck2_state *state, const struct robot_sensors *sensors)
{
    struct epuck2_power *power = &state->power;
    power->charge = sensors->battery_charge;
    power->battery_v = curve_at(cell, COUNT(cell), power->charge);
    power->raw = wire_saturate_u16(power->battery_v * EPUCK2_BATTERY_1_V);
    power->is_low = power->raw < EPUCK2_BATTERY_LOW;
    power->is_charging = sensors->charger != CHARGER_NONE;
}

double epuck2_power_charge_rate(const struct epuck2_state *state)
{
    double current_a = -EPUCK2_IDLE_A;
    for (int i = 0; i < EPUCK2_WHEELS; i++)
        current_a -= state->motion.wheel[i].driven != 0 ? EPUCK2_MOTOR_A : 0;
    /* The charger supplies only the cell, not the load. */
    return (state->power.is_charging ? EPUCK2_CHARGER_A : current_a) / EPUCK2_CAPACITY_A_S;
}

/* ---- Lamps ---- */

enum { EPUCK2_PERCENT_MAX = 100 }; /* above that, the firmware does not change a channel */

void epuck2_lamps_rgb(struct epuck2_lamps *lamps, unsigned led, const uint8_t percent[3])
{
    for (int i = 0; i < 3; i++)
        if (percent[i] <= EPUCK2_PERCENT_MAX)
            lamps->rgb[led][i] = percent[i];
}

void epuck2_lamps_obey(struct epuck2_state *state, const struct epuck2_command *command)
{
    struct epuck2_lamps *lamps = &state->lamps;
    const uint8_t known = 0x0f | EPUCK2_LED_BODY | EPUCK2_LED_FRONT;
    lamps->leds = command->leds & known;
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED2, command->led2);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED4, command->led4);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED6, command->led6);
    epuck2_lamps_rgb(lamps, EPUCK2_RGB_LED8, command->led8);
}

void epuck2_lamps_switch(struct epuck2_lamps *lamps, uint8_t leds, int action)
{
    unsigned lit = lamps->leds;
    lit = action == 0 ? lit & ~(unsigned)leds : action == 1 ? lit | leds : lit ^ leds;
    lamps->leds = (uint8_t)lit;
}

/* Chosen: the RGB LEDs, which have the odd numbers, are red when on. */
void epuck2_lamps_ring(struct epuck2_lamps *lamps, int number, int action)
{
    for (int i = 0; i < 8; i++) {
        if (number != i && number != 8)
            continue;
        if (i % 2 == 0) {
            epuck2_lamps_switch(lamps, (uint8_t)(1u << i / 2), action);
            continue;
        }
        uint8_t *rgb = lamps->rgb[i / 2];
        bool is_on = action == 1 || (action == 2 && rgb[0] == 0);
        rgb[0] = is_on ? EPUCK2_PERCENT_MAX : 0;
        rgb[1] = rgb[2] = 0;
    }
}

static uint8_t color_of(const uint8_t rgb[3])
{
    unsigned mix = (rgb[0] > 0 ? 1u : 0) | (rgb[1] > 0 ? 2u : 0) | (rgb[2] > 0 ? 4u : 0);
    return (uint8_t)(mix == 0 ? 0 : 1u << mix);
}

void epuck2_lamps_update(struct epuck2_state *state, int64_t now_us)
{
    struct epuck2_lamps *lamps = &state->lamps;
    if (state->options.has_status_lamp) {
        uint8_t *led2 = lamps->rgb[EPUCK2_RGB_LED2];
        led2[0] = 0;
        led2[1] = state->stream.phase == EPUCK2_WAITING ? EPUCK2_PERCENT_MAX : 0;
        led2[2] = now_us < lamps->sending_until_us ? EPUCK2_PERCENT_MAX : 0;
    }
    for (unsigned i = 0; i < EPUCK2_RGB_COUNT; i++)
        lamps->color[i] = color_of(lamps->rgb[i]);
}

/* ---- Loudspeaker ---- */

struct note {
    uint16_t hz, ms; /* hz 0: a rest; ms 0: the end */
};

static const struct note notes_mario[] = {{1319, 125}, {1047, 125}, {1319, 125}, {1568, 250},
                                          {0, 125},    {784, 250},  {0, 0}};
static const struct note notes_underworld[] = {{262, 125}, {523, 125}, {220, 125}, {440, 125},
                                               {233, 125}, {466, 250}, {0, 0}};
static const struct note notes_starwars[] = {{440, 350}, {349, 250}, {523, 100}, {440, 350},
                                             {0, 100},   {349, 250}, {0, 0}};
static const struct note *const melodies[EPUCK2_SOUND_COUNT] = {
    [EPUCK2_SOUND_MARIO] = notes_mario,
    [EPUCK2_SOUND_UNDERWORLD] = notes_underworld,
    [EPUCK2_SOUND_STARWARS] = notes_starwars,
};

void epuck2_sounds_stop(struct epuck2_play *play)
{
    play->melody = EPUCK2_SOUND_NONE;
    play->note = 0;
    play->hz = 0;
    play->until_us = ROBOT_NEVER;
}

static void play_note(struct epuck2_play *play, int64_t from_us)
{
    const struct note *note = &melodies[play->melody][play->note];
    play->hz = note->hz;
    play->until_us = from_us + (int64_t)note->ms * 1000;
}

/* A tone lasts until another sound is requested. Before a melody restarts, its current note
 * ends. */
static int64_t start(struct epuck2_play *play, uint8_t sound, int64_t now_us)
{
    if (!melodies[sound]) {
        play->started += play->melody != sound;
        epuck2_sounds_stop(play);
        play->melody = sound;
        play->hz = sound == EPUCK2_SOUND_4_KHZ ? 4000 : 10000;
        return now_us;
    }
    int64_t free_us =
        play->until_us != ROBOT_NEVER && play->until_us > now_us ? play->until_us : now_us;
    play->melody = sound;
    play->started++;
    play->note = 0;
    play_note(play, free_us);
    return free_us;
}

int64_t epuck2_sounds_obey(struct epuck2_play *play, uint8_t bits, int64_t now_us)
{
    int64_t free_us = now_us;
    /* The firmware tests the bits one after another, so the last one is heard. */
    for (int sound = EPUCK2_SOUND_MARIO; sound < EPUCK2_SOUND_COUNT; sound++) {
        bool is_last = (bits & 0x1f) >> sound == 0;
        if ((bits >> (sound - 1) & 1) != 0 && is_last)
            free_us = start(play, (uint8_t)sound, now_us);
    }
    if ((bits & EPUCK2_SOUND_STOP) != 0) {
        epuck2_sounds_stop(play);
        return now_us;
    }
    return free_us;
}

void epuck2_sounds_next(struct epuck2_play *play)
{
    uint32_t next = play->note + 1;
    if (play->melody == EPUCK2_SOUND_NONE || !melodies[play->melody] ||
        melodies[play->melody][next].ms == 0) {
        epuck2_sounds_stop(play);
        return;
    }
    play->note = next;
    play_note(play, play->until_us);
}
