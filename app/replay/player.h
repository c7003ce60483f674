/* What a web page calls, compiled to WebAssembly, to do a run again from its journal, or to run a
 * scene that it has. One run a module; the page owns the clock. All that a run is lies in the
 * memory of the module: a copy of that, put back, is the run as it was then. Texts stay valid until
 * the next call that returns a text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Room for SIZE bytes that are handed in: a bundle, the text of a command, bytes for a robot. Valid
 * until the next call. NULL: memory is short. */
void *player_room(uint32_t size);

/* Begins the run of the bundle in the room. False: player_reason. */
bool player_open(uint32_t size);
/* Why the last call has failed, or why the run has ended before the journal did; else "". */
const char *player_reason(void);
/* Frees all; for whoever is no page. */
void player_close(void);

/* ---- Time ---- */

/* Does at most STEPS steps of 1 ms. Returns how many it has done: fewer at the end. */
uint32_t player_run(uint32_t steps);
double player_now_s(void);
/* Of the journal; 0: there is none, and the run has no end. */
double player_length_s(void);
/* Whether the journal is at its end, however it came to it. */
bool player_is_over(void);

/* What commands asked of time: the page obeys. */
bool player_is_paused(void);
double player_speed(void);
/* Steps to be done although it is paused; asking forgets them. */
uint32_t player_steps_wanted(void);
/* The moment to go to, < 0: none; asking forgets it. */
double player_seek_wanted_s(void);
/* What the page says itself. */
void player_set_pace(bool is_paused, double speed);

/* ---- What is seen ---- */

/* The simulation now, of player_snapshot_size() bytes; NULL: memory is short. */
const void *player_snapshot(void);
uint32_t player_snapshot_size(void);

/* The values of all signals, in the order of the snapshot's; player_signal_count() of them. */
const double *player_values(void);
uint32_t player_signal_count(void);
/* A name; of one that is no part of a replay (is_live) with a blank in front. */
const char *player_signal_name(uint32_t signal);

/* Notes what has become of faults since the last call. */
void player_update(void);
/* What happened, and of the journal what will: lines `SECONDS KIND TEXT`, KIND one of passed,
 * failed, fault, healed, command, host, gone. By time. */
const char *player_marks(void);

/* The program that wrote the journal and its build; "": there is none. */
const char *player_program(void);
/* Of all that decides the future, in hexadecimal. */
const char *player_hash(void);

/* ---- What is done to a run that has no journal ---- */

/* The command in the room, of SIZE bytes. False: player_reason. */
bool player_do(uint32_t size);
/* Of a robot, by the order of the scene: the built-in type whose packets it speaks, "" of none; and
 * its first channel in the simulation. */
const char *player_wire(uint32_t robot);
uint32_t player_channel(uint32_t robot);
/* A host comes to the channel of the simulation, or leaves it. */
void player_host(uint32_t channel, bool is_there);
/* The bytes in the room, for the robot at that channel. */
void player_send(uint32_t channel, uint32_t size);
