/* The changes from one snapshot to the next, as text for server-sent events: what was told last is
 * remembered, so that a page that applies them in order has the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"

/* What one listener was told. All zero: nothing yet. */
struct change {
    uint8_t *reported; /* owned; ROOM bytes, of which SIZE are a snapshot */
    size_t size, room;
    uint64_t generation;
    uint8_t *bytes; /* owned; the change, not yet as text */
    size_t byte_count, byte_room;
    bool is_short;
};

void change_free(struct change *change);

/* Makes CHANGE->bytes lead from what was told to SIZE bytes of SNAPSHOT, and remembers those. A
 * change is:
 *     size of the snapshot,
 *     number of moves, each: to, from, count (bytes within the snapshot; may overlap),
 *     and then, to its end: bytes that stay, count, and COUNT new bytes;
 * all numbers as LEB128. It is whole, IS_WHOLE, if it leads from zeros. False: memory is short,
 * and nothing was told. */
bool change_make(struct change *change, const struct snapshot *snapshot, size_t size,
                 bool *is_whole);

/* A byte as two bytes of UTF-8: U+0100 to U+01FF, which need no escape in an event and which
 * compress as well as the byte. */
static inline void change_utf8(uint8_t byte, char out[2])
{
    out[0] = (char)(0xC4 | byte >> 6);
    out[1] = (char)(0x80 | (byte & 0x3F));
}
