/* A driver's side of a TurtleBot3: requests of Dynamixel 2.0, the table of its board, its odometry.
 * Written from the e-manual and the table of the firmware. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct turtlebot3_client {
    int port;
    uint8_t beat;
    bool has_odometry;
    int32_t left, right; /* counts of the last reading */
    double yaw_rad;
    double x_m, y_m, heading_rad; /* from the place of the first reading */
    unsigned long readings, failures;
};

/* Opens PATH and checks the board. NULL, or the problem. */
const char *turtlebot3_open(struct turtlebot3_client *self, const char *path);

/* A heartbeat, a command, a reading of the table: false if one of them has no good answer. */
bool turtlebot3_round(struct turtlebot3_client *self, double v_m_s, double w_rad_s);
