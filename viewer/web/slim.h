/* A snapshot for a stream: what a page neither draws nor has asked for is left out, and what moves
 * is rounded to what can be seen, so that few bytes change. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

enum { SLIM_ROBOTS_MAX = 1024 }; /* chosen: more robots than a scene holds are never asked for */

/* Robots of which a page shows all: signals, frames, counters, camera. */
struct slim_wishes {
    uint32_t robots[SLIM_ROBOTS_MAX / 32]; /* as bits */
};

/* Changes SNAPSHOT, a copy. IS_EXACT: nothing is rounded, as for a picture of a run that stands. */
void slim_snapshot(struct snapshot *snapshot, const struct slim_wishes *wishes, bool is_exact);
