/* What only people who look on need of the past: the last frames of each channel, and where each
 * robot has been. Begins when it is made; before that nothing is kept. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/watch/frame_ring.h"

struct sim;

enum { WATCH_TRAIL_MAX = 256 }; /* chosen: with the spacing in watch.c, some ten meters */

/* The last places, as a ring: the newest is point[(total - 1) % WATCH_TRAIL_MAX]. */
struct watch_trail {
    uint64_t total;
    struct {
        float x_m, y_m;
    } point[WATCH_TRAIL_MAX];
};

/* Of one robot. */
struct watch_trails {
    struct watch_trail truth;
    struct watch_trail belief; /* where its host believes that it has been, since the host came */
};

struct watch;

/* What is kept. A picture shows trails, a window frames too. */
enum watch_what { WATCH_TRAILS, WATCH_TRAILS_AND_FRAMES };

/* Begins to watch; all memory is taken here. NULL where there is none. */
struct watch *watch_create(struct sim *sim, enum watch_what what);
/* Before the end of the simulation. NULL is allowed. */
void watch_destroy(struct watch *watch);

/* Two rings, by enum wire_direction; NULL where no frames are kept. */
const struct frame_ring *watch_frames(const struct watch *watch, size_t channel);
const struct watch_trails *watch_trails(const struct watch *watch, size_t robot);
