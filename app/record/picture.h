/* Pictures of a simulation, painted by a process of its own (ptybot-viewer) that is fed with
 * snapshots, so that painting costs the simulation no more than a copy. */
#ifndef PTYBOT_APP_RECORD_PICTURE_H
#define PTYBOT_APP_RECORD_PICTURE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "base/error.h"
#include "sim/sim.h"

/* What pictures show, as the flags of picture_flags say it. */
struct picture_view {
    char size[16];   /* WIDTHxHEIGHT in pixels */
    int32_t theme;   /* 0 light, 1 dark */
    char around[64]; /* robot or dock in the middle; "": the middle of the room */
    double span_m;   /* width of what is seen; 0: the whole room */
};

/* --size, --theme, --around, --span: fill a struct picture_view. */
extern const struct flag_group picture_flags;

struct picture_options {
    const char *out;                 /* a file .png or .svg for one picture; or NULL */
    const char *frames;              /* a folder for numbered PNG files; or NULL */
    const struct picture_view *view; /* NULL: the whole room in 1280x800, light */
};

struct picture_feed;

/* Whether the options make sense: the ending of the file, the size. */
bool picture_check(const struct picture_options *options, struct error *error);

/* Starts the painter. NULL, with the reason and a remedy in ERROR, where it cannot be: it is not
 * installed, the folder cannot be made, a size makes no sense. */
struct picture_feed *picture_open(const struct picture_options *options, struct error *error);

/* Hands over the simulation as it is now. Where the painter has not yet taken the last picture,
 * waits for it (IS_PATIENT) or leaves this one out and counts it. False: the painter has ended, and
 * picture_close tells the code. */
bool picture_take(struct picture_feed *feed, const struct sim *sim, bool is_patient);

/* Pictures that were left out. */
uint64_t picture_skipped(const struct picture_feed *feed);

/* Waits for the last picture. False: one could not be written; the painter has said which. */
bool picture_close(struct picture_feed *feed);

/* One picture of a simulation into a file: open, take, close. The painter says on the standard
 * error what it cannot write. */
bool picture_write(const struct sim *sim, const struct picture_options *options,
                   struct error *error);

struct picture_log_options {
    char folder[PATH_MAX]; /* "": none */
    double per_s;          /* of simulated time */
    struct picture_view view;
};

struct picture_log;

/* Starts the painter and makes the folder where it is missing. Where it IS_PATIENT, time waits for
 * the painter; else pictures that it has no time for are left out, counted, and never cost the wire
 * anything. NULL with ERROR. SIM and OPTIONS outlive it. */
struct picture_log *picture_log_open(const struct picture_log_options *options,
                                     const struct sim *sim, bool is_patient, struct error *error);

/* Hands over a picture if one is due; call it after each step. */
void picture_log_step(struct picture_log *log);

/* Waits for the last picture, and says how many were left out. False, with the reason, if one could
 * not be written. NULL is allowed. */
bool picture_log_close(struct picture_log *log, struct error *error);

#endif
