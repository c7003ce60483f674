/* The output of a simulation, for a comparison with its earlier output: the bytes that the robots'
 * hosts receive and their times, the values of signals, the final poses. Failures end the test. */
#pragma once

#include "sim/sim.h"

enum { RECORD_CHANNELS_MAX = 64, RECORD_TEXT_MAX = 65536 };

struct record {
    struct sim *sim;
    struct record_part {
        uint64_t hash;
        size_t count;
    } heard[RECORD_CHANNELS_MAX],
        seen[RECORD_CHANNELS_MAX]; /* bytes of channels, signals of robots */
    size_t steps;
};

/* Hosts open all ports of SIM, which stays the caller's. */
void record_begin(struct record *self, struct sim *sim);
/* Makes one step, and receives the bytes of all channels. */
void record_step(struct record *self);
/* Records the current values of all robots' signals. */
void record_sample(struct record *self);
/* Writes some lines, which begin with NAME, into TEXT of SIZE bytes; returns their length. */
size_t record_report(const struct record *self, const char *name, char *text, size_t size);

/* Number of golden frames to that channel of a robot type. */
size_t record_frames(const struct robot_type *type, unsigned channel);
/* The host of a channel sends golden frame NUMBER of its robot's type; NUMBER wraps around.
 */
void record_say(struct record *self, size_t channel, size_t number);

/* TEXT must equal the content of the file at PATH. With PTYBOT_UPDATE_GOLDEN in the environment,
 * TEXT is written to the file instead. */
void record_check(const char *path, const char *text);
