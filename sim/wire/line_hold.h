/* Chunks of bytes that wait for their time, in order: what a slow or stalled line holds back. */
#ifndef PTYBOT_SIM_WIRE_LINE_HOLD_H
#define PTYBOT_SIM_WIRE_LINE_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINE_HOLD_CHUNKS = 512
}; /* chosen: ten seconds of Kobuki packets; further ones are joined
    * to the last */

struct line_hold {
    uint8_t *bytes; /* ring */
    size_t capacity, head, size;
    struct line_held {
        int64_t due_us;
        size_t size;
    } chunks[LINE_HOLD_CHUNKS];
    size_t first, count;
};

/* False where memory is short. */
bool line_hold_create(struct line_hold *hold, size_t capacity);
void line_hold_destroy(struct line_hold *hold);

void line_hold_clear(struct line_hold *hold);

/* Appends a chunk that comes out at DUE_US, but never before those ahead of it. False: no room, and
 * nothing is kept. */
bool line_hold_push(struct line_hold *hold, const uint8_t *bytes, size_t size, int64_t due_us);

/* Takes up to MOST bytes of the first chunk, if it is due. Returns how many; DUE_US is when it was.
 */
size_t line_hold_pop(struct line_hold *hold, uint8_t *out, size_t most, int64_t now_us,
                     int64_t *due_us);

#endif
