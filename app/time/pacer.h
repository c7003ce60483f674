/* Turns wall-clock time into steps. The pacer reads no clock: the loop passes the time, in
 * nanoseconds of one monotonic clock. With --warp, app/drivers/warp.c applies the pacer's lag to
 * the clock of the driver's programs through the memory of pty/shim/clock_shm.h. */
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
    PACER_REAL_TIME, /* wall-clock time x pace.speed */
    PACER_FAST,      /* as fast as possible */
    PACER_LOCKSTEP,  /* only the requested steps */
};

#define PACER_NEVER      INT64_MAX
#define PACER_LAG_MAX_NS INT64_C(100000000) /* set by pacer_init */

struct pacer_stats {
    uint64_t steps;
    uint64_t drops;      /* number of times that a lag was dropped */
    int64_t dropped_ns;  /* total wall-clock time dropped */
    int64_t late_max_ns; /* largest delay of a step behind its deadline */
    int64_t late_ns;     /* delay of the step whose lag was dropped last */
};

struct pacer {
    enum pacer_mode mode;
    bool is_anchored;
    int64_t lag_max_ns; /* a longer lag is not caught up but dropped */
    bool is_awaited;    /* the driver's clock waits for the steps, so a lag has no effect on it */
    double speed;       /* since the anchor */
    int64_t anchor_ns;  /* wall-clock time of step 0 */
    int64_t steps;      /* done since the anchor */
    struct pacer_stats stats;
};

struct pacer_due {
    int64_t steps;   /* to do now; the caller may do fewer and ask again */
    int64_t wake_ns; /* when to ask again at the latest, if nothing is due; or PACER_NEVER */
};

void pacer_init(struct pacer *pacer, enum pacer_mode mode);

/* Returns the steps that are due at NOW_NS. Obeys PACE: while paused, these are the requested
 * steps; requests are discarded while time runs. In lockstep time is always paused. Writes into
 * PACE how late steps were. */
struct pacer_due pacer_due(struct pacer *pacer, struct pace *pace, int64_t now_ns);

/* Wall-clock deadline of the next step; PACER_NEVER while no time passes, for example in a
 * pause. */
int64_t pacer_next_ns(const struct pacer *pacer);

/* Call it after each step. */
void pacer_stepped(struct pacer *pacer, struct pace *pace);
