/* The loop of the WiFi firmware (socket_e-puck2.c): one client, the last command obeyed and what it
 * requests sent at each turn, for ever. The serial host: epuck2_sercom. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

enum { EPUCK2_HOST_FRAME_MAX = 1 + EPUCK2_IMAGE_SIZE };

/* A client came or went. */
void epuck2_host_present(struct epuck2_state *state, bool present, int64_t now_us);

/* A command has arrived whole. */
void epuck2_host_arrived(struct epuck2_state *state, int64_t now_us);

/* Checks whether a silent client has sent its first command, at 100 Hz. */
void epuck2_host_poll(struct epuck2_state *state, int64_t now_us);

/* One turn of the loop. */
void epuck2_host_turn(struct epuck2_state *state, const struct robot_image *image,
                      const struct robot_tx *tx, int64_t now_us);

/* Does what the main processor does with a command, whoever sends it: obeys all bytes but the
 * request. Returns when the main processor is free again: it does not answer while it calibrates,
 * and waits for a note to end. */
int64_t epuck2_actuate(struct epuck2_state *state, const struct epuck2_command *command,
                       int64_t now_us);
