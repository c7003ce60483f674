/* `--frames`: a run as numbered pictures, evenly spaced in simulated time. */
#ifndef PTYBOT_APP_RECORD_FRAME_LOG_H
#define PTYBOT_APP_RECORD_FRAME_LOG_H

#include <limits.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/sim.h"

/* Words of `--theme`, in the order of its numbers. */
extern const char *const frame_log_themes[];

struct frame_log_options {
    char folder[PATH_MAX]; /* "": none */
    double per_s;          /* of simulated time */
    char size[16];         /* WIDTHxHEIGHT */
    int32_t theme;         /* of frame_log_themes */
    char around[64];       /* robot or dock in the middle; "": the room */
    double span_m;         /* width of what is seen; 0: the whole room */
};

struct frame_log;

/* Starts the painter and makes the folder where it is missing. Where it IS_PATIENT, time waits for
 * the painter; else pictures that it has no time for are left out, counted, and never cost the wire
 * anything. NULL with ERROR. SIM and OPTIONS outlive it. */
struct frame_log *frame_log_open(const struct frame_log_options *options, const struct sim *sim,
                                 bool is_patient, struct error *error);

/* Hands over a picture if one is due; call it after each step. */
void frame_log_step(struct frame_log *log);

/* Waits for the last picture, and says how many were left out. False, with the reason, if one could
 * not be written. NULL is allowed. */
bool frame_log_close(struct frame_log *log, struct error *error);

#endif
