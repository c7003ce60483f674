/* An Arduino with the ASCII protocol of ros_arduino_bridge, on the robot of the fork that most
 * people copy. README.md beside this file says what is exact, approximated and not emulated. */
#pragma once

#include "protocols/robot.h"

extern const struct robot_type ros_arduino_bridge_type;
