/* Frames of the COBOT protocol. Leaves out what the functions mean. The receiver of the real board
 * is unknown: this one hunts for the header and has no time-out between bytes. */
#include "protocols/cobot/cobot_framer.h"

#include <assert.h>
#include <string.h>

#include "protocols/checksum.h"

static const uint8_t COBOT_HEADER_TO_ROBOT = 0xCD;
static const uint8_t COBOT_HEADER_TO_HOST = 0xFD;

static uint8_t frame_header(enum wire_direction direction)
{
    return direction == WIRE_TO_ROBOT ? COBOT_HEADER_TO_ROBOT : COBOT_HEADER_TO_HOST;
}

static bool frame_length_is_possible(uint8_t length)
{
    return length > 0 && length <= COBOT_LENGTH_MAX;
}

/* ---- Receiving ---- */

static void framer_drop(struct cobot_framer *framer, unsigned count)
{
    unsigned spoiled = framer->spoiled < count ? framer->spoiled : count;
    framer->spoiled = (uint8_t)(framer->spoiled - spoiled);
    framer->used = (uint8_t)(framer->used - count);
    memmove(framer->bytes, framer->bytes + count, framer->used);
}

/* Drops what cannot begin a frame; a byte of a frame that was counted as bad is no news. */
static bool framer_stray(struct cobot_framer *framer, uint8_t *stray)
{
    bool is_news = false;
    while (!is_news && framer->used > 0 && framer->bytes[0] != COBOT_HEADER_TO_ROBOT) {
        is_news = framer->spoiled == 0;
        *stray = framer->bytes[0];
        framer_drop(framer, 1);
    }
    return is_news;
}

/* The search goes on one byte behind the beginning of a bad frame of SIZE bytes. */
static enum cobot_found framer_reject(struct cobot_framer *framer, unsigned size)
{
    if (framer->spoiled < size)
        framer->spoiled = (uint8_t)size;
    framer_drop(framer, 1);
    return COBOT_FOUND_BAD_FRAME;
}

void cobot_framer_push(struct cobot_framer *framer, uint8_t byte)
{
    assert(framer->used < COBOT_FRAME_MAX);
    framer->bytes[framer->used++] = byte;
}

enum cobot_found cobot_framer_next(struct cobot_framer *framer, struct cobot_part *part)
{
    framer_drop(framer, framer->taken);
    framer->taken = 0;
    if (framer_stray(framer, &part->function))
        return COBOT_FOUND_STRAY;
    if (framer->used < 2)
        return COBOT_FOUND_NOTHING;
    uint8_t length = framer->bytes[1];
    if (!frame_length_is_possible(length))
        return framer_reject(framer, 2);
    unsigned size = length + (unsigned)COBOT_FRAME_EXTRA;
    if (framer->used < size)
        return COBOT_FOUND_NOTHING;
    if (!cobot_frame_part(WIRE_TO_ROBOT, framer->bytes, size, part))
        return framer_reject(framer, size);
    framer->taken = (uint8_t)size;
    return COBOT_FOUND_FRAME;
}

/* ---- Whole frames ---- */

bool cobot_frame_part(enum wire_direction direction, const uint8_t *frame, size_t size,
                      struct cobot_part *part)
{
    if (size < 1 + COBOT_FRAME_EXTRA || frame[0] != frame_header(direction) ||
        !frame_length_is_possible(frame[1]) || size != (size_t)frame[1] + COBOT_FRAME_EXTRA ||
        checksum_xor(frame + 2, size - 2) != 0)
        return false;
    *part = (struct cobot_part){.function = frame[2], .data = frame + 3, .size = size - 4};
    return true;
}

size_t cobot_frame_write(const struct wire_packet *packet, const void *message, uint8_t *out)
{
    size_t length = 1 + wire_encode(packet, message, out + 3);
    assert(length <= COBOT_LENGTH_MAX);
    out[0] = frame_header(packet->direction);
    out[1] = (uint8_t)length;
    out[2] = packet->id;
    out[2 + length] = checksum_xor(out + 2, length);
    return length + COBOT_FRAME_EXTRA;
}
