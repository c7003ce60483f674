/* Writes the journal of a simulation: its inputs when they arrive, and at intervals a digest of its
 * outputs for comparison by a playback. */
#pragma once

#include "sim/record/journal.h"

struct sim;

enum {
    RECORDER_OUT_STEPS = 100,    /* chosen: locates a difference to a tenth of a second */
    RECORDER_STATE_STEPS = 1000, /* chosen: rarely, because the hash reads every signal */
};

struct recorder;

/* Writes the head, then listens to SIM, which must be at its first step. SINK gets whole lines.
 * HEAD is not needed afterwards. NULL: out of memory. */
struct recorder *recorder_open(const struct journal_head *head, struct sim *sim, journal_sink *sink,
                               void *context);

/* Call it after each step, when the outputs of all channels with a link have been read. */
void recorder_step(struct recorder *recorder);

/* Writes the regular end of the run. */
void recorder_end(struct recorder *recorder);

/* Stops listening and frees. NULL is allowed. */
void recorder_close(struct recorder *recorder);
