/* The last frames of one channel in one direction, for display. Plain data without pointers, so
 * that a snapshot can copy it as a whole. The simulation does not depend on it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/watch/frame_splitter.h"

enum {
    FRAME_RING_COUNT = 16, /* chosen: as many lines as a panel shows */
    FRAME_RING_BYTES = 192 /* chosen: more than any frame except one with a picture */
};

struct frame_record {
    int64_t at_us;     /* simulated time of its last byte */
    uint32_t size;     /* whole size, bytes */
    uint16_t kept;     /* number of bytes in bytes[], from the beginning of the frame */
    uint16_t promised; /* as in struct wire_piece */
    bool is_good;      /* false: bytes that form no frame, or a refused frame */
    uint8_t bytes[FRAME_RING_BYTES]; /* valid up to kept */
};

struct frame_ring {
    uint64_t total; /* frames so far; the newest is records[(total - 1) % FRAME_RING_COUNT] */
    struct frame_record records[FRAME_RING_COUNT];
};

void frame_ring_add(struct frame_ring *ring, const struct frame_piece *piece);
