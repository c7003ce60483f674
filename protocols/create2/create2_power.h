/* Battery and charging, sleep, lamps and digits, songs. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Voltage of the battery when it is not charging. */
#define CREATE2_EMPTY_V 12.0
#define CREATE2_FULL_V  16.5
double create2_battery_charge(const void *options, double volts);

/* Updates charge, charger and charging state, once per slot. True: a charger has just been
 * connected. */
bool create2_power_read(struct create2_state *state, const struct robot_sensors *sensors,
                        int64_t now_us);

/* Change of the charge at the present current, 1/s. */
double create2_power_charge_rate(const struct create2_state *state);

/* Records activity: the robot does not fall asleep for a while. */
void create2_power_stir(struct create2_state *state, int64_t now_us);

/* ---- Panel ---- */

/* Shows the firmware's own display. Used while no host controls the lamps. */
void create2_panel_own(struct create2_state *state);

/* Segments of an ASCII character, A 1 .. G 64. */
uint8_t create2_panel_segments(uint8_t character);

/* ---- Songs ---- */

/* Built-in tunes; their numbers follow the songs of a host. Chosen: their notes. */
enum create2_tune { CREATE2_TUNE_START = CREATE2_SONGS, CREATE2_TUNE_STOP, CREATE2_TUNE_BOOT };

void create2_play_reset(struct create2_play *play);

/* Starts a song or tune. A song without notes has no effect. */
void create2_play_start(struct create2_state *state, int32_t song, int64_t now_us);

/* The current note has ended: starts the next note, or silence. */
void create2_play_next(struct create2_state *state);
