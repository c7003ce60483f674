/* The rays that a firmware with a scanner asks for: from where it was at that moment, at its
 * height.
 */
#pragma once

#include "sim/state/state.h"

#define LIFT_HEIGHT_M 0.3 /* chosen: held at knee height, out of reach of every floor sensor */

/* For robot_sensors.rays; CAST is NULL where the robot has no scanner. */
struct robot_rays scanner_rays(struct sim_robot *robot);
