/* An Arduino with the ASCII protocol of ros_arduino_bridge, on the robot of the fork that most
 * people copy. README.md beside this file says what is exact, approximated and not emulated. */
#ifndef PTYBOT_PROTOCOLS_ROS_ARDUINO_BRIDGE_ROS_ARDUINO_BRIDGE_H
#define PTYBOT_PROTOCOLS_ROS_ARDUINO_BRIDGE_ROS_ARDUINO_BRIDGE_H

#include "protocols/robot.h"

extern const struct robot_type ros_arduino_bridge_type;

#endif
