/* Splits what a host writes into frames: the robot's parser has counted the good ones, and the
 * table of its packets says which bytes they are. */
#include "sim/watch/frame_ring.h"

#include <string.h>

/* chosen: bytes whose frame is not complete after this long are no frame */
static const int64_t SILENCE_US = 200000;

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

static void ignore_part(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    (void)user, (void)packet, (void)id, (void)body, (void)size;
}

/* Records the first SIZE held bytes as one frame and drops them. */
static void record_held(struct frame_ring *ring, size_t size, bool is_good, int64_t now_us)
{
    if (size == 0)
        return;
    frame_ring_add(ring, ring->hold, size, is_good, now_us);
    ring->held -= (uint32_t)size;
    memmove(ring->hold, ring->hold + size, ring->held);
}

/* Records everything up to the end of the first good frame. False: there is none. */
static bool take_frame(struct frame_ring *ring, const struct robot_type *type, unsigned channel,
                       int64_t now_us)
{
    for (uint32_t from = 0; from < ring->held; from++)
        for (uint32_t to = from + 1; to <= ring->held; to++)
            if (type->walk(channel, WIRE_TO_ROBOT, ring->hold + from, to - from, ignore_part,
                           NULL)) {
                record_held(ring, from, false, now_us);
                record_held(ring, to - from, true, now_us);
                return true;
            }
    return false;
}

/* Records the next frame if the robot has counted one that was not found yet. It may not be found:
 * its bytes may have been dropped. Without a count nothing is searched, since noise can be long. */
static bool take_counted(struct frame_ring *ring, const struct robot_type *type, unsigned channel,
                         uint64_t frames, int64_t now_us)
{
    if (ring->seen_frames >= frames || !take_frame(ring, type, channel, now_us))
        return false;
    ring->seen_frames++;
    return true;
}

void frame_ring_push(struct frame_ring *ring, const struct robot_type *type, unsigned channel,
                     const uint8_t *bytes, size_t size, uint64_t frames, int64_t now_us)
{
    if (now_us - ring->held_us > SILENCE_US)
        record_held(ring, ring->held, false, ring->held_us);
    ring->held_us = now_us;
    while (size > 0) {
        size_t room = FRAME_RING_BYTES - ring->held;
        size_t part = size < room ? size : room;
        memcpy(ring->hold + ring->held, bytes, part);
        ring->held += (uint32_t)part;
        bytes += part;
        size -= part;
        if (size > 0 && !take_counted(ring, type, channel, frames, now_us))
            record_held(ring, ring->held, false, now_us);
    }
    while (take_counted(ring, type, channel, frames, now_us)) {
    }
    ring->seen_frames = frames;
}
