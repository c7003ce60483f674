/* Where a robot has been, and where its host believes that it is: the odometry that follows from
 * what the firmware reports. For people to look at; nothing depends on it. */
#ifndef PTYBOT_SIM_STATE_ODOMETRY_H
#define PTYBOT_SIM_STATE_ODOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"

enum { TOLD_TRAIL_MAX = 256 }; /* chosen: with the spacing in told.c, some ten meters */

/* The last places, as a ring: the newest is point[(total - 1) % TOLD_TRAIL_MAX]. */
struct told_trail {
    uint64_t total;
    struct {
        float x_m, y_m;
    } point[TOLD_TRAIL_MAX];
};

struct told_track {
    bool has_host;      /* a host was there, so there is somebody to believe */
    bool has_last;      /* LAST is a report of this host's time */
    struct pose anchor; /* true pose when the host came */
    struct pose pose;   /* believed, since then */
    struct robot_told last;
    int64_t last_us;
    struct told_trail truth, belief;
};

/* A host came: its odometry begins at the true pose. */
void told_begin(struct told_track *track, struct pose truth);

/* After a pass of the firmware. */
void told_follow(struct told_track *track, const struct robot_type *type, const void *state,
                 struct pose truth, int64_t now_us);

/* What the host believes, in the room's frame. */
struct pose told_pose(const struct told_track *track);

#endif
