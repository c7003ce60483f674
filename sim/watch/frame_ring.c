#include "sim/watch/frame_ring.h"

#include <string.h>

void frame_ring_add(struct frame_ring *ring, const uint8_t *bytes, size_t size, bool is_good,
                    uint16_t promised, int64_t now_us)
{
    struct frame_record *record = &ring->records[ring->total++ % FRAME_RING_COUNT];
    record->at_us = now_us;
    record->size = (uint32_t)size;
    record->kept = (uint16_t)(size < FRAME_RING_BYTES ? size : FRAME_RING_BYTES);
    record->promised = promised;
    record->is_good = is_good;
    memcpy(record->bytes, bytes, record->kept);
}
