/* A ring of bytes on the heap: first in, first out, fixed capacity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_ring {
    uint8_t *bytes;
    size_t capacity;
    size_t head; /* index of the oldest byte */
    size_t size;
};

/* Returns false if out of memory. */
bool byte_ring_create(struct byte_ring *ring, size_t capacity);
void byte_ring_destroy(struct byte_ring *ring);

/* Both return the number of bytes moved: fewer than requested if the ring is full or empty. */
size_t byte_ring_push(struct byte_ring *ring, const void *bytes, size_t size);
size_t byte_ring_pop(struct byte_ring *ring, void *bytes, size_t cap);

/* The contiguous free space after the content, to read into directly. commit says how many bytes of
 * it were used. */
uint8_t *byte_ring_free_piece(struct byte_ring *ring, size_t *size);
void byte_ring_commit(struct byte_ring *ring, size_t size);
