/* Requests of the host and the replies to them. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Obeys the request that the framer has just completed, and queues the reply. */
void diff_board_host_obey(struct diff_board_state *state, int64_t now_us);

/* When the next reply is due; ROBOT_NEVER: none waits. */
int64_t diff_board_host_due(const struct diff_board_replies *replies);

/* Sends what is due by NOW, as far as the wire has room. */
void diff_board_host_send(struct diff_board_state *state, const struct robot_tx *tx,
                          int64_t now_us);

/* Drops all waiting replies. */
void diff_board_host_clear(struct diff_board_replies *replies);
