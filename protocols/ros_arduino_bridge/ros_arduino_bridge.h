/* An Arduino with the ASCII protocol of ros_arduino_bridge, on the robot of the most frequently
 * copied fork. README.md in this folder lists which behavior is exact, approximated or not
 * emulated. */
#pragma once

#include "protocols/robot.h"

extern const struct robot_type ros_arduino_bridge_type;
