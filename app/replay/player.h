/* Functions that a web page calls, compiled to WebAssembly, to repeat a run from its journal or to
 * run a scene. There is one run per module, and the page owns the clock. The whole state of a run
 * is in the module's memory: a page can copy that memory and restore it later. A returned text
 * stays valid until the next call that returns a text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns a buffer of SIZE bytes for input: a bundle, the text of a command, or bytes for a robot.
 * Valid until the next call. NULL: no memory. */
void *player_room(uint32_t size);

/* Starts the run of the bundle in the buffer. False: see player_reason. */
bool player_open(uint32_t size);
/* Why the last call failed, or why the run ended before the journal did. Otherwise "". */
const char *player_reason(void);
/* Frees everything; for callers that are not web pages. */
void player_close(void);

/* ---- Time ---- */

/* Runs at most STEPS steps of 1 ms. Returns the number of steps run, which is lower at the end. */
uint32_t player_run(uint32_t steps);
double player_now_s(void);
/* Length of the journal; 0: there is no journal, and the run has no end. */
double player_length_s(void);
/* Whether the journal has ended, for whatever reason. */
bool player_is_over(void);

/* Pause and speed as set by commands; the page obeys them. */
bool player_is_paused(void);
double player_speed(void);
/* Steps requested while paused; the call clears the request. */
uint32_t player_steps_wanted(void);
/* Time of a requested seek, < 0: none; the call clears the request. */
double player_seek_wanted_s(void);
/* Sets pause and speed as chosen on the page. */
void player_set_pace(bool is_paused, double speed);

/* ---- State ---- */

/* A snapshot of the simulation, of player_snapshot_size() bytes; NULL: no memory. */
const void *player_snapshot(void);
uint32_t player_snapshot_size(void);

/* The values of all signals, in the order of the snapshot; player_signal_count() of them. */
const double *player_values(void);
uint32_t player_signal_count(void);
/* Name of a signal; starts with a blank if the signal is not part of a replay (is_live). */
const char *player_signal_name(uint32_t signal);

/* Notes changes of faults since the last call. */
void player_update(void);
/* Past events of the run, and future events from the journal, sorted by time: lines `SECONDS KIND
 * TEXT`. KIND is passed, failed, fault, healed, command, host or gone. */
const char *player_marks(void);

/* The program that wrote the journal, and its build; "": there is no journal. */
const char *player_program(void);
/* Hash of the whole state that determines the future, in hexadecimal. */
const char *player_hash(void);

/* ---- Input, for a run without a journal ---- */

/* Executes the command in the buffer, of SIZE bytes. False: see player_reason. */
bool player_do(uint32_t size);
/* For a robot, by its number in the scene: the built-in type whose packets it uses, or ""; and its
 * first channel in the simulation. */
const char *player_wire(uint32_t robot);
uint32_t player_channel(uint32_t robot);
/* Connects a driver to a channel of the simulation, or disconnects it. */
void player_host(uint32_t channel, bool is_there);
/* Sends the bytes in the buffer to the robot at that channel. */
void player_send(uint32_t channel, uint32_t size);
