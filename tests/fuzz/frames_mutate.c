#include "tests/fuzz/frames_mutate.h"

#include <string.h>

#include "base/rng.h"
#include "protocols/wire.h"

enum { FRAMES_MAX = 64 };

/* The positions of the frames in a stream. */
struct cuts {
    size_t count;
    struct {
        size_t at, size;
    } frames[FRAMES_MAX];
};

/* For lines of text: up to their end. */
static size_t line_size(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (data[at] == '\n' || data[at] == '\r' || data[at] == '\0')
            return at + 1;
    return 0;
}

static void cut(const struct frames_line *line, const uint8_t *data, size_t size, struct cuts *cuts)
{
    const struct wire_framing *framing = robot_framing(line->type, line->channel, line->direction);
    cuts->count = 0;
    for (size_t at = 0; at < size && cuts->count < FRAMES_MAX;) {
        bool is_cut = framing && !framing->line;
        size_t whole = is_cut ? wire_frame_size(framing, data + at, size - at)
                              : line_size(data + at, size - at);
        if (whole == 0 || whole > size - at) {
            at++;
            continue;
        }
        cuts->frames[cuts->count].at = at;
        cuts->frames[cuts->count++].size = whole;
        at += whole;
    }
}

/* ---- A field of a frame ---- */

struct place {
    uint64_t seed, count; /* number of fields so far */
    uint8_t *at;          /* of the chosen field */
    size_t size;
};

/* Chooses one of the fields of all parts, with equal probability. */
static void choose(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                   size_t size)
{
    struct place *place = user;
    size_t at = 0;
    (void)id;
    for (size_t i = 0; packet && i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        size_t each = wire_type_size(field->type);
        size_t index = (size_t)(rng_u64(place->seed, 2 * i) % field->count);
        if (at + (index + 1) * each > size)
            return;
        if (rng_u64(place->seed, 2 * i + 1) % ++place->count == 0) {
            place->at = (uint8_t *)(uintptr_t)body + at + index * each;
            place->size = each;
        }
        at += wire_field_size(field);
    }
}

static uint8_t edge(uint64_t seed)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7F, 0x80, 0x81, 0xFE, 0xFF};
    return rng_u64(seed, 0) % 2 ? edges[rng_u64(seed, 1) % sizeof edges]
                                : (uint8_t)rng_u64(seed, 2);
}

/* Makes the check byte of a frame correct again. */
static void seal(const struct wire_framing *framing, uint8_t *frame, size_t size)
{
    uint8_t *last = frame + size - 1;
    const uint8_t *from = frame + framing->check_from;
    uint16_t sum;
    if (framing->line || size <= framing->check_from + 2u)
        return;
    size_t covered = size - 1 - framing->check_from;
    switch (framing->check) {
    case WIRE_CHECK_XOR:
        *last = wire_xor(from, covered);
        break;
    case WIRE_CHECK_SUM:
        *last = wire_sum(from, covered);
        break;
    case WIRE_CHECK_SUM_ZERO:
        *last = (uint8_t)-wire_sum(from, covered);
        break;
    case WIRE_CHECK_SUM_NOT:
        *last = (uint8_t)~wire_sum(from, covered);
        break;
    case WIRE_CHECK_CRC8:
        *last = wire_crc8(from, covered);
        break;
    case WIRE_CHECK_SUM_TWICE:
        last[-1] = *last = (uint8_t)(0xFF - wire_sum(from, covered - 1));
        break;
    case WIRE_CHECK_CRC16:
        sum = wire_crc16(from, covered - 1);
        last[-1] = (uint8_t)sum;
        *last = (uint8_t)(sum >> 8);
        break;
    case WIRE_CHECK_NONE:
        break;
    }
}

void frame_change(const struct frames_line *line, uint8_t *frame, size_t size, uint64_t seed)
{
    const struct wire_framing *framing = robot_framing(line->type, line->channel, line->direction);
    struct place place = {.seed = rng_u64(seed, 0)};
    if (!framing || size == 0)
        return;
    robot_walk(line->type, line->channel, line->direction, 0, frame, size, choose, &place);
    if (!place.at || place.at < frame || place.at >= frame + size) // none, or in a copy
        place = (struct place){.at = frame + rng_u64(seed, 1) % size, .size = 1};
    for (size_t i = 0; i < place.size; i++)
        place.at[i] = edge(rng_u64(seed, i < 2 ? 2 + i : 3));
    if (rng_u64(seed, 4) % 8 > 0) // otherwise its check is wrong, too
        seal(framing, frame, size);
}

/* ---- A stream ---- */

static size_t bytes_remove(uint8_t *data, size_t used, size_t at, size_t size)
{
    memmove(data + at, data + at + size, used - at - size);
    return used - size;
}

size_t frames_mutate(const struct frames_line *line, uint8_t *data, size_t size, size_t max,
                     uint64_t seed)
{
    enum { MAKE, CHANGE, DOUBLE, MOVE, DROP, SPLICE, KINDS };
    struct cuts cuts;
    uint8_t made[FRAME_MADE_MAX];
    cut(line, data, size, &cuts);
    uint64_t kind = cuts.count > 0 ? rng_u64(seed, 0) % KINDS : MAKE;
    size_t one = cuts.count ? (size_t)(rng_u64(seed, 1) % cuts.count) : 0;
    size_t two = cuts.count ? (size_t)(rng_u64(seed, 2) % cuts.count) : 0;
    size_t at = cuts.count ? cuts.frames[one].at : 0,
           length = cuts.count ? cuts.frames[one].size : 0;
    size_t to = cuts.count ? cuts.frames[two].at : (size_t)(rng_u64(seed, 3) % (size + 1));
    switch (kind) {
    case CHANGE:
        frame_change(line, data + at, length, rng_u64(seed, 4));
        return size;
    case DOUBLE:
        return bytes_insert(data, size, max, to, data + at, length);
    case MOVE:
        if (length > sizeof made)
            return size;
        memcpy(made, data + at, length);
        size = bytes_remove(data, size, at, length);
        return bytes_insert(data, size, max, to > at ? to - length : to, made, length);
    case DROP:
        return bytes_remove(data, size, at, length);
    case SPLICE: // a frame inside another
        to = at + (size_t)(rng_u64(seed, 3) % length);
        break;
    default:
        break;
    }
    length = frame_make(line->type, line->channel, line->direction, rng_u64(seed, 4), made);
    return bytes_insert(data, size, max, to, made, length);
}
