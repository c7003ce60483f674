/* Frames and packets as text, from the field tables. Independent of the robots: the tables of a
 * type describe its frames (robot_walk). */
#include "protocols/describe.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"

enum {
    DIGITS = 10,    /* enough for any 32-bit integer */
    DIGITS_F32 = 7, /* significant digits of a float, so that 0.1 is written as 0.1 */
};

void describe_bytes(struct writer *to, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && to->used + 1 < to->size; i++) {
        if (i > 0)
            writer_char(to, ' ');
        writer_hex(to, bytes[i]);
    }
}

/* ---- Values in the units of their fields ---- */

/* A scale as the fraction FACTOR / 10^PLACES. */
struct decimal {
    int64_t factor; /* 0: the scale is no such fraction */
    unsigned places;
};

static inline struct decimal decimal_of(double scale)
{
    static const double usual[] = {1, 0.1, 0.01, 0.001};
    enum { PLACES = 7 }; // of 1/128, by angles of scanners
    for (unsigned i = 0; i < COUNT(usual); i++)
        if (scale == usual[i])
            return (struct decimal){1, i};
    double scaled = scale * 1e7;
    if (!(scaled >= 1e3 && scaled < 1e7))
        return (struct decimal){0};
    int64_t factor = (int64_t)(scaled + 0.5);
    double apart = scaled - (double)factor; // two of the last bits are less than DIGITS show
    bool is_one = apart <= scaled * 4e-16 && apart >= scaled * -4e-16;
    return (struct decimal){is_one ? factor : 0, PLACES};
}

/* The number of an integer field; of a float its bits. */
static inline int64_t integer_at(const uint8_t *at, enum wire_type type, enum wire_order order)
{
    bool is_little = order == WIRE_LITTLE_ENDIAN;
    uint32_t pair, four;
    switch (type) {
    case WIRE_U16:
    case WIRE_I16:
        pair = is_little ? (uint32_t)at[0] | (uint32_t)at[1] << 8
                         : (uint32_t)at[1] | (uint32_t)at[0] << 8;
        return type == WIRE_U16 ? (int64_t)pair : (int16_t)pair;
    case WIRE_U32:
    case WIRE_I32:
    case WIRE_F32: // its bits
        four = is_little ? (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                               (uint32_t)at[3] << 24
                         : (uint32_t)at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 |
                               (uint32_t)at[0] << 24;
        return type == WIRE_I32 ? (int32_t)four : (int64_t)four;
    default:
        return type == WIRE_I8 ? (int8_t)at[0] : at[0];
    }
}

static double float_of(int64_t bits)
{
    uint32_t u32 = (uint32_t)bits;
    float f32;
    memcpy(&f32, &u32, sizeof f32);
    return (double)f32;
}

/* A number with any scale, or a float. NULL_TEXT: written instead of a number that is not finite;
 * or NULL. */
static void add_odd_value(struct writer *to, const struct wire_field *field, int64_t number,
                          const char *null_text)
{
    bool is_float = field->type == WIRE_F32;
    double value = (is_float ? float_of(number) : (double)number) * field->scale;
    if (null_text && !isfinite(value))
        writer_text(to, null_text);
    else
        writer_significant(to, value, is_float ? DIGITS_F32 : DIGITS);
}

/* The number AT in the unit of its field. The usual scales need no division. */
static inline void add_value(struct writer *to, const struct wire_field *field,
                             enum wire_order order, const uint8_t *at, const char *null_text)
{
    static const int64_t whole = INT64_C(10000000000); // of DIGITS
    int64_t number = integer_at(at, field->type, order);
    if (field->bit_count)
        number = wire_bits(field, (uint32_t)number);
    struct decimal scale = {0};
    if (field->type != WIRE_F32)
        scale = decimal_of(field->scale);
    int64_t scaled = number * scale.factor;
    if (scale.factor != 0 && scaled < whole && scaled > -whole)
        writer_decimal(to, scaled, scale.places);
    else
        add_odd_value(to, field, number, null_text);
}

static void add_array(struct writer *to, const struct wire_field *field, enum wire_order order,
                      const uint8_t *at, char between, const char *null_text)
{
    size_t step = wire_type_size(field->type);
    writer_char(to, '[');
    for (size_t i = 0; i < field->count; i++, at += step) {
        if (i > 0)
            writer_char(to, between);
        add_value(to, field, order, at, null_text);
    }
    writer_char(to, ']');
}

static void add_text(struct writer *to, const char *text, size_t size, const char *escape)
{
    writer_char(to, '"');
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        bool is_plain = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
        if (is_plain) {
            writer_char(to, text[i]);
            continue;
        }
        writer_text(to, escape);
        writer_hex(to, (uint8_t)text[i]);
    }
    writer_char(to, '"');
}

