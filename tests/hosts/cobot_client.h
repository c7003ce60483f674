/* Driver side of the public COBOT protocol ("COBOT 4WD ROS robot protocol") over a serial port. One
 * thread, plain libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COBOT_FUNCTIONS = 8, COBOT_COMMAND_SIZE = 13, COBOT_MESSAGE_MAX = 34 };

/* Values of the last messages; forward, left and counter-clockwise are positive, except for yaw. */
struct cobot_reading {
    double x_m_s, y_m_s, turn_rad_s;
    unsigned motor[4];
    double battery_v;
    double pitch_deg, roll_deg, yaw_deg; /* yaw grows clockwise */
    double gyro_rad_s[3], accel_g[3], quaternion[4];
    unsigned model; /* 1 Ackermann, 2 differential, 3 mecanum, 4 tracked; 0 unknown */
};

struct cobot_client {
    int descriptor;
    struct cobot_reading reading;
    uint64_t messages[COBOT_FUNCTIONS]; /* good messages, by function */
    uint64_t bad, skipped;              /* wrong checksum or length; bytes outside messages */
    double x_m, y_m, heading_rad;       /* odometry: message 02 over 50 ms each */

    uint8_t message[COBOT_MESSAGE_MAX]; /* the message being received */
    size_t size;
};

/* Opens PATH in raw mode at 115200 8N1. Returns NULL, or an error message. */
const char *cobot_client_open(struct cobot_client *self, const char *path);
void cobot_client_close(struct cobot_client *self);

/* Takes one byte from the robot. Returns the function of the message that it completes, or 0. */
unsigned cobot_client_push(struct cobot_client *self, uint8_t byte);

/* Reads until a message with this function has arrived. False: no byte for TIMEOUT_MS, or the cable
 * was pulled. */
bool cobot_client_wait(struct cobot_client *self, unsigned function, int timeout_ms);

/* Message 01: mm/s, mm/s, and 0.01 rad/s (degrees for Ackermann). False: it could not be sent. */
bool cobot_client_move(struct cobot_client *self, int x, int y, int turn);

/* The same as bytes. */
void cobot_move(uint8_t out[COBOT_COMMAND_SIZE], int x, int y, int turn);
