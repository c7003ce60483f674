/* A ring of bytes on the heap. */
#include "base/ring.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool byte_ring_create(struct byte_ring *ring, size_t capacity)
{
    assert(capacity > 0);
    *ring = (struct byte_ring){.bytes = malloc(capacity), .capacity = capacity};
    return ring->bytes != NULL;
}

void byte_ring_destroy(struct byte_ring *ring)
{
    free(ring->bytes);
    *ring = (struct byte_ring){0};
}

uint8_t *byte_ring_free_piece(struct byte_ring *ring, size_t *size)
{
    size_t end = (ring->head + ring->size) % ring->capacity;
    size_t room = ring->capacity - ring->size;
    size_t to_edge = ring->capacity - end;

    *size = room < to_edge ? room : to_edge;
    return ring->bytes + end;
}

void byte_ring_commit(struct byte_ring *ring, size_t size)
{
    assert(size <= ring->capacity - ring->size);
    ring->size += size;
}

size_t byte_ring_push(struct byte_ring *ring, const void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t piece;
        uint8_t *to = byte_ring_free_piece(ring, &piece);

        if (piece == 0)
            break;
        if (piece > size - done)
            piece = size - done;
        memcpy(to, (const uint8_t *)bytes + done, piece);
        byte_ring_commit(ring, piece);
        done += piece;
    }
    return done;
}

size_t byte_ring_pop(struct byte_ring *ring, void *bytes, size_t cap)
{
    size_t done = 0;

    while (done < cap && ring->size > 0) {
        size_t piece = ring->capacity - ring->head;

        if (piece > ring->size)
            piece = ring->size;
        if (piece > cap - done)
            piece = cap - done;
        memcpy((uint8_t *)bytes + done, ring->bytes + ring->head, piece);
        ring->size -= piece;
        /* An empty ring starts at its first byte again, so that few of its memory pages are ever
         * used. */
        ring->head = ring->size > 0 ? (ring->head + piece) % ring->capacity : 0;
        done += piece;
    }
    return done;
}