/* The name of a field between two texts of at most two characters each. */
static inline void add_name(struct writer *to, const char *before, const struct wire_field *field,
                            const char *after)
{
    size_t head = strlen(before), tail = strlen(after);
    if (to->last - to->used < head + field->name_size + tail) {
        writer_chars(to, before, head);
        writer_chars(to, field->name, field->name_size);
        writer_chars(to, after, tail);
        return;
    }
    char *at = to->text + to->used;
    writer_copy(at, before, head);
    writer_copy(at + head, field->name, field->name_size);
    writer_copy(at + head + field->name_size, after, tail);
    to->used += head + field->name_size + tail;
}

/* ---- Fields ---- */

struct style {
    const char *first, *next, *after; /* texts before and after a name */
    const char *escape;               /* before the two hexadecimal digits of a character that is
                                       * not printable */
    const char *null_text;            /* for a number that is not finite; NULL: the number is
                                       * written */
    char between;                     /* between elements */
    bool has_units;
};

static const struct style words = {" ", ", ", "=", "\\x", NULL, ' ', true};
static const struct style json = {"\"", ",\"", "\":", "\\u00", "null", ',', false};

/* The value of a field: `value unit`, `[value value] unit` or `"text"`. */
static void add_field(struct writer *to, const struct wire_field *field, enum wire_order order,
                      const uint8_t *at, const struct style *style)
{
    if (field->type == WIRE_CHAR) {
        add_text(to, (const char *)at, field->count, style->escape);
        return;
    }
    if (field->count == 1)
        add_value(to, field, order, at, style->null_text);
    else
        add_array(to, field, order, at, style->between, style->null_text);
    if (style->has_units && field->unit && field->unit[0] != '\0') {
        writer_char(to, ' ');
        writer_text(to, field->unit);
    }
}

static void add_fields(struct writer *to, const struct wire_packet *packet, const uint8_t *body,
                       size_t size, const struct style *style)
{
    size_t at = 0;
    for (size_t i = 0; i < packet->field_count; i++) {
        const struct wire_field *field = &packet->fields[i];
        size_t next = at + wire_field_size(field);
        assert(next <= size);
        add_name(to, i == 0 ? style->first : style->next, field, style->after);
        add_field(to, field, packet->order, body + at, style);
        at = next;
    }
}

/* ---- As words ---- */

/* The elements after the fixed part, each in braces, then the remaining bytes. Characters are
 * written as one text, elements that are bytes in hexadecimal. */
static void add_repeats(struct writer *to, const struct wire_packet *element, const uint8_t *bytes,
                        size_t size)
{
    size_t step = wire_size(element);
    assert(step > 0);
    if (element->field_count == 1 && element->fields[0].type == WIRE_CHAR && step == 1) {
        writer_char(to, ' ');
        add_text(to, (const char *)bytes, size, "\\x");
        return;
    }
    if (element->is_bytes) {
        writer_char(to, ' ');
        describe_bytes(to, bytes, size);
        return;
    }
    for (; size >= step && to->used < to->last; bytes += step, size -= step) {
        writer_chars(to, " {", 2);
        writer_text(to, element->name);
        add_fields(to, element, bytes, step, &words);
        writer_char(to, '}');
    }
    if (size > 0) {
        writer_text(to, " and ");
        describe_bytes(to, bytes, size);
    }
}

static void add_packet(struct writer *to, const struct wire_packet *packet, const uint8_t *body,
                       size_t size)
{
    size_t fixed = packet->size;
    writer_text(to, packet->name);
    if (packet->repeat ? size < fixed : size != fixed) {
        writer_text(to, " of ");
        writer_decimal(to, (int64_t)size, 0);
        writer_text(to, " bytes instead of ");
        writer_decimal(to, (int64_t)fixed, 0);
        writer_text(to, ": ");
        describe_bytes(to, body, size);
        return;
    }
    add_fields(to, packet, body, fixed, &words);
    if (packet->repeat)
        add_repeats(to, packet->repeat, body + fixed, size - fixed);
}

