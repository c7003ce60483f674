/* The inertial unit: attitude, gyro and accelerometer of one motion. (Encoders: cobot_motion.) */
#pragma once

#include "protocols/cobot/cobot_state.h"

/* Takes a sample; once a control pass. */
void cobot_imu_sample(struct cobot_state *state, const struct robot_sensors *sensors);

/* Messages 05 and 06 of now. */
void cobot_imu_fill_attitude(struct cobot_state *state, const struct robot_sensors *sensors);
void cobot_imu_fill_raw(struct cobot_state *state, const struct robot_sensors *sensors);
