/* Robots in C outside this repository: the robot interface and the helpers for wire protocols. Link
 * ptybot::robot (find_package(ptybot)), end with ROBOT_OBJECT(my_robot, &my_robot_type), and write
 * `type: ./libmy_robot.so:my_robot` in a scene. `ptybot new robot NAME` writes a template. */
#ifndef PTYBOT_ROBOT_H
#define PTYBOT_ROBOT_H

#include "base/angle.h"
#include "base/array.h"
#include "base/number.h"
#include "base/rng.h"
#include "protocols/framing.h"
#include "protocols/robot.h"
#include "protocols/robot_object.h"
#include "protocols/wire.h"

#endif
