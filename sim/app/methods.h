/* What the control socket can do: the methods of its JSON-RPC, and what they act upon. */
#ifndef PTYBOT_SIM_APP_METHODS_H
#define PTYBOT_SIM_APP_METHODS_H

#include "sim/app/links.h"
#include "sim/app/rpc.h"
#include "sim/sim.h"

/* The parts of a run that methods reach. Context of each call. */
struct methods_scope {
    struct sim *sim;
    struct links *links;
};

/* get, do, step, pause, speed, list; ends with a row without a name. */
extern const struct rpc_method methods[];

enum methods_fence { METHODS_FENCE_OPEN, METHODS_FENCE_WAITS, METHODS_FENCE_STUCK };

/* Whether the bytes that a step waits for have come: FENCE is its `received`, or NULL. Stuck: the
 * channel in ERROR takes no more before the next step. */
enum methods_fence methods_fence(const struct methods_scope *scope, const json_t *fence,
                                 struct error *error);

/* The reply to a step: time, and the bytes of each channel both ways. */
json_t *methods_totals(const struct methods_scope *scope);

#endif
