/* Encoding and decoding by field tables, and the cursor. Leaves out framing, which belongs to each
 * protocol. */
#include "protocols/wire.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---- Unsigned numbers of SIZE bytes in a byte order ---- */

static void wire_store(uint8_t *out, size_t size, enum wire_order order, uint32_t bits)
{
    for (size_t i = 0; i < size; i++) {
        size_t place = order == WIRE_LITTLE_ENDIAN ? i : size - 1 - i;
        out[i] = (uint8_t)(bits >> (8 * place) & 0xff);
    }
}

static uint32_t wire_load(const uint8_t *bytes, size_t size, enum wire_order order)
{
    uint32_t bits = 0;
    if (size == 1)
        return bytes[0];
    for (size_t i = 0; i < size; i++) {
        size_t place = order == WIRE_LITTLE_ENDIAN ? i : size - 1 - i;
        bits |= (uint32_t)bytes[i] << (8 * place);
    }
    return bits;
}

/* ---- The same numbers inside a struct, in the machine's byte order. A float is copied as its
 * bits. ---- */

static uint32_t wire_member(const uint8_t *member, size_t size)
{
    return (uint32_t)number_load(member, size);
}

/* ---- Tables ---- */

size_t wire_size(const struct wire_packet *packet)
{
    size_t size = 0;
    for (size_t i = 0; i < packet->field_count; i++)
        size += wire_field_size(&packet->fields[i]);
    return size;
}

size_t wire_encode(const struct wire_packet *packet, const void *message, uint8_t *out)
{
    uint8_t *at = out;
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        const uint8_t *member = (const uint8_t *)message + field->offset;
        size_t size = wire_type_size(field->type);
        for (size_t k = 0; k < field->count && !field->is_part; k++, member += size, at += size)
            wire_store(at, size, packet->order, wire_member(member, size));
    }
    return (size_t)(at - out);
}

bool wire_decode(const struct wire_packet *packet, const uint8_t *body, size_t size, void *message)
{
    size_t needed = wire_size(packet);
    if (packet->repeat ? size < needed : size != needed)
        return false;
    const uint8_t *at = body;
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        uint8_t *member = (uint8_t *)message + field->offset;
        size_t step = wire_type_size(field->type);
        for (size_t k = 0; k < field->count && !field->is_part; k++, member += step, at += step)
            number_store(member, step, wire_load(at, step, packet->order));
    }
    return true;
}

double wire_raw(const struct wire_field *field, const void *message, size_t index)
{
    assert(index < field->count);
    size_t size = wire_type_size(field->type);
    uint32_t bits = wire_bits(
        field, wire_member((const uint8_t *)message + field->offset + index * size, size));
    float f32;
    if (field->sign_bit > 0)
        return wire_signed(bits, field->sign_bit);
    switch (field->type) {
    case WIRE_I8:
        return (int8_t)bits;
    case WIRE_I16:
        return (int16_t)bits;
    case WIRE_I32:
        return (int32_t)bits;
    case WIRE_F32:
        memcpy(&f32, &bits, sizeof f32);
        return (double)f32;
    default:
        return bits;
    }
}

double wire_value(const struct wire_field *field, const void *message, size_t index)
{
    return wire_raw(field, message, index) * field->scale;
}

/* ---- The cursor. After it ran past the end, later calls have no effect. ---- */

static uint8_t *wire_take(struct wire_cursor *cursor, size_t size)
{
    if (!cursor->ok || cursor->size - cursor->at < size) {
        cursor->ok = false;
        return NULL;
    }
    uint8_t *at = cursor->bytes + cursor->at;
    cursor->at += size;
    return at;
}

void wire_put_u32(struct wire_cursor *cursor, uint32_t value)
{
    uint8_t *at = wire_take(cursor, sizeof value);
    if (at)
        wire_store(at, sizeof value, cursor->order, value);
}

uint32_t wire_get_u32(struct wire_cursor *cursor)
{
    const uint8_t *at = wire_take(cursor, sizeof(uint32_t));
    return at ? wire_load(at, sizeof(uint32_t), cursor->order) : 0;
}

/* ---- SI doubles to wire integers ---- */

static double wire_saturate(double value, double min, double max)
{
    if (isnan(value))
        return 0.0;
    double rounded = round(value);
    return rounded < min ? min : rounded > max ? max : rounded;
}

uint8_t wire_saturate_u8(double value)
{
    return (uint8_t)wire_saturate(value, 0, UINT8_MAX);
}

int8_t wire_saturate_i8(double value)
{
    return (int8_t)wire_saturate(value, INT8_MIN, INT8_MAX);
}

uint16_t wire_saturate_u16(double value)
{
    return (uint16_t)wire_saturate(value, 0, UINT16_MAX);
}

int16_t wire_saturate_i16(double value)
{
    return (int16_t)wire_saturate(value, INT16_MIN, INT16_MAX);
}

int32_t wire_saturate_i32(double value)
{
    return (int32_t)wire_saturate(value, INT32_MIN, INT32_MAX);
}

/* ---- Checksums ---- */

uint8_t wire_xor(const uint8_t *bytes, size_t size)
{
    uint64_t eight = 0; // at once, since recordings are long
    for (; size >= sizeof eight; bytes += sizeof eight, size -= sizeof eight) {
        uint64_t next;
        memcpy(&next, bytes, sizeof next);
        eight ^= next;
    }
    eight ^= eight >> 32;
    eight ^= eight >> 16;
    uint8_t value = (uint8_t)(eight ^ eight >> 8);
    for (size_t i = 0; i < size; i++)
        value = (uint8_t)(value ^ bytes[i]);
    return value;
}

uint8_t wire_sum(const uint8_t *bytes, size_t size)
{
    uint8_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = (uint8_t)(value + bytes[i]);
    return value;
}

uint8_t wire_crc8(const uint8_t *bytes, size_t size)
{
    // Remainder for each value of the upper four bits. The table saves time, because recordings are
    // long.
    static const uint8_t of_half[16] = {0x00, 0x4D, 0x9A, 0xD7, 0x79, 0x34, 0xE3, 0xAE,
                                        0xF2, 0xBF, 0x68, 0x25, 0x8B, 0xC6, 0x11, 0x5C};
    unsigned crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = (crc << 4 & 0xFF) ^ of_half[crc >> 4];
        crc = (crc << 4 & 0xFF) ^ of_half[crc >> 4];
    }
    return (uint8_t)crc;
}

uint16_t wire_crc16(const uint8_t *bytes, size_t size)
{
    unsigned crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1 ^ 0x8005) & 0xFFFF : crc << 1;
    }
    return (uint16_t)crc;
}

/* ---- Stuffing ---- */

/* Whether the three bytes up to AT are those that begin a frame. */
static bool ends_head(const uint8_t *bytes, size_t at)
{
    return at >= 2 && bytes[at] == 0xFD && bytes[at - 1] == 0xFF && bytes[at - 2] == 0xFF;
}

size_t wire_stuff(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!ends_head(bytes, i))
            continue;
        memmove(bytes + i + 1, bytes + i, size - i);
        size++;
        i++;
    }
    return size;
}

size_t wire_unstuff(const uint8_t *bytes, size_t size, uint8_t *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        out[used++] = bytes[i];
        i += ends_head(bytes, i) && i + 1 < size && bytes[i + 1] == 0xFD;
    }
    return used;
}

bool wire_is_stuffed(const uint8_t *bytes, size_t size)
{
    for (size_t i = 2; i < size; i++)
        if (ends_head(bytes, i))
            return true;
    return false;
}
