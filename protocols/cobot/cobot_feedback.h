/* What the board sends by itself from power-on. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_FEEDBACK_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_FEEDBACK_H

#include "protocols/cobot/cobot_state.h"

void cobot_feedback_reset(struct cobot_state *state, int64_t now_us);

/* When the next message is due. */
int64_t cobot_feedback_due(const struct cobot_state *state);

/* Sends what is due at DUE_US and sets the times of the next. */
void cobot_feedback_send(struct cobot_state *state, const struct robot_sensors *sensors,
                         const struct robot_tx *tx, int64_t due_us);

#endif
