/* How long a process may take to answer. Neither the clock of the wall nor a busy machine counts: a
 * process may compute for so long, or sleep for so long, together with those it has started. A
 * process that sleeps in each answer may do so for a while only, or a run would have no end in
 * sight. */
#ifndef PTYBOT_APP_FIRMWARE_PATIENCE_H
#define PTYBOT_APP_FIRMWARE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define PATIENCE_LOOK_US 10000 /* how often to look */

/* All zero: nothing was asked yet. */
struct patience {
    bool has_begun;
    double began_cpu_s; /* of the process, when it was first looked at */
    double cpu_s;
    int64_t looked_us;   /* when, by the clock that the wait goes by */
    int64_t idle_us;     /* between looks that found it asleep, without a break */
    int64_t all_idle_us; /* the same over all answers, less PATIENCE_LOOK_US for each */
};

/* Begins the wait for the next answer. */
void patience_begin(struct patience *patience);

/* Looks at a process that has not answered for PATIENCE_LOOK_US, at NOW_US. False, with how it
 * fails in ERROR: it computes or sleeps for too long. */
bool patience_look(struct patience *patience, pid_t process, int64_t now_us, struct error *error);

#endif
