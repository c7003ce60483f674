/* The pose that the firmware computes, updated every 100 ms; and the inertial sensors beside the
 * board: GY65, GY85 or GY87. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Sets message and sums to 0; the counters follow at the next tick. */
void diff_board_odometry_clear(struct diff_board_state *state);

/* One update from the encoders. */
void diff_board_odometry_update(struct diff_board_state *state);

/* Reads the sensors into the message, and sets when to do so again. */
void diff_board_imu_update(struct diff_board_state *state, const struct robot_sensors *sensors);
