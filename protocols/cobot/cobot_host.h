/* What hosts say, on either channel, and the messages that the board sends by itself from power-on
 * on. */
#pragma once

#include "protocols/cobot/cobot_state.h"

void cobot_host_reset(struct cobot_state *state, int64_t now_us);

/* Takes one byte from a host and obeys what it completes. */
void cobot_host_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte);

/* When the next message is due. */
int64_t cobot_host_due(const struct cobot_state *state);

/* Sends what is due at DUE_US and sets the times of the next messages. */
void cobot_host_send(struct cobot_state *state, const struct robot_sensors *sensors,
                     const struct robot_tx *tx, int64_t due_us);
