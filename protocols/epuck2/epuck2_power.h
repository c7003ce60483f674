/* Battery, lamps and loudspeaker. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

/* ---- Battery ---- */

/* Raw value per volt: divider 220 k over 330 k, reference 3.0 V, 12 bit (firmware). */
#define EPUCK2_BATTERY_1_V    819.2
#define EPUCK2_BATTERY_OFF_V  (2600 / EPUCK2_BATTERY_1_V) /* BATTERY_OFF of the firmware */
#define EPUCK2_BATTERY_LOW    2900                        /* raw */
#define EPUCK2_BATTERY_FULL_V 4.2

double epuck2_battery_charge(const void *options, double volts);

/* Reads the battery, once per pass of 10 ms. */
void epuck2_power_read(struct epuck2_state *state, const struct robot_sensors *sensors);

/* Change of the charge, 1/s. */
double epuck2_power_charge_rate(const struct epuck2_state *state);

/* ---- Lamps: the ring of LEDs, the body LED and the front LED ---- */

/* Sets the lamps as in a command. */
void epuck2_lamps_obey(struct epuck2_state *state, const struct epuck2_command *command);

/* Sets an RGB LED in percent. A channel above 100 keeps its value. */
void epuck2_lamps_rgb(struct epuck2_lamps *lamps, unsigned led, const uint8_t percent[3]);

/* Functions of the serial protocol. ACTION: 0 off, 1 on, 2 toggle. */
void epuck2_lamps_switch(struct epuck2_lamps *lamps, uint8_t leds, int action);
/* LED numbers 0..7 around the ring, 8: all. */
void epuck2_lamps_ring(struct epuck2_lamps *lamps, int number, int action);

/* Updates LED2 as the WiFi firmware's status lamp, and the visible colors. */
void epuck2_lamps_update(struct epuck2_state *state, int64_t now_us);

/* ---- Loudspeaker ---- */

/* In the order of the bits of a command. */
enum epuck2_melody {
    EPUCK2_SOUND_NONE,
    EPUCK2_SOUND_MARIO,
    EPUCK2_SOUND_UNDERWORLD,
    EPUCK2_SOUND_STARWARS,
    EPUCK2_SOUND_4_KHZ,
    EPUCK2_SOUND_10_KHZ,
    EPUCK2_SOUND_COUNT,
};

void epuck2_sounds_stop(struct epuck2_play *play);

/* Executes the sound byte of a command. Returns the time when the polling thread is free again:
 * before a melody restarts, it waits for the end of the current note. */
int64_t epuck2_sounds_obey(struct epuck2_play *play, uint8_t bits, int64_t now_us);

/* Plays the next note. Called when the current one ends. */
void epuck2_sounds_next(struct epuck2_play *play);
