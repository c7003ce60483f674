/* What the main processor does with the actuator bytes, whoever sends them. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_ACTUATE_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_ACTUATE_H

#include "protocols/epuck2/epuck2_state.h"

/* Obeys all bytes of a command but its request. Returns when the main processor is free again: it
 * answers nothing while it calibrates, and waits for a note to end. */
int64_t epuck2_actuate(struct epuck2_state *state, const struct epuck2_command *command,
                       int64_t now_us);

#endif
