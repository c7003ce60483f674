/* Past data that only observers need: the last frames of each channel, and the trail of each robot.
 * It is recorded from the creation of the watch on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/watch/frame_ring.h"

struct sim;

enum { WATCH_TRAIL_MAX = 256 }; /* chosen: with the spacing in watch.c, about ten meters */

/* The last positions, as a ring: the newest is point[(total - 1) % WATCH_TRAIL_MAX]. */
struct watch_trail {
    uint64_t total;
    struct {
        float x_m, y_m;
    } point[WATCH_TRAIL_MAX];
};

/* Trails of one robot. */
struct watch_trails {
    struct watch_trail truth;
    struct watch_trail belief; /* poses calculated by the driver, since it connected */
};

struct watch;

/* The data that is recorded. A picture shows trails, a window also frames. */
enum watch_what { WATCH_TRAILS, WATCH_TRAILS_AND_FRAMES };

/* Begins to record; allocates all memory. NULL: out of memory. */
struct watch *watch_create(struct sim *sim, enum watch_what what);
/* Must be called before the end of the simulation. NULL is allowed. */
void watch_destroy(struct watch *watch);

/* Two rings, by enum wire_direction; NULL if frames are not recorded. */
const struct frame_ring *watch_frames(const struct watch *watch, size_t channel);
const struct watch_trails *watch_trails(const struct watch *watch, size_t robot);
