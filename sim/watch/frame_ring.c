#include "sim/watch/frame_ring.h"

#include <string.h>

void frame_ring_add(struct frame_ring *ring, const uint8_t *bytes, size_t size, bool is_good,
                    int64_t now_us)
{
    struct frame_record *record = &ring->records[ring->total++ % FRAME_RING_COUNT];
    record->at_us = now_us;
    record->size = (uint32_t)size;
    record->kept = (uint16_t)(size < FRAME_RING_BYTES ? size : FRAME_RING_BYTES);
    record->is_good = is_good;
    memcpy(record->bytes, bytes, record->kept);
}

static void add_piece(void *context, const struct frame_piece *piece)
{
    frame_ring_add(context, piece->bytes, piece->size, piece->is_good, piece->at_us);
}

void frame_ring_push(struct frame_ring *ring, const struct robot_type *type, unsigned channel,
                     const uint8_t *bytes, size_t size, const struct robot_stats *stats,
                     int64_t now_us)
{
    const struct frame_splitter_user user = {
        .type = type, .channel = channel, .take = add_piece, .context = ring};
    frame_splitter_push(&ring->splitter, &user, bytes, size, stats, now_us);
}
