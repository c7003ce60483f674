/* The messages of the COBOT protocol: one struct and one field table each, both directions. A
 * signed value is a sign byte (00: +, 01: -) and a magnitude. Source: the public document "COBOT
 * 4WD ROS robot protocol". */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_PACKETS_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

/* Messages 01 (to the robot) and 02 (to the host). */
struct cobot_move {
    uint8_t x_sign;
    uint16_t x;
    uint8_t y_sign;
    uint16_t y;
    uint8_t turn_sign;
    uint16_t turn;
};

struct cobot_motors {
    uint16_t motor1, motor2, motor3, motor4;
};

struct cobot_battery {
    uint8_t voltage;
};

struct cobot_attitude {
    uint8_t pitch_sign;
    uint16_t pitch;
    uint8_t roll_sign;
    uint16_t roll;
    uint8_t yaw_sign;
    uint16_t yaw;
};

struct cobot_imu {
    uint8_t gyro_x_sign;
    uint16_t gyro_x;
    uint8_t gyro_y_sign;
    uint16_t gyro_y;
    uint8_t gyro_z_sign;
    uint16_t gyro_z;
    uint8_t accel_x_sign;
    uint16_t accel_x;
    uint8_t accel_y_sign;
    uint16_t accel_y;
    uint8_t accel_z_sign;
    uint16_t accel_z;
    uint8_t quat_w_sign;
    uint16_t quat_w;
    uint8_t quat_x_sign;
    uint16_t quat_x;
    uint8_t quat_y_sign;
    uint16_t quat_y;
    uint8_t quat_z_sign;
    uint16_t quat_z;
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

enum { COBOT_PACKET_COUNT = 8 };
extern const struct wire_packet *const cobot_packets[COBOT_PACKET_COUNT];

/* The message with that function, or NULL. */
const struct wire_packet *cobot_packet_find(enum wire_direction direction, uint8_t function);

/* Splits a number in wire units as the firmware does: truncated toward zero, 0 with sign byte 0. */
void cobot_put_signed(double value, uint8_t *sign, uint16_t *magnitude);

/* Whether the Bluetooth channel knows the letter. */
bool cobot_letter_is_known(uint8_t letter);

#endif
