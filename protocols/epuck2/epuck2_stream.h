/* The loop of the WiFi firmware (socket_e-puck2.c): one client, the last command obeyed and what it
 * requests sent at each turn, for ever. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_STREAM_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_STREAM_H

#include "protocols/epuck2/epuck2_state.h"

enum { EPUCK2_STREAM_FRAME_MAX = 1 + EPUCK2_IMAGE_SIZE };

void epuck2_stream_reset(struct epuck2_state *state);

/* A client came or went. */
void epuck2_stream_host(struct epuck2_state *state, bool present, int64_t now_us);

/* A command has arrived whole. */
void epuck2_stream_arrived(struct epuck2_state *state, int64_t now_us);

/* One look at a silent client, 100 Hz. */
void epuck2_stream_look(struct epuck2_state *state, int64_t now_us);

/* One turn of the loop. */
void epuck2_stream_turn(struct epuck2_state *state, const struct robot_image *image,
                        const struct robot_tx *tx, int64_t now_us);

#endif
