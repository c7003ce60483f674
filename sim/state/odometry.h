/* Pose that a driver calculates from the robot's reports: the reported motion, integrated as real
 * drivers do, starting at the true pose when the driver connected. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "physics/geom.h"
#include "protocols/robot.h"

struct odometry {
    uint64_t hosts;     /* number of drivers that have connected */
    bool has_last;      /* LAST is a report to the present driver */
    bool is_fresh;      /* the last pass of the firmware updated WAY, even if the motion was zero */
    struct pose anchor; /* true pose when the driver connected */
    struct pose way;    /* estimated motion since then, in the frame of the anchor */
    struct pose pose;   /* the same in the room; before the first driver, the robot's start pose */
    struct robot_odometry last;
    int64_t last_us;
};

/* Initial state: no driver has connected yet. */
void odometry_init(struct odometry *odometry, struct pose start);

/* A driver connected: its odometry begins at the true pose. */
void odometry_begin(struct odometry *odometry, struct pose truth);

/* Updates the odometry after a pass of the firmware. */
void odometry_follow(struct odometry *odometry, const struct robot_type *type, const void *state,
                     int64_t now_us);
