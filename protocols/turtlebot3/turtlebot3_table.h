/* The control table of the board, and the packets that contain its fields. */
#pragma once

#include "protocols/dynamixel2.h"

/* In the order of the addresses; wire units. */
struct turtlebot3_table {
    uint16_t model_number;
    uint32_t model_information;
    uint8_t firmware, id;
    char gap8;
    uint8_t protocol;
    uint32_t millis;
    uint8_t debug, connected, manipulator;
    char gap17;
    int8_t device_status;
    uint8_t heartbeat, led1, led2, led3, led4;
    char gap24[2];
    uint8_t button1, button2, bumper1, bumper2;
    uint16_t illumination;
    char gap32[2];
    uint32_t infrared;
    float sonar;
    uint32_t battery, battery_percent;
    uint8_t sound;
    char gap51[8];
    uint8_t recalibrate;
    float gyro_x, gyro_y, gyro_z, accel_x, accel_y, accel_z, field_x, field_y, field_z;
    float orientation_w, orientation_x, orientation_y, orientation_z;
    char gap112[8];
    int32_t current_left, current_right, velocity_left, velocity_right;
    int32_t position_left, position_right;
    char gap144[4];
    uint8_t motors_connected, torque;
    int32_t linear_x, linear_y, linear_z, angular_x, angular_y, angular_z;
    uint32_t acceleration_left, acceleration_right;
    /* Not part of the table, but of frames. */
    uint16_t address, count;
    uint8_t value, error;
};

/* Effects of a write. */
enum turtlebot3_effect {
    TURTLEBOT3_SOUND = 1,
    TURTLEBOT3_RECALIBRATE,
    TURTLEBOT3_TORQUE,
    TURTLEBOT3_LINEAR,
    TURTLEBOT3_ANGULAR,
};

enum { TURTLEBOT3_POSITIONS = 136 }; /* address of both positions, 8 bytes */

extern const struct control_table turtlebot3_control;
extern const struct wire_packet turtlebot3_read_packet, turtlebot3_write_packet,
    turtlebot3_write_byte_packet, turtlebot3_velocity_packet, turtlebot3_acceleration_packet,
    turtlebot3_pong_packet, turtlebot3_model_packet, turtlebot3_status_packet,
    turtlebot3_table_packet;
enum { TURTLEBOT3_REQUESTS = 6 };
extern const struct wire_packet *const turtlebot3_packets[]; /* requests first */
extern const struct robot_answer turtlebot3_answers[];
extern const struct wire_framing turtlebot3_framing;

/* Stores a request in the message of its packet, in the order of turtlebot3_packets. */
void turtlebot3_note(struct turtlebot3_table asked[TURTLEBOT3_REQUESTS],
                     const struct dynamixel2_request *request);
