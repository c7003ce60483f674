/* Frames of the PIBOT protocol: 5A, id, length, body, sum of all bytes before it. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_FRAMER_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

enum {
    DIFF_BOARD_FRAME_HEAD = 3, /* 5A, id, length */
    DIFF_BOARD_FRAME_EXTRA = DIFF_BOARD_FRAME_HEAD + 1,
    DIFF_BOARD_BODY_MAX = 255,
    DIFF_BOARD_REPLY_MAX = 64 + DIFF_BOARD_FRAME_EXTRA, /* the parameter block */
};

/* ---- Receiving: the state machine of the firmware, oddities included. All zero is the start. ----
 */

enum diff_board_wait {
    DIFF_BOARD_WAIT_HEADER,
    DIFF_BOARD_WAIT_ID,
    DIFF_BOARD_WAIT_LENGTH,
    DIFF_BOARD_WAIT_BODY,
    DIFF_BOARD_WAIT_SUM,
};

struct diff_board_framer {
    uint8_t wait; /* enum diff_board_wait */
    uint8_t id, length, used, sum;
    uint8_t body[DIFF_BOARD_BODY_MAX];
};

/* Takes one byte. True: it completed a good frame, whose id and body are in the framer until the
 * next call. IDS: the firmware knows ids below this. There is no time-out between bytes, and bytes
 * of a broken frame are never looked at again. Counts frames, bad_frames, noise_bytes and
 * unknown_ids. */
bool diff_board_framer_push(struct diff_board_framer *framer, uint8_t byte, unsigned ids,
                            struct robot_stats *stats);

/* ---- Whole frames ---- */

/* The body inside one whole, good frame. False: it is none. */
bool diff_board_frame_body(const uint8_t *frame, size_t size, const uint8_t **body,
                           size_t *body_size);

/* Writes a frame that holds MESSAGE (NULL for a packet without fields) into OUT. Returns its size.
 */
size_t diff_board_frame_make(const struct wire_packet *packet, const void *message,
                             uint8_t out[DIFF_BOARD_REPLY_MAX]);

#endif
