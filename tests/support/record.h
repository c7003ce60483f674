/* What a simulation gives, to be compared with what it gave before: the bytes that the hosts of its
 * robots hear and when, what signals show, where robots end. Failures end the test. */
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
/* Steps once, and hears all channels. */
void record_step(struct record *self);
/* What the signals of all robots show now. */
void record_sample(struct record *self);
/* Writes some lines, which begin with NAME, into TEXT of SIZE bytes; returns their length. */
size_t record_report(const struct record *self, const char *name, char *text, size_t size);

/* How many golden frames there are to that channel of a type. */
size_t record_frames(const struct robot_type *type, unsigned channel);
/* The host of a channel says the golden frame of that NUMBER of its robot's type, round and round.
 */
void record_say(struct record *self, size_t channel, size_t number);

/* TEXT must be what the file of that PATH holds. With PTYBOT_UPDATE_GOLDEN in the environment it is
 * written there instead. */
void record_check(const char *path, const char *text);
