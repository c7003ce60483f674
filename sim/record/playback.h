/* Repeats a run from its journal: applies the inputs at their steps and compares the outputs. */
#pragma once

#include "sim/record/journal.h"

struct sim;

/* Largest number of steps between two lines; a journal with a larger gap counts as damaged, because
 * a few damaged bytes must not cause years of simulation. Chosen: a hundred times the interval of a
 * recorder. */
enum { PLAYBACK_LEAP_STEPS = 100000 };

enum playback_state {
    PLAYBACK_GOES_ON,
    PLAYBACK_WHOLE,    /* at the regular end of the journal */
    PLAYBACK_CUT,      /* at the end of a journal that was cut off */
    PLAYBACK_DEPARTED, /* the run differs from the journal */
    PLAYBACK_DAMAGED,  /* the rest of the journal cannot be read */
};

struct playback;

/* SIM must be new and made from HEAD; READER must have read the head. All three must outlive the
 * playback. From now on SIM accepts commands from the playback only. On an error returns NULL with
 * the reason: the channels differ from those of the journal, or memory is short. */
struct playback *playback_open(const struct journal_head *head, struct journal_reader *reader,
                               struct sim *sim, struct error *error);
void playback_close(struct playback *playback);

/* Receives the bytes of a channel, in order. */
typedef void playback_sink(void *context, size_t channel, const uint8_t *bytes, size_t size);

/* Empties the outputs of all channels with a link. Call it once after each step, before
 * playback_feed. SINK may be NULL. */
void playback_drain(struct playback *playback, playback_sink *sink, void *context);

/* Applies all inputs that the journal has for the present step. Call it before each step. */
enum playback_state playback_feed(struct playback *playback);

/* The result so far. */
struct playback_result {
    enum playback_state state;
    const char *reason;       /* a sentence for DEPARTED and DAMAGED; otherwise "" */
    const char *state_reason; /* difference of bodies or signals, even if no byte differed; or "" */
    int64_t compared_us;      /* time of the last comparison that matched, or 0 */
    uint64_t bytes;           /* bytes sent to drivers that matched the journal */
    uint64_t input_count;     /* inputs applied so far */
};
struct playback_result playback_result(const struct playback *playback);
