/* A run again, from its journal: puts the inputs in at their steps and compares what comes out. */
#ifndef PTYBOT_SIM_RECORD_PLAYBACK_H
#define PTYBOT_SIM_RECORD_PLAYBACK_H

#include "sim/record/journal.h"

struct sim;

enum playback_state {
    PLAYBACK_GOES_ON,
    PLAYBACK_WHOLE,    /* at the orderly end of the journal */
    PLAYBACK_CUT,      /* at the end of a journal that was cut off */
    PLAYBACK_DEPARTED, /* from here on the run is another one */
    PLAYBACK_DAMAGED,  /* the journal cannot be read on */
};

struct playback;

/* SIM is fresh, made from HEAD; READER stands behind the head. All of them outlive the playback.
 * SIM obeys nobody else from now on. NULL, with the reason: the channels are not those of the
 * journal, or memory is short. */
struct playback *playback_open(const struct journal_head *head, struct journal_reader *reader,
                               struct sim *sim, struct error *error);
void playback_close(struct playback *playback);

/* Takes what came out of a channel; in the order of time for each channel. */
typedef void playback_sink(void *context, size_t channel, const uint8_t *bytes, size_t size);

/* Takes out what came out of all channels with a link. Call it once after each step, before
 * playback_feed. SINK may be NULL. */
void playback_drain(struct playback *playback, playback_sink *sink, void *context);

/* Does all that the journal has for the present step. Call it before each step. */
enum playback_state playback_feed(struct playback *playback);

/* What it came to. */
struct playback_result {
    enum playback_state state;
    const char *reason;       /* DEPARTED, DAMAGED: a sentence; "" else */
    const char *state_reason; /* bodies or signals departed, which bytes need not show; or "" */
    int64_t compared_us;      /* of the last comparison that fitted, or 0 */
    uint64_t bytes;           /* to hosts that were the same */
    uint64_t input_count;     /* inputs put in so far */
};
struct playback_result playback_result(const struct playback *playback);

#endif
