/* The serial protocol of the main processor, "advanced sercom v2" (Asercom2.c): lines of text, and
 * batches of binary commands. This file receives and sends; epuck2_sercom_commands executes the
 * commands. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

enum { EPUCK2_SERCOM_FRAME_MAX = 8192 }; /* answers and a picture */

void epuck2_sercom_reset(struct epuck2_state *state, bool has_booted, int64_t now_us);

void epuck2_sercom_rx(struct epuck2_state *state, const uint8_t *bytes, size_t size,
                      int64_t now_us);

/* Ends a wait, and sends the answers that are ready. */
void epuck2_sercom_send(struct epuck2_state *state, const struct robot_image *image,
                        const struct robot_tx *tx, int64_t now_us);
