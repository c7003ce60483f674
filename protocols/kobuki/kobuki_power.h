/* Battery, charger and power outputs; lamps and buzzer. */
#pragma once

#include "protocols/kobuki/kobuki_state.h"

/* Charge of a battery that has VOLTS without a charger, limited to 0..1. */
double kobuki_battery_charge(const void *options, double volts);

/* Lowest and highest voltage of a battery without a charger. */
double kobuki_battery_empty_v(enum kobuki_pack pack);
double kobuki_battery_full_v(enum kobuki_pack pack);

void kobuki_power_reset(struct kobuki_state *state);

/* Reads charge and charger. True: charging has just started. */
bool kobuki_power_read(struct kobuki_state *state, const struct robot_sensors *sensors,
                       int64_t now_us);

/* Change of the charge at the present load and charger, 1/s. */
double kobuki_power_charge_rate(const struct kobuki_state *state);

/* Sets the output word. The power outputs change immediately, the lamps with the next
 * kobuki_power_lamps. */
void kobuki_power_outputs(struct kobuki_state *state, uint16_t outputs);

/* Updates the lamps at the time NOW_US. */
void kobuki_power_lamps(struct kobuki_state *state, int64_t now_us);

/* ---- The buzzer: notes and the seven melodies ---- */

/* Values of sound_sequence (protocol.rst, Sound Sequence). */
enum kobuki_melody {
    KOBUKI_MELODY_NONE = -1,
    KOBUKI_MELODY_ON,
    KOBUKI_MELODY_OFF,
    KOBUKI_MELODY_RECHARGE,
    KOBUKI_MELODY_BUTTON,
    KOBUKI_MELODY_ERROR,
    KOBUKI_MELODY_CLEANING_START,
    KOBUKI_MELODY_CLEANING_END,
    KOBUKI_MELODY_COUNT,
};

void kobuki_sounds_stop(struct kobuki_play *play);

/* Plays a melody from its start. It replaces a sound that is playing. */
void kobuki_sounds_melody(struct kobuki_play *play, enum kobuki_melody melody, int64_t now_us);

/* Plays one note for DURATION ms. NOTE: as on the wire; 0: silence. */
void kobuki_sounds_note(struct kobuki_play *play, uint16_t note, uint8_t duration, int64_t now_us);

/* The current note has ended: plays the next one, or stops. */
void kobuki_sounds_next(struct kobuki_play *play);
