/* What the robot does by itself in passive mode: spot, clean, max, seek dock. Plain motions: the
 * maker's cleaning patterns are not published. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Begins a behaviour. Where the same kind of cycle runs already, or any while BUTTON is pressed
 * again, it ends instead (OI: "pauses"). */
void create2_conduct_begin(struct create2_state *state, enum create2_behaviour kind,
                           int64_t now_us);

/* Ends it; the wheels stop. */
void create2_conduct_end(struct create2_state *state);

/* One decision, once in a slot. */
void create2_conduct_step(struct create2_state *state, int64_t now_us);
