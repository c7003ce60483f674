/* What the host says, one row a command, and the packet that it is sent every 20 ms. */
#pragma once

#include "protocols/kobuki/kobuki_state.h"

/* Largest packet: all replies and three gyro samples. Even the fastest gyro_rate_hz stays below it.
 */
enum { KOBUKI_FEEDBACK_MAX = 128 };

/* Obeys all sub-payloads of one good frame. */
void kobuki_host_obey(struct kobuki_state *state, const uint8_t *payload, size_t size,
                      int64_t now_us);

/* After the watchdog's time without a frame the host counts as gone. */
void kobuki_host_watch(struct kobuki_state *state, int64_t now_us);

/* Builds the packet from the state and sends it, with the replies that were waiting. */
void kobuki_host_send(struct kobuki_state *state, const struct robot_tx *tx);
