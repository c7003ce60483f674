/* What a host says: one row a command. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_COMMANDS_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_COMMANDS_H

#include "protocols/kobuki/kobuki_state.h"

/* Obeys all sub-payloads of one good frame. */
void kobuki_commands_run(struct kobuki_state *state, const uint8_t *payload, size_t size,
                         int64_t now_us);

/* Silence for the watchdog's time: the host counts as gone. */
void kobuki_commands_watch(struct kobuki_state *state, int64_t now_us);

#endif
