#include "sim/watch/frame_ring.h"

#include <string.h>

void frame_ring_add(struct frame_ring *ring, const struct frame_piece *piece)
{
    struct frame_record *record = &ring->records[ring->total++ % FRAME_RING_COUNT];
    record->at_us = piece->at_us;
    record->size = (uint32_t)piece->size;
    record->kept = (uint16_t)(piece->size < FRAME_RING_BYTES ? piece->size : FRAME_RING_BYTES);
    record->promised = piece->promised;
    record->is_good = piece->is_good;
    memcpy(record->bytes, piece->bytes, record->kept);
}
