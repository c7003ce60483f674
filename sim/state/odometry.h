/* Where the host of a robot believes it to be: what the firmware reports of its motion, integrated
 * as drivers in the field do, from the true pose at which the host connected. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"

struct odometry {
    uint64_t hosts;     /* that have come so far */
    bool has_last;      /* LAST is a report to the present host */
    bool is_fresh;      /* the last pass of the firmware moved WAY on, if only by nothing */
    struct pose anchor; /* true pose when the host came */
    struct pose way;    /* believed, since then, in the frame of the anchor */
    struct pose pose;   /* the same in the room; before the first host, where the robot starts */
    struct robot_odometry last;
    int64_t last_us;
};

/* No host was there yet. */
void odometry_init(struct odometry *odometry, struct pose start);

/* A host came: its odometry begins at the true pose. */
void odometry_begin(struct odometry *odometry, struct pose truth);

/* After a pass of the firmware. */
void odometry_follow(struct odometry *odometry, const struct robot_type *type, const void *state,
                     int64_t now_us);
