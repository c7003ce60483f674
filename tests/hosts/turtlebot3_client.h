/* Driver side of a TurtleBot3: requests of Dynamixel 2.0, the control table of its board, its
 * odometry. Based on the e-manual and the table of the firmware. */
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
    double x_m, y_m, heading_rad; /* relative to the first reading */
    unsigned long readings, failures;
};

/* Opens PATH and checks the board. Returns NULL, or an error message. */
const char *turtlebot3_open(struct turtlebot3_client *self, const char *path);

/* Sends a heartbeat and a command, and reads the table: false if one of them has no good answer. */
bool turtlebot3_round(struct turtlebot3_client *self, double v_m_s, double w_rad_s);
