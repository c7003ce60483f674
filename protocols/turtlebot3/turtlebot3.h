/* The TurtleBot3 as a virtual robot: its OpenCR board as a Dynamixel 2.0 device on a USB serial
 * port, with the firmware for ROS 2. README.md lists exact, approximated and missing features. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type turtlebot3_burger_type, turtlebot3_waffle_type,
    turtlebot3_waffle_pi_type;

enum turtlebot3_imu { TURTLEBOT3_ICM20648, TURTLEBOT3_MPU9250 };

/* Filled by the options of all types; turtlebot3.c has unit, range and default of each. */
struct turtlebot3_options {
    int32_t library; /* enum dynamixel2_library */
    int32_t imu;     /* enum turtlebot3_imu */
    int64_t firmware;
    bool has_motors, has_accessories, has_noise;
    double battery_v, boot_s, reply_min_s, reply_max_s;
};
