/* Repeats a run from its journal: feeds the inputs in at their steps and compares what comes out.
 */
#pragma once

#include "sim/record/journal.h"

struct sim;

/* Steps between two lines at most, or the journal counts as damaged: no line of a few bytes is to
 * cost years. Chosen: a hundred times as far as those of a recorder. */
enum { PLAYBACK_LEAP_STEPS = 100000 };

enum playback_state {
    PLAYBACK_GOES_ON,
    PLAYBACK_WHOLE,    /* at the orderly end of the journal */
    PLAYBACK_CUT,      /* at the end of a journal that was cut off */
    PLAYBACK_DEPARTED, /* the run is no longer that of the journal */
    PLAYBACK_DAMAGED,  /* the journal cannot be read on */
};

struct playback;

/* SIM is new, made from HEAD; READER has read the head. All three must outlive the playback, and
 * from now on SIM takes commands from it only. NULL, with the reason: the channels are not those of
 * the journal, or memory is short. */
struct playback *playback_open(const struct journal_head *head, struct journal_reader *reader,
                               struct sim *sim, struct error *error);
void playback_close(struct playback *playback);

/* Receives the bytes of a channel, in order. */
typedef void playback_sink(void *context, size_t channel, const uint8_t *bytes, size_t size);

/* Empties the outputs of all channels with a link. Call it once after each step, before
 * playback_feed. SINK may be NULL. */
void playback_drain(struct playback *playback, playback_sink *sink, void *context);

/* Feeds in all that the journal has for the present step. Call it before each step. */
enum playback_state playback_feed(struct playback *playback);

/* The result so far. */
struct playback_result {
    enum playback_state state;
    const char *reason;       /* a sentence for DEPARTED and DAMAGED; otherwise "" */
    const char *state_reason; /* how bodies or signals departed, even where no byte did; or "" */
    int64_t compared_us;      /* time of the last comparison that matched, or 0 */
    uint64_t bytes;           /* to hosts, equal to those of the journal */
    uint64_t input_count;     /* inputs put in so far */
};
struct playback_result playback_result(const struct playback *playback);
