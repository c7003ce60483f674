/* Frames of the Kobuki protocol, both directions: AA 55, length, payload, checksum; the payload is
 * a row of sub-payloads (id, length, data). Source: protocol.rst, sections "Structure" and
 * "Checksum". */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_FRAMER_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

enum {
    KOBUKI_FRAME_HEAD = 3,                      /* AA 55 LEN */
    KOBUKI_FRAME_EXTRA = KOBUKI_FRAME_HEAD + 1, /* and the checksum */
    KOBUKI_PAYLOAD_MIN = 3,                     /* id, length, one byte of data */
    KOBUKI_PAYLOAD_MAX = 255,
    KOBUKI_FRAME_MAX = KOBUKI_PAYLOAD_MAX + KOBUKI_FRAME_EXTRA,
};

/* ---- Receiving. Bytes are kept until they are a frame or cannot become one, so that a frame that
 * begins inside a broken one is found. All zero is the start. ---- */

struct kobuki_framer {
    uint16_t used;    /* bytes held */
    uint16_t taken;   /* leading bytes that were handed out as a frame */
    uint16_t spoiled; /* leading bytes that belong to a frame already counted as bad */
    uint8_t bytes[KOBUKI_FRAME_MAX];
};

/* Adds one byte. There is always room after kobuki_framer_next has returned false. */
void kobuki_framer_push(struct kobuki_framer *framer, uint8_t byte);

/* The next good frame in the bytes held: its payload (owned by the framer, dies with the next call)
 * and true; false when more bytes are needed. Call it until false after every push. LENIENT also
 * takes a checksum that leaves out the length byte, or it and the first id, as some Python clients
 * compute it. Counts frames, bad_frames and noise_bytes. */
bool kobuki_framer_next(struct kobuki_framer *framer, bool is_lenient, struct robot_stats *stats,
                        const uint8_t **payload, size_t *size);

/* ---- Whole frames ---- */

/* The payload inside one whole, good frame. False: it is none. */
bool kobuki_frame_payload(const uint8_t *frame, size_t size, const uint8_t **payload,
                          size_t *payload_size);

/* A frame being built. */
struct kobuki_frame {
    size_t size;
    uint8_t bytes[KOBUKI_FRAME_MAX];
};

void kobuki_frame_begin(struct kobuki_frame *frame);

/* Appends MESSAGE as one sub-payload; for a packet that repeats an element, COUNT elements follow
 * from ELEMENTS (an array of the element's struct). It is a bug to exceed KOBUKI_PAYLOAD_MAX. */
void kobuki_frame_add(struct kobuki_frame *frame, const struct wire_packet *packet,
                      const void *message);
void kobuki_frame_add_repeated(struct kobuki_frame *frame, const struct wire_packet *packet,
                               const void *message, const void *elements, size_t count);

/* Fills in length and checksum. */
void kobuki_frame_end(struct kobuki_frame *frame);

/* ---- Sub-payloads ---- */

struct kobuki_part {
    uint8_t id;
    uint8_t size;
    const uint8_t *body; /* in the payload */
};

/* The sub-payload at *AT, which is moved behind it. False at the end: then *AT == SIZE, or the rest
 * is no whole sub-payload. */
bool kobuki_part_next(const uint8_t *payload, size_t size, size_t *at, struct kobuki_part *part);

#endif
