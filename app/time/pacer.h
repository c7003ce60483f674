/* Turns wall time into steps. It reads no clock: the loop passes in the time, in nanoseconds of one
 * monotonic clock. With --warp, app/drivers/warp.c passes its lag on to the programs' clock, by the
 * page of pty/shim/clock_shm.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/links/live.h"
#include "sim/sim.h"

/* --speed, for a subcommand whose options, a struct TAG, have a double as MEMBER. */
#define SPEED_FLAG_ROW(tag, member)                                                                \
    FLAG_NUMBER("speed", "X", tag, member, "", 0.001, 1000, "1",                                   \
                "Simulation speed as a multiple of real time; does not wait for drivers",          \
                .otherwise = "1; of a replay: no limit")

enum pacer_mode {
    PACER_REAL_TIME, /* wall time x pace.speed */
    PACER_FAST,      /* as fast as the machine can */
    PACER_LOCKSTEP,  /* only the steps that were asked for */
};

#define PACER_NEVER      INT64_MAX
#define PACER_LAG_MAX_NS INT64_C(100000000) /* what pacer_init sets */

struct pacer_stats {
    uint64_t steps;
    uint64_t drops;      /* times that a lag was cut */
    int64_t dropped_ns;  /* wall time that was given up by that, in all */
    int64_t late_max_ns; /* how late a step was noticed to be due, at most */
    int64_t late_ns;     /* the same, of the lag that was cut last */
};

struct pacer {
    enum pacer_mode mode;
    bool is_anchored;
    int64_t lag_max_ns; /* a longer lag is not caught up but dropped */
    bool is_awaited;    /* the host's clock waits for the steps, so that a lag harms nobody */
    double speed;       /* of the present anchor */
    int64_t anchor_ns;  /* wall time of step 0 */
    int64_t steps;      /* done since the anchor */
    struct pacer_stats stats;
};

struct pacer_due {
    int64_t steps;   /* to do now; the caller may do fewer and ask again */
    int64_t wake_ns; /* when to ask again at the latest, if nothing is due; or PACER_NEVER */
};

void pacer_init(struct pacer *pacer, enum pacer_mode mode);

/* What is due at NOW. Obeys PACE: while paused, the steps that are wanted; they are forgotten while
 * time runs. In lockstep time is always paused. Notes in PACE how late steps were. */
struct pacer_due pacer_due(struct pacer *pacer, struct pace *pace, int64_t now_ns);

/* Wall time at which the next step is due; PACER_NEVER where no time runs, such as in a pause. */
int64_t pacer_next_ns(const struct pacer *pacer);

/* One step was done: call it after each. */
void pacer_stepped(struct pacer *pacer, struct pace *pace);
