/* The frames that the splitter finds in any bytes, in chunks of any size, are those that a second,
 * slow implementation of protocols/framing.h finds in the whole input. Byte 0 chooses robot,
 * channel and direction, byte 1 the size of the chunks. */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/registry.h"
#include "tests/fuzz/frame_maker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES_MAX = 4096, STEP_MAX = 64 };

struct found {
    size_t count;
    struct {
        size_t at, size;
    } frames[BYTES_MAX];
};

/* ---- The second implementation ---- */

static bool begins(const struct wire_framing *framing, const uint8_t *bytes, size_t left)
{
    for (size_t i = 0; i < framing->head_size && i < left; i++)
        if (bytes[i] != framing->head[i])
            return false;
    if (!framing->sizes)
        return true;
    for (const struct wire_first_byte *row = framing->sizes; row->size > 0; row++)
        if (row->byte == bytes[0])
            return true;
    return false;
}

/* -1: too few bytes to decide; 0: an invalid length. */
static long length_of(const struct wire_framing *framing, const uint8_t *bytes, size_t left)
{
    if (left < framing->head_size)
        return -1;
    if (framing->sizes) {
        const struct wire_first_byte *row = framing->sizes;
        while (row->byte != bytes[0])
            row++;
        if (row->count_at >= left)
            return -1;
        return (long)row->size + (row->count_at ? row->each * bytes[row->count_at] : 0);
    }
    if (framing->series) {
        uint32_t word = 0;
        if (left < framing->length_at + 4U)
            return -1;
        for (int i = 3; i >= 0; i--)
            word = word << 8 | bytes[framing->length_at + i];
        uint32_t length = word % (1U << 30);
        if (word >> 30 > 1)
            length = word & ~(1U << 30);
        if (length < framing->length_min || length > framing->length_max)
            return 0;
        return framing->length_extra + ((word >> 30 & 1) ? 0L : (long)length);
    }
    if (framing->long_bit) {
        if (left <= framing->id_at)
            return -1;
        if (!(bytes[framing->id_at] & framing->long_bit))
            return framing->id_at + 1L;
    }
    if (framing->length_at == 0)
        return (long)framing->size;
    if (left <= framing->length_at)
        return -1;
    if (framing->has_wide_length && left == framing->length_at + 1U)
        return -1;
    unsigned length = bytes[framing->length_at];
    if (framing->has_wide_length)
        length += 256U * bytes[framing->length_at + 1];
    return length < framing->length_min || length > framing->length_max
               ? 0
               : length + (long)framing->length_extra;
}

static uint8_t crc8(const uint8_t *bytes, size_t size)
{
    unsigned rest = 0;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        unsigned top = (rest >> 7 ^ bytes[bit / 8] >> (7 - bit % 8)) & 1;
        rest = ((rest << 1) ^ (top ? 0x4DU : 0)) & 0xFF;
    }
    return (uint8_t)rest;
}

static unsigned crc16(const uint8_t *bytes, size_t size)
{
    unsigned rest = 0;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        unsigned top = (rest >> 15 ^ bytes[bit / 8] >> (7 - bit % 8)) & 1;
        rest = ((rest << 1) ^ (top ? 0x8005U : 0)) & 0xFFFF;
    }
    return rest;
}

static bool is_sound(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    unsigned all = 0, sum = 0;
    bool has_body = !framing->long_bit || (bytes[framing->id_at] & framing->long_bit);
    for (size_t i = framing->check_from; i + 1 < size; i++) {
        all ^= bytes[i];
        sum += bytes[i];
    }
    uint8_t last = bytes[size - 1];
    switch (has_body ? framing->check : WIRE_CHECK_NONE) {
    case WIRE_CHECK_XOR:
        return last == all;
    case WIRE_CHECK_SUM:
        return last == (sum & 0xFF);
    case WIRE_CHECK_SUM_ZERO:
        return ((last + sum) & 0xFF) == 0;
    case WIRE_CHECK_SUM_NOT:
        return ((last + sum) & 0xFF) == 0xFF;
    case WIRE_CHECK_CRC8:
        return last == crc8(bytes + framing->check_from, size - 1 - framing->check_from);
    case WIRE_CHECK_SUM_TWICE:
        return bytes[size - 2] == last && ((sum - bytes[size - 2] + last) & 0xFF) == 0xFF;
    case WIRE_CHECK_CRC16:
        return bytes[size - 2] + 256U * last ==
               crc16(bytes + framing->check_from, size - 2 - framing->check_from);
    default:
        return true;
    }
}

/* Number of bytes to skip after an invalid frame: to the next possible beginning, at most MOST. */
static size_t next_begin(const struct wire_framing *framing, const uint8_t *bytes, size_t left,
                         size_t most)
{
    size_t at = 1;
    while (at < most && at < left && !begins(framing, bytes + at, left - at))
        at++;
    return at;
}

static void read_slowly(const struct wire_framing *framing, const uint8_t *bytes, size_t size,
                        struct found *found)
{
    for (size_t at = 0; at < size;) {
        size_t left = size - at;
        const uint8_t *here = bytes + at;
        long length = begins(framing, here, left) ? length_of(framing, here, left) : -2;
        bool is_single =
            length == -2 && framing->singles && *here && strchr(framing->singles, *here);
        bool is_frame =
            length > 0 && (size_t)length <= left && is_sound(framing, here, (size_t)length);
        if (is_single || is_frame) {
            found->frames[found->count].at = at;
            found->frames[found->count++].size = is_single ? 1 : (size_t)length;
            at += is_single ? 1 : (size_t)length;
        } else if (length == -2) {
            at++;
        } else if (length == 0) {
            at += next_begin(framing, here, left, framing->length_at + 1U);
        } else {
            at += next_begin(framing, here, left, length < 0 ? left : (size_t)length);
        }
    }
}

/* ---- The splitter ---- */

static void take(struct wire_splitter *splitter, bool is_end, size_t *at, struct found *found)
{
    struct wire_piece piece;
    while (wire_splitter_next(splitter, is_end, &piece)) {
        assert(piece.size > 0);
        if (piece.kind == WIRE_PIECE_FRAME) {
            found->frames[found->count].at = *at;
            found->frames[found->count++].size = piece.size;
        }
        *at += piece.size;
    }
}

static void split(const struct wire_framing *framing, const uint8_t *bytes, size_t size,
                  size_t step, struct found *found)
{
    struct wire_splitter splitter;
    size_t told = 0;
    if (!wire_splitter_open(&splitter, framing, STEP_MAX))
        abort();
    for (size_t at = 0; at < size; at += step) {
        wire_splitter_push(&splitter, bytes + at, size - at < step ? size - at : step, 0);
        take(&splitter, false, &told, found);
    }
    take(&splitter, true, &told, found);
    assert(told == size);
    wire_splitter_close(&splitter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct found slow, quick;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    if (size < 3 || size > BYTES_MAX)
        return 0;
    const struct robot_type *type = types[data[0] / 8 % count];
    enum wire_direction direction = data[0] % 2 ? WIRE_TO_HOST : WIRE_TO_ROBOT;
    const struct wire_framing *framing =
        robot_framing(type, (unsigned)(data[0] / 2 % type->channel_count), direction);
    if (!framing || framing->line || framing->text)
        return 0;
    slow.count = quick.count = 0;
    read_slowly(framing, data + 2, size - 2, &slow);
    split(framing, data + 2, size - 2, 1 + data[1] % STEP_MAX, &quick);
    assert(slow.count == quick.count);
    assert(memcmp(slow.frames, quick.frames, slow.count * sizeof *slow.frames) == 0);
    return 0;
}
