/* The pose that the firmware computes, updated every 100 ms; and the inertial sensors that are
 * connected to the board: GY65, GY85 or GY87. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Sets message and sums to 0. The counters follow at the next tick. */
void diff_board_odometry_clear(struct diff_board_state *state);

/* Updates the pose from the encoders. */
void diff_board_odometry_update(struct diff_board_state *state);

/* Reads the sensors into the message, and sets the time of the next reading. */
void diff_board_imu_update(struct diff_board_state *state, const struct robot_sensors *sensors);
