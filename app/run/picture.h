/* Pictures of a simulation, painted by a process of its own (ptybot-viewer) that is fed with
 * snapshots, so that painting costs the simulation no more than a copy. */
#ifndef PTYBOT_APP_RUN_PICTURE_H
#define PTYBOT_APP_RUN_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/sim.h"

struct picture_options {
    const char *out;    /* a file .png or .svg for one picture; or NULL */
    const char *frames; /* a folder for numbered PNG files; or NULL */
    const char *size;   /* WIDTHxHEIGHT in pixels; NULL: 1280x800 */
    const char *theme;  /* light or dark; NULL: light */
    const char *around; /* a robot in the middle; NULL: the middle of the room */
    double span_m;      /* width of what is seen; 0: the whole room */
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

#endif
