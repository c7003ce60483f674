/* A ring of bytes on the heap: first in, first out, fixed capacity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_ring {
    uint8_t *bytes;
    size_t capacity;
    size_t head; /* place of the oldest byte */
    size_t size;
};

/* Returns false when memory is short. */
bool byte_ring_create(struct byte_ring *ring, size_t capacity);
void byte_ring_destroy(struct byte_ring *ring);

/* Both return how many bytes were moved: less than asked when the ring is full or empty. */
size_t byte_ring_push(struct byte_ring *ring, const void *bytes, size_t size);
size_t byte_ring_pop(struct byte_ring *ring, void *bytes, size_t cap);

/* The free piece after the content, for reading straight into; commit says how much was used. */
uint8_t *byte_ring_free_piece(struct byte_ring *ring, size_t *size);
void byte_ring_commit(struct byte_ring *ring, size_t size);
