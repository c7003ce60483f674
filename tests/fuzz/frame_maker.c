#include "tests/fuzz/frame_maker.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "tests/fuzz/dice.h"

enum { BODY_MAX = FRAME_MADE_MAX - WIRE_WRAP_MAX, MESSAGE_MAX = 2048, ELEMENTS_MAX = 16 };

/* A number of BITS bits: small, an edge value, or random. */
static uint64_t number(struct dice *dice, unsigned bits)
{
    uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (roll(dice, 4)) {
    case 0:
        return roll(dice, 16);
    case 1: {
        const uint64_t edges[] = {0, 1, all, all - 1, all / 2, all / 2 + 1, all / 2 + 2};
        return edges[roll(dice, COUNT(edges))];
    }
    case 2:
        return roll(dice, 1000) & all;
    default:
        return rng_u64(dice->seed, dice->count++) & all;
    }
}

static float real(struct dice *dice)
{
    static const float edges[] = {0.0F, -0.0F, 1.0F, -1.0F, 1e-30F, 3e38F, -3e38F, INFINITY, NAN};
    return roll(dice, 2) ? edges[roll(dice, COUNT(edges))]
                         : (float)roll(dice, 2000) / 100.0F - 10.0F;
}

static void fill_field(struct dice *dice, const struct wire_field *field, uint8_t *message)
{
    size_t each = wire_field_size(field) / field->count;
    for (size_t i = 0; i < field->count; i++) {
        uint8_t *at = message + field->offset + i * each;
        if (field->type == WIRE_F32) {
            float value = real(dice);
            memcpy(at, &value, sizeof value);
            continue;
        }
        uint64_t value = field->type == WIRE_CHAR ? ' ' + roll(dice, '~' - ' ' + 1)
                                                  : number(dice, (unsigned)each * 8);
        uint32_t four = (uint32_t)value;
        uint16_t two = (uint16_t)value;
        uint8_t one = (uint8_t)value;
        memcpy(at, each == 4 ? (void *)&four : each == 2 ? (void *)&two : (void *)&one, each);
    }
}

/* The body of a packet. Returns its size; 0: it does not fit. */
static size_t fill_body(struct dice *dice, const struct wire_packet *packet, uint8_t body[BODY_MAX])
{
    _Alignas(16) uint8_t message[MESSAGE_MAX] = {0};
    size_t size = wire_size(packet);
    if (packet->struct_size > sizeof message || size > BODY_MAX)
        return 0;
    for (size_t i = 0; i < packet->field_count; i++)
        fill_field(dice, &packet->fields[i], message);
    wire_encode(packet, message, body);
    for (uint64_t i = packet->repeat ? roll(dice, ELEMENTS_MAX) : 0; i > 0; i--) {
        if (size + wire_size(packet->repeat) > BODY_MAX ||
            packet->repeat->struct_size > sizeof message)
            break;
        for (size_t f = 0; f < packet->repeat->field_count; f++)
            fill_field(dice, &packet->repeat->fields[f], message);
        size += wire_encode(packet->repeat, message, body + size);
    }
    return size;
}

/* Damages one of ten: flips a bit, cuts the end, repeats a byte. */
static size_t damage(struct dice *dice, uint8_t *bytes, size_t size)
{
    size_t at = (size_t)roll(dice, size);
    switch (roll(dice, 30)) {
    case 0:
        bytes[at] ^= (uint8_t)(1U << roll(dice, 8));
        return size;
    case 1:
        return at > 0 ? at : size;
    case 2:
        return bytes_insert(bytes, size, FRAME_MADE_MAX, at, bytes + at, 1);
    default:
        return size;
    }
}

size_t frame_make(const struct robot_type *type, unsigned channel, enum wire_direction direction,
                  uint64_t seed, uint8_t out[FRAME_MADE_MAX])
{
    struct dice dice = {.seed = seed};
    const struct wire_framing *framing = robot_framing(type, channel, direction);
    const struct wire_packet *chosen = NULL;
    uint64_t count = 0;
    for (const struct wire_packet *const *one = type->packets; *one; one++)
        if ((*one)->direction == direction && roll(&dice, ++count) == 0)
            chosen = *one;
    uint8_t body[BODY_MAX];
    size_t size = chosen ? fill_body(&dice, chosen, body) : 0;
    if (!chosen || (size == 0 && wire_size(chosen) > 0))
        return 0;
    if (framing && framing->single == chosen && size == 1) // a random one is rarely a command
        body[0] = (uint8_t)framing->singles[roll(&dice, strlen(framing->singles))];
    size = wire_frame_wrap(framing, chosen, body, size, out);
    if (size > 0 && framing && (chosen == framing->line || chosen == framing->text))
        out[size - 1] = roll(&dice, 2) ? '\r' : '\n';
    return size > 0 ? damage(&dice, out, size) : 0;
}

size_t bytes_insert(uint8_t *data, size_t used, size_t max, size_t at, const uint8_t *bytes,
                    size_t size)
{
    uint8_t kept[BYTES_INSERT_MAX];
    if (size > sizeof kept || used + size > max || at > used)
        return used;
    memcpy(kept, bytes, size); // it may be a part of DATA
    memmove(data + at + size, data + at, used - at);
    memcpy(data + at, kept, size);
    return used + size;
}
