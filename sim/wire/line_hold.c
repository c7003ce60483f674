/* A ring of bytes and a ring of the chunks that they make up. */
#include "sim/wire/line_hold.h"

#include <stdlib.h>
#include <string.h>

bool line_hold_create(struct line_hold *hold, size_t capacity)
{
    hold->bytes = malloc(capacity);
    hold->capacity = capacity;
    return hold->bytes != NULL;
}

void line_hold_destroy(struct line_hold *hold)
{
    free(hold->bytes);
    hold->bytes = NULL;
}

void line_hold_clear(struct line_hold *hold)
{
    hold->size = hold->count = 0;
}

static struct line_held *chunk_at(struct line_hold *hold, size_t i)
{
    return &hold->chunks[(hold->first + i) % LINE_HOLD_CHUNKS];
}

bool line_hold_push(struct line_hold *hold, const uint8_t *bytes, size_t size, int64_t due_us)
{
    if (size == 0)
        return true;
    if (hold->capacity - hold->size < size)
        return false;
    size_t tail = (hold->head + hold->size) % hold->capacity;
    size_t straight = hold->capacity - tail < size ? hold->capacity - tail : size;
    memcpy(hold->bytes + tail, bytes, straight);
    memcpy(hold->bytes, bytes + straight, size - straight);
    hold->size += size;

    struct line_held *last = hold->count > 0 ? chunk_at(hold, hold->count - 1) : NULL;
    if (last && due_us < last->due_us)
        due_us = last->due_us;
    if (hold->count == LINE_HOLD_CHUNKS) {
        last->size += size;
        last->due_us = due_us;
    } else {
        *chunk_at(hold, hold->count++) = (struct line_held){.due_us = due_us, .size = size};
    }
    return true;
}

size_t line_hold_pop(struct line_hold *hold, uint8_t *out, size_t most, int64_t now_us,
                     int64_t *due_us)
{
    struct line_held *chunk = chunk_at(hold, 0);
    if (hold->count == 0 || chunk->due_us > now_us)
        return 0;
    size_t size = chunk->size < most ? chunk->size : most;
    size_t straight = hold->capacity - hold->head < size ? hold->capacity - hold->head : size;
    memcpy(out, hold->bytes + hold->head, straight);
    memcpy(out + straight, hold->bytes, size - straight);
    hold->head = (hold->head + size) % hold->capacity;
    hold->size -= size;
    *due_us = chunk->due_us;
    chunk->size -= size;
    if (chunk->size == 0) {
        hold->first = (hold->first + 1) % LINE_HOLD_CHUNKS;
        hold->count--;
    }
    return size;
}
