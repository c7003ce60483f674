/* Turns wall-clock time into steps. Deadlines are absolute; a small lag is caught up, a large one
 * is dropped. */
#include "app/time/pacer.h"

#include <math.h>

static const double step_ns = SIM_STEP_US * 1000.0;

void pacer_init(struct pacer *pacer, enum pacer_mode mode)
{
    *pacer = (struct pacer){.mode = mode, .lag_max_ns = PACER_LAG_MAX_NS};
}

/* Wall-clock deadline of a step, counted from the anchor. */
static int64_t deadline_ns(const struct pacer *pacer, int64_t step)
{
    return pacer->anchor_ns + (int64_t)ceil((double)step * step_ns / pacer->speed);
}

static void anchor(struct pacer *pacer, double speed, int64_t now_ns)
{
    pacer->is_anchored = true;
    pacer->speed = speed;
    pacer->anchor_ns = now_ns;
    pacer->steps = 0;
}

static void cut_lag(struct pacer *pacer, struct pace *pace, int64_t late_ns)
{
    if (late_ns > pacer->stats.late_max_ns)
        pacer->stats.late_max_ns = late_ns;
    pace->late_ms = (double)pacer->stats.late_max_ns * 1e-6;
    if (late_ns <= pacer->lag_max_ns)
        return;
    pacer->stats.late_ns = late_ns;
    pacer->anchor_ns += late_ns - pacer->lag_max_ns;
    pacer->stats.dropped_ns += late_ns - pacer->lag_max_ns;
    pacer->stats.drops++;
    pace->dropped_s = (double)pacer->stats.dropped_ns * 1e-9;
}

static struct pacer_due real_time(struct pacer *pacer, struct pace *pace, int64_t now_ns)
{
    if (!pacer->is_anchored || pacer->speed != pace->speed)
        anchor(pacer, pace->speed, now_ns);
    int64_t next_ns = deadline_ns(pacer, pacer->steps + 1);
    if (next_ns > now_ns)
        return (struct pacer_due){.wake_ns = next_ns};
    cut_lag(pacer, pace, now_ns - next_ns);

    // The quotient may be off by a rounding error; the deadlines decide.
    double elapsed_ns = (double)(now_ns - pacer->anchor_ns);
    int64_t due = (int64_t)floor(elapsed_ns * pacer->speed / step_ns);
    while (deadline_ns(pacer, due) > now_ns)
        due--;
    while (deadline_ns(pacer, due + 1) <= now_ns)
        due++;
    return (struct pacer_due){.steps = due - pacer->steps, .wake_ns = now_ns};
}

struct pacer_due pacer_due(struct pacer *pacer, struct pace *pace, int64_t now_ns)
{
    if (pacer->mode == PACER_LOCKSTEP)
        pace->is_paused = true;
    if (pace->is_paused) {
        pacer->is_anchored = false;
        return (struct pacer_due){
            .steps = pace->steps_wanted,
            .wake_ns = pace->steps_wanted > 0 ? now_ns : PACER_NEVER,
        };
    }
    pace->steps_wanted = 0;
    if (pacer->mode == PACER_FAST)
        return (struct pacer_due){.steps = INT64_MAX, .wake_ns = now_ns};
    return real_time(pacer, pace, now_ns);
}

int64_t pacer_next_ns(const struct pacer *pacer)
{
    return pacer->is_anchored ? deadline_ns(pacer, pacer->steps + 1) : PACER_NEVER;
}

void pacer_stepped(struct pacer *pacer, struct pace *pace)
{
    pacer->stats.steps++;
    if (!pace->is_paused)
        pacer->steps++;
    else if (pace->steps_wanted > 0)
        pace->steps_wanted--;
}
