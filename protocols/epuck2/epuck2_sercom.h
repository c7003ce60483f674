/* The serial protocol of the main processor, "advanced sercom v2" (Asercom2.c): lines of text, and
 * batches of binary commands. */
#ifndef PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_SERCOM_H
#define PTYBOT_PROTOCOLS_EPUCK2_EPUCK2_SERCOM_H

#include "protocols/epuck2/epuck2_state.h"

enum { EPUCK2_SERCOM_FRAME_MAX = 8192 }; /* answers and one picture */

void epuck2_sercom_reset(struct epuck2_state *state, int64_t now_us);

void epuck2_sercom_rx(struct epuck2_state *state, const uint8_t *bytes, size_t size,
                      int64_t now_us);

/* Ends a wait, and sends what is ready. */
void epuck2_sercom_send(struct epuck2_state *state, const struct robot_image *image,
                        const struct robot_tx *tx, int64_t now_us);

/* ---- Between the files of the protocol ---- */

/* Adds to the answers. What finds no room is gone, and counted. */
void epuck2_sercom_add(struct epuck2_state *state, const void *bytes, size_t size);

/* Reads on only at that time. */
void epuck2_sercom_wait(struct epuck2_state *state, enum epuck2_wait waiting, int64_t until_us);

/* One line, NUL-terminated, without its end. */
void epuck2_sercom_line(struct epuck2_state *state, const char *line, int64_t now_us);

/* Bytes of arguments of a binary command; -1: there is no such command. */
int epuck2_sercom_arguments(uint8_t code);

/* One binary command with all its arguments. */
void epuck2_sercom_binary(struct epuck2_state *state, uint8_t code, const uint8_t *arguments,
                          int64_t now_us);

#endif
