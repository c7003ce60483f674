/* Where a robot has been, and where its host believes that it is: the odometry that follows from
 * what the firmware reports. For people to look at; nothing depends on it. */
#ifndef PTYBOT_SIM_STATE_ODOMETRY_H
#define PTYBOT_SIM_STATE_ODOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"

enum { ODOMETRY_TRAIL_MAX = 256 }; /* chosen: with the spacing in told.c, some ten meters */

/* The last places, as a ring: the newest is point[(total - 1) % ODOMETRY_TRAIL_MAX]. */
struct odometry_trail {
    uint64_t total;
    struct {
        float x_m, y_m;
    } point[ODOMETRY_TRAIL_MAX];
};

struct odometry_track {
    bool has_host;      /* a host was there, so there is somebody to believe */
    bool has_last;      /* LAST is a report of this host's time */
    struct pose anchor; /* true pose when the host came */
    struct pose pose;   /* believed, since then */
    struct robot_odometry last;
    int64_t last_us;
    struct odometry_trail truth, belief;
};

/* A host came: its odometry begins at the true pose. */
void odometry_begin(struct odometry_track *track, struct pose truth);

/* After a pass of the firmware. */
void odometry_follow(struct odometry_track *track, const struct robot_type *type, const void *state,
                     struct pose truth, int64_t now_us);

/* What the host believes, in the room's frame. */
struct pose told_pose(const struct odometry_track *track);

#endif
