/* Writes the journal of a simulation: its inputs as they come, and at intervals what came out, so
 * that a run from the journal can be compared with it. */
#ifndef PTYBOT_SIM_RECORD_RECORDER_H
#define PTYBOT_SIM_RECORD_RECORDER_H

#include "sim/record/journal.h"

struct sim;

enum {
    RECORDER_OUT_STEPS = 100,    /* chosen: a departure is found to a tenth of a second */
    RECORDER_STATE_STEPS = 1000, /* chosen: the hash looks at every signal */
};

struct recorder;

/* Writes the head and listens to SIM, which has done no step yet, from then on. SINK gets whole
 * lines. The head is not kept. NULL: memory is short. */
struct recorder *recorder_open(const struct journal_head *head, struct sim *sim, journal_sink *sink,
                               void *context);

/* Call it after each step, when what came out was taken from all channels with a link. */
void recorder_step(struct recorder *recorder);

/* Writes the orderly end of the run. */
void recorder_end(struct recorder *recorder);

/* Listens no more, and frees. NULL is allowed. */
void recorder_close(struct recorder *recorder);

#endif
