/* Frames of the COBOT protocol: header (CD to the robot, FD to the host), length of function and
 * data, function, data, XOR over function and data. Source: the public document, items 4 and 5. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_FRAMER_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

enum {
    COBOT_FRAME_EXTRA = 3, /* header, length, checksum */
    COBOT_LENGTH_MAX = 31, /* message 06; chosen as the limit in both directions */
    COBOT_FRAME_MAX = COBOT_LENGTH_MAX + COBOT_FRAME_EXTRA,
};

struct cobot_part {
    uint8_t function;
    const uint8_t *data;
    size_t size; /* of the data */
};

/* ---- Receiving. Bytes are kept until they are a frame or cannot become one, so that a frame that
 * begins inside a broken one is found. All zero is the start. ---- */

struct cobot_framer {
    uint8_t used;    /* bytes held */
    uint8_t taken;   /* leading bytes that were handed out as a frame */
    uint8_t spoiled; /* leading bytes that belong to a frame already counted as bad */
    uint8_t bytes[COBOT_FRAME_MAX];
};

enum cobot_found {
    COBOT_FOUND_NOTHING, /* more bytes are needed */
    COBOT_FOUND_FRAME,
    COBOT_FOUND_BAD_FRAME, /* wrong checksum or impossible length */
    COBOT_FOUND_STRAY,     /* one byte outside any frame: the function of PART */
};

/* Adds one byte. There is always room after cobot_framer_next has found nothing. */
void cobot_framer_push(struct cobot_framer *framer, uint8_t byte);

/* What the bytes held begin with. PART is filled for a frame and a stray byte; its data are owned
 * by the framer and die with the next call. Call it after every push until it finds nothing. */
enum cobot_found cobot_framer_next(struct cobot_framer *framer, struct cobot_part *part);

/* ---- Whole frames ---- */

/* The part of one whole, good frame. False: it is none. */
bool cobot_frame_part(enum wire_direction direction, const uint8_t *frame, size_t size,
                      struct cobot_part *part);

/* Writes MESSAGE as a frame into OUT (COBOT_FRAME_MAX bytes); returns its size. */
size_t cobot_frame_write(const struct wire_packet *packet, const void *message, uint8_t *out);

#endif
