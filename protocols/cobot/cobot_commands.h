/* What hosts say, on either channel. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_COMMANDS_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_COMMANDS_H

#include "protocols/cobot/cobot_state.h"

void cobot_commands_reset(struct cobot_state *state);

/* One byte from a host. */
void cobot_commands_byte(struct cobot_state *state, enum cobot_channel channel, uint8_t byte);

#endif
