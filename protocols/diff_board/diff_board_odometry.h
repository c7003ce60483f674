/* What the firmware believes of its way, refreshed every 100 ms. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_ODOMETRY_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_ODOMETRY_H

#include "protocols/diff_board/diff_board_state.h"

/* All 0, message and sums alike; the counters follow at the next tick. */
void diff_board_odometry_clear(struct diff_board_state *state);

/* One update from the encoders. */
void diff_board_odometry_update(struct diff_board_state *state);

#endif
