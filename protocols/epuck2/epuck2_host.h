/* The loop of the WiFi firmware (socket_e-puck2.c). It has one client. At each turn, without end,
 * it executes the last command again and sends the data that the command requests. The serial host
 * is in epuck2_sercom. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

enum { EPUCK2_HOST_FRAME_MAX = 1 + EPUCK2_IMAGE_SIZE };

/* To be called when a client came or went. */
void epuck2_host_present(struct epuck2_state *state, bool present, int64_t now_us);

/* To be called when a complete command has arrived. */
void epuck2_host_arrived(struct epuck2_state *state, int64_t now_us);

/* Checks whether a silent client has sent its first command, at 100 Hz. */
void epuck2_host_poll(struct epuck2_state *state, int64_t now_us);

/* One turn of the loop. */
void epuck2_host_turn(struct epuck2_state *state, const struct robot_image *image,
                      const struct robot_tx *tx, int64_t now_us);

/* Executes a command from any sender as the main processor does: all bytes except the request.
 * Returns the time when the main processor is free again: it does not answer while it calibrates,
 * and waits for the end of a note. */
int64_t epuck2_actuate(struct epuck2_state *state, const struct epuck2_command *command,
                       int64_t now_us);
