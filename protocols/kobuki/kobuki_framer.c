/* Frames of the Kobuki protocol. Leaves out what the sub-payloads mean. */
#include "protocols/kobuki/kobuki_framer.h"

#include <assert.h>
#include <string.h>

#include "protocols/checksum.h"

static const uint8_t KOBUKI_HEADER_0 = 0xAA;
static const uint8_t KOBUKI_HEADER_1 = 0x55;

/* ---- Receiving ---- */

/* Drops COUNT leading bytes; those that belong to no frame are noise. */
static void framer_drop(struct kobuki_framer *framer, size_t count, bool is_noise,
                        struct robot_stats *stats)
{
    assert(count <= framer->used);
    size_t spoiled = framer->spoiled < count ? framer->spoiled : count;
    if (is_noise)
        stats->noise_bytes += count - spoiled;
    framer->spoiled = (uint16_t)(framer->spoiled - spoiled);
    framer->used = (uint16_t)(framer->used - count);
    memmove(framer->bytes, framer->bytes + count, framer->used);
}

/* Counts a frame of SIZE bytes as bad and steps over its first byte: the rest is searched again. */
static void framer_reject(struct kobuki_framer *framer, size_t size, struct robot_stats *stats)
{
    stats->bad_frames++;
    if (framer->spoiled < size)
        framer->spoiled = (uint16_t)size;
    framer_drop(framer, 1, true, stats);
}

/* Drops what cannot begin a frame. False: fewer than two bytes are left. */
static bool framer_seek(struct kobuki_framer *framer, struct robot_stats *stats)
{
    size_t at = 0;
    while (at < framer->used) {
        bool is_last = at + 1 == framer->used;
        if (framer->bytes[at] == KOBUKI_HEADER_0 &&
            (is_last || framer->bytes[at + 1] == KOBUKI_HEADER_1))
            break;
        at++;
    }
    if (at > 0)
        framer_drop(framer, at, true, stats);
    return framer->used >= 2;
}

/* AA 55 AA 55: a frame was cut behind its header and the next one follows. Read as a length of 170
 * it would swallow many good frames; nobody sends 170 bytes that begin with the unknown id 0x55. */
static bool framer_is_repeated(const struct kobuki_framer *framer)
{
    return framer->used > KOBUKI_FRAME_HEAD && framer->bytes[2] == KOBUKI_HEADER_0 &&
           framer->bytes[3] == KOBUKI_HEADER_1;
}

/* The XOR over length, payload and checksum is 0, or what the checksum has left out: the length
 * (roarmstrong/kobuki: commands.py), or it and the first id (yumyum-web/kobukidriver2:
 * command_transmission.py). */
static bool framer_has_good_sum(const struct kobuki_framer *framer, bool is_lenient)
{
    uint8_t length = framer->bytes[2];
    uint8_t first_id = framer->bytes[KOBUKI_FRAME_HEAD];
    uint8_t left_out = checksum_xor(framer->bytes + 2, length + 2u);
    return left_out == 0 || (is_lenient && (left_out == length || left_out == (length ^ first_id)));
}

void kobuki_framer_push(struct kobuki_framer *framer, uint8_t byte)
{
    assert(framer->used < KOBUKI_FRAME_MAX);
    framer->bytes[framer->used++] = byte;
}

bool kobuki_framer_next(struct kobuki_framer *framer, bool is_lenient, struct robot_stats *stats,
                        const uint8_t **payload, size_t *size)
{
    if (framer->taken > 0) {
        framer_drop(framer, framer->taken, false, stats);
        framer->taken = 0;
    }
    while (framer_seek(framer, stats) && framer->used >= KOBUKI_FRAME_HEAD) {
        uint8_t length = framer->bytes[2];
        if (length < KOBUKI_PAYLOAD_MIN) {
            framer_reject(framer, KOBUKI_FRAME_HEAD, stats);
            continue;
        }
        if (framer_is_repeated(framer)) {
            framer_drop(framer, 2, true, stats);
            continue;
        }
        size_t whole = (size_t)length + KOBUKI_FRAME_EXTRA;
        if (framer->used < whole)
            return false;
        if (framer_has_good_sum(framer, is_lenient)) {
            stats->frames++;
            framer->taken = (uint16_t)whole;
            *payload = framer->bytes + KOBUKI_FRAME_HEAD;
            *size = length;
            return true;
        }
        framer_reject(framer, whole, stats);
    }
    return false;
}

/* ---- Whole frames ---- */

bool kobuki_frame_payload(const uint8_t *frame, size_t size, const uint8_t **payload,
                          size_t *payload_size)
{
    if (size < KOBUKI_PAYLOAD_MIN + KOBUKI_FRAME_EXTRA || frame[0] != KOBUKI_HEADER_0 ||
        frame[1] != KOBUKI_HEADER_1 || size != (size_t)frame[2] + KOBUKI_FRAME_EXTRA ||
        checksum_xor(frame + 2, size - 2) != 0)
        return false;
    *payload = frame + KOBUKI_FRAME_HEAD;
    *payload_size = frame[2];
    return true;
}

void kobuki_frame_begin(struct kobuki_frame *frame)
{
    frame->bytes[0] = KOBUKI_HEADER_0;
    frame->bytes[1] = KOBUKI_HEADER_1;
    frame->bytes[2] = 0;
    frame->size = KOBUKI_FRAME_HEAD;
}

void kobuki_frame_add_repeated(struct kobuki_frame *frame, const struct wire_packet *packet,
                               const void *message, const void *elements, size_t count)
{
    size_t step = packet->repeat ? wire_size(packet->repeat) : 0;
    size_t body = wire_size(packet) + step * count;
    assert(body <= UINT8_MAX);
    assert(frame->size + 2 + body + 1 <= sizeof frame->bytes);
    frame->bytes[frame->size++] = packet->id;
    frame->bytes[frame->size++] = (uint8_t)body;
    frame->size += wire_encode(packet, message, frame->bytes + frame->size);
    const uint8_t *element = elements;
    for (size_t i = 0; i < count; i++, element += packet->repeat->struct_size)
        frame->size += wire_encode(packet->repeat, element, frame->bytes + frame->size);
}

void kobuki_frame_add(struct kobuki_frame *frame, const struct wire_packet *packet,
                      const void *message)
{
    kobuki_frame_add_repeated(frame, packet, message, NULL, 0);
}

void kobuki_frame_end(struct kobuki_frame *frame)
{
    frame->bytes[2] = (uint8_t)(frame->size - KOBUKI_FRAME_HEAD);
    frame->bytes[frame->size] = checksum_xor(frame->bytes + 2, frame->size - 2);
    frame->size++;
}

/* ---- Sub-payloads ---- */

bool kobuki_part_next(const uint8_t *payload, size_t size, size_t *at, struct kobuki_part *part)
{
    if (size - *at < 2 || size - *at - 2 < payload[*at + 1])
        return false;
    part->id = payload[*at];
    part->size = payload[*at + 1];
    part->body = payload + *at + 2;
    *at += 2u + part->size;
    return true;
}
