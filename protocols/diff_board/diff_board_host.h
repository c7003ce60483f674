/* Requests of the host and the replies to them. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* Takes bytes of the host. A board executes each complete request and queues the reply. A mega2560
 * does so when its loop is free, and loses bytes if its port has no room. */
void diff_board_host_hear(struct diff_board_state *state, const uint8_t *bytes, size_t size,
                          int64_t now_us);

/* Executes the requests that wait in the port, as far as the loop is free by NOW_US. */
void diff_board_host_read(struct diff_board_state *state, int64_t now_us);

/* Time of the next reply; ROBOT_NEVER: no reply waits. */
int64_t diff_board_host_due(const struct diff_board_replies *replies);

/* Sends the replies that are due by NOW_US, as far as the wire has room. */
void diff_board_host_send(struct diff_board_state *state, const struct robot_tx *tx,
                          int64_t now_us);
