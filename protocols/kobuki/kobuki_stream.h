/* The packet that the robot sends every 20 ms. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_STREAM_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_STREAM_H

#include "protocols/kobuki/kobuki_state.h"

/* Largest packet: all replies and three gyro samples. A fast gyro_rate_hz stays below it. */
enum { KOBUKI_STREAM_FRAME_MAX = 128 };

/* Builds the packet of now from the state and hands it to TX; the replies that waited are gone. */
void kobuki_stream_send(struct kobuki_state *state, const struct robot_tx *tx);

#endif
