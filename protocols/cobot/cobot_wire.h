/* The messages of the COBOT protocol as plain structs with field tables, and their frames: header
 * (CD to the robot, FD to the host), length of function and data, function, data, XOR over function
 * and data. A signed value is a sign byte (00: +, 01: -) and a magnitude. Source: the public
 * document "COBOT 4WD ROS robot protocol"; for the frames, its items 4 and 5. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

/* A number as its sign and its magnitude. */
#define COBOT_SIGNED(name)                                                                         \
    uint8_t name##_sign;                                                                           \
    uint16_t name

/* Messages 01 (to the robot) and 02 (to the host). */
struct cobot_move {
    COBOT_SIGNED(x);
    COBOT_SIGNED(y);
    COBOT_SIGNED(turn);
};

struct cobot_motors {
    uint16_t motor1, motor2, motor3, motor4;
};

struct cobot_battery {
    uint8_t voltage;
};

struct cobot_attitude {
    COBOT_SIGNED(pitch);
    COBOT_SIGNED(roll);
    COBOT_SIGNED(yaw);
};

struct cobot_imu {
    COBOT_SIGNED(gyro_x);
    COBOT_SIGNED(gyro_y);
    COBOT_SIGNED(gyro_z);
    COBOT_SIGNED(accel_x);
    COBOT_SIGNED(accel_y);
    COBOT_SIGNED(accel_z);
    COBOT_SIGNED(quat_w);
    COBOT_SIGNED(quat_x);
    COBOT_SIGNED(quat_y);
    COBOT_SIGNED(quat_z);
};

struct cobot_model_report {
    uint8_t model;
};

/* Not a frame: one ASCII letter on the Bluetooth channel. */
struct cobot_letter {
    uint8_t letter;
};

extern const struct wire_packet cobot_motion_packet; /* 01, struct cobot_move */
extern const struct wire_packet cobot_letter_packet;
extern const struct wire_packet cobot_velocity_packet; /* 02, struct cobot_move */
extern const struct wire_packet cobot_motors_packet;   /* 03 */
extern const struct wire_packet cobot_battery_packet;  /* 04 */
extern const struct wire_packet cobot_attitude_packet; /* 05 */
extern const struct wire_packet cobot_imu_packet;      /* 06 */
extern const struct wire_packet cobot_model_packet;    /* 07, struct cobot_model_report */

/* All packets, NULL-terminated. */
extern const struct wire_packet *const cobot_packets[];

/* Splits a number in wire units into sign and magnitude as the firmware does: truncated toward
 * zero; 0 has the sign byte 0. */
void cobot_put_signed(double value, uint8_t *sign, uint16_t *magnitude);

/* Whether the Bluetooth channel supports the letter. */
bool cobot_letter_is_known(uint8_t letter);

enum {
    COBOT_FRAME_EXTRA = 3, /* header, length, checksum */
    COBOT_LENGTH_MAX = 31, /* message 06; chosen as the limit for both directions */
    COBOT_FRAME_MAX = COBOT_LENGTH_MAX + COBOT_FRAME_EXTRA,
};

struct cobot_part {
    uint8_t function;
    const uint8_t *data;
    size_t size; /* of the data */
};

/* Framing for observers. In the framing of the Bluetooth channel to the robot, letters are packets
 * too. */
extern const struct wire_framing cobot_framing_to_host, cobot_framing_to_robot,
    cobot_framing_bluetooth;

/* ---- Receiving. The framer keeps bytes until they are a frame or cannot become one. Therefore it
 * also finds a frame that begins inside a broken one. All zero is the initial state. ---- */

struct cobot_framer {
    uint8_t used;    /* bytes held */
    uint8_t taken;   /* leading bytes that were returned as a frame */
    uint8_t spoiled; /* leading bytes of a frame that already counts as bad */
    uint8_t bytes[COBOT_FRAME_MAX];
};

enum cobot_found {
    COBOT_FOUND_NOTHING, /* more bytes are needed */
    COBOT_FOUND_FRAME,
    COBOT_FOUND_BAD_FRAME, /* wrong checksum or impossible length */
    COBOT_FOUND_STRAY,     /* a byte outside frames; it is in the member FUNCTION of PART */
};

/* Adds a byte. There is always room after cobot_framer_next has returned COBOT_FOUND_NOTHING. */
void cobot_framer_push(struct cobot_framer *framer, uint8_t byte);

/* Returns the item at the front of the held bytes. Fills PART for a frame and for a stray byte; the
 * framer owns its data until the next call. Call it after every push until it returns
 * COBOT_FOUND_NOTHING. */
enum cobot_found cobot_framer_next(struct cobot_framer *framer, struct cobot_part *part);

/* ---- Complete frames ---- */

/* Writes MESSAGE as a frame into OUT (COBOT_FRAME_MAX bytes); returns its size. */
size_t cobot_frame_write(const struct wire_packet *packet, const void *message, uint8_t *out);
