/* The inertial sensors beside the board: GY65, GY85 or GY87. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_IMU_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_IMU_H

#include "protocols/diff_board/diff_board_state.h"

/* Reads the sensors into the message, and says when to do so again. */
void diff_board_imu_update(struct diff_board_state *state, const struct robot_sensors *sensors);

#endif