size_t describe_packet(const struct wire_packet *packet, const uint8_t *body, size_t size,
                       char *text, size_t text_size)
{
    struct writer to = writer_begin(text, text_size);
    add_packet(&to, packet, body, size);
    return writer_end(&to);
}

void describe_part(struct writer *to, const struct wire_packet *packet, uint8_t id,
                   const uint8_t *body, size_t size)
{
    if (to->used > 0)
        writer_chars(to, "; ", 2);
    if (packet) {
        add_packet(to, packet, body, size);
        return;
    }
    writer_text(to, "unknown 0x");
    writer_hex(to, id);
    writer_text(to, ": ");
    describe_bytes(to, body, size);
}

static void visit_part(void *user, const struct wire_packet *packet, uint8_t id,
                       const uint8_t *body, size_t size)
{
    describe_part(user, packet, id, body, size);
}

size_t describe_frame(const struct robot_type *type, unsigned channel,
                      enum wire_direction direction, uint16_t promised, const uint8_t *frame,
                      size_t size, char *text, size_t text_size)
{
    struct writer to = writer_begin(text, text_size);
    if (!robot_walk(type, channel, direction, promised, frame, size, visit_part, &to))
        describe_bytes(&to, frame, size);
    return writer_end(&to);
}

size_t describe_example(const struct robot_type *type, unsigned channel,
                        const struct wire_packet *packet, uint8_t frame[DESCRIBE_EXAMPLE_MAX])
{
    uint8_t body[DESCRIBE_EXAMPLE_MAX - WIRE_WRAP_MAX] = {0};
    size_t size = wire_size(packet);
    size_t step = packet->repeat ? wire_size(packet->repeat) : 0;
    const uint8_t *element = packet->example_elements;
    assert(size + step * packet->example_element_count <= sizeof body);
    if (packet->example)
        wire_encode(packet, packet->example, body);
    for (size_t i = 0; packet->repeat && i < packet->example_element_count; i++, size += step)
        wire_encode(packet->repeat, element + i * packet->repeat->struct_size, body + size);
    return wire_frame_wrap(robot_framing(type, channel, packet->direction), packet, body, size,
                           frame);
}

/* ---- The same as JSON ---- */

static void add_json_hex(struct writer *to, const char *key, const uint8_t *bytes, size_t size)
{
    writer_chars(to, ",\"", 2);
    writer_text(to, key);
    writer_chars(to, "\":\"", 3);
    for (size_t i = 0; i < size; i++)
        writer_hex(to, bytes[i]);
    writer_char(to, '"');
}

static void add_json_repeats(struct writer *to, const struct wire_packet *element,
                             const uint8_t *bytes, size_t size)
{
    size_t step = wire_size(element);
    writer_chars(to, ",\"", 2);
    writer_text(to, element->name);
    writer_chars(to, "\":[", 3);
    for (size_t at = 0; size - at >= step && to->used < to->last; at += step) {
        if (at > 0)
            writer_char(to, ',');
        writer_char(to, '{');
        add_fields(to, element, bytes + at, step, &json);
        writer_char(to, '}');
    }
    writer_char(to, ']');
    if (size % step > 0)
        add_json_hex(to, "rest", bytes + size - size % step, size % step);
}

void describe_part_json(struct writer *to, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size)
{
    if (to->used > 0)
        writer_char(to, ',');
    size_t fixed = packet ? packet->size : 0;
    if (!packet) {
        writer_text(to, "{\"unknown\":");
        writer_decimal(to, id, 0);
        add_json_hex(to, "bytes", body, size);
    } else if (packet->repeat ? size < fixed : size != fixed) {
        writer_text(to, "{\"wrong_size\":\"");
        writer_text(to, packet->name);
        writer_char(to, '"');
        add_json_hex(to, "bytes", body, size);
    } else {
        writer_text(to, "{\"packet\":\"");
        writer_text(to, packet->name);
        writer_chars(to, "\",", packet->field_count > 0 ? 2 : 1);
        add_fields(to, packet, body, fixed, &json);
        if (packet->repeat)
            add_json_repeats(to, packet->repeat, body + fixed, size - fixed);
    }
    writer_char(to, '}');
}
