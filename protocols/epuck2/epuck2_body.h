/* The machine for given options, and its appearance from above. */
#pragma once

#include "protocols/robot.h"

/* The rays of proximity and ToF sensors start this far behind the position of the sensor. */
#define EPUCK2_SET_BACK_M 0.010

#define EPUCK2_PROX_RANGE_M 0.10  /* sensor sees nothing beyond (Webots) */
#define EPUCK2_TOF_RANGE_M  2.0   /* long-range mode (VL53L0X) */
#define EPUCK2_GROUND_Z_M   0.003 /* chosen: height of the extension above the floor */

/* See robot_type.body. */
void epuck2_body(const void *options, struct robot_body *body);

extern const struct appearance_list epuck2_appearance;
