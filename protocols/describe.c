/* Frames and packets in words, from the field tables. Knows no robot: each type splits its own
 * frames (robot_type.walk). */
#include "protocols/describe.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

enum {
    DESCRIBE_MESSAGE_MAX = 512, /* bytes of a message struct; payloads are below 256 */
    DESCRIBE_INTEGER_MAX = 24,  /* characters of any 64-bit integer, with sign and point */
    DESCRIBE_DIGITS = 10,       /* enough for any 32-bit integer */
    DESCRIBE_DIGITS_F32 = 7,    /* a float's own digits, so that 0.1 reads 0.1 */
};

/* Text that grows up to its size and then stops, always terminated. */
struct description {
    char *text;
    size_t size;
    size_t last; /* characters that fit in front of the end */
    size_t used;
};

/* The texts are short and many: this is faster than calls of libc. */
static void add_chars(struct description *to, const char *text, size_t length)
{
    size_t room = to->last - to->used;
    char *at = to->text + to->used;
    length = length < room ? length : room;
    to->used += length;
    for (; length >= 8; length -= 8, at += 8, text += 8)
        memcpy(at, text, 8);
    if (length >= 4) {
        memcpy(at, text, 4);
        at += 4, text += 4, length -= 4;
    }
    for (size_t i = 0; i < length; i++)
        at[i] = text[i];
}

static void add_char(struct description *to, char letter)
{
    if (to->used < to->last)
        to->text[to->used++] = letter;
}

static void add(struct description *to, const char *text)
{
    size_t used = to->used;
    while (*text != '\0' && used < to->last)
        to->text[used++] = *text++;
    to->used = used;
}

static void add_hex(struct description *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    add_chars(to, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
}

static void add_bytes(struct description *to, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && to->used + 1 < to->size; i++) {
        add(to, i == 0 ? "" : " ");
        add_hex(to, bytes[i]);
    }
}

/* The digits of a number in front of AT; returns where they begin. */
static char *write_digits(char *at, uint64_t number)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    for (; number > 99; number /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (number % 100), 2);
    }
    if (number > 9) {
        at -= 2;
        memcpy(at, pairs + 2 * number, 2);
    } else {
        *--at = (char)('0' + number);
    }
    return at;
}

/* An integer divided by a power of ten, without needless zeros. */
static void add_decimal(struct description *to, int64_t number, unsigned places)
{
    char text[DESCRIBE_INTEGER_MAX], *at = text + sizeof text;
    uint64_t rest = (uint64_t)(number < 0 ? -number : number);
    if (number < 0)
        add_char(to, '-');
    if (rest <= 9 && (places == 0 || rest == 0)) {
        add_char(to, (char)('0' + rest));
        return;
    }
    for (; places > 0 && rest % 10 == 0; rest /= 10)
        places--;
    if (places > 0) {
        for (; places > 0; places--, rest /= 10)
            *--at = (char)('0' + rest % 10);
        *--at = '.';
    }
    at = write_digits(at, rest);
    add_chars(to, at, (size_t)(text + sizeof text - at));
}

/* VALUE as number_print writes it, without its cost, since recordings are long. False, and nothing
 * written: the digits behind the last one are too near to a half to tell, or it is very large or
 * small, or not finite. */
static bool add_significant(struct description *to, double value, int digits)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                    1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};
    static const double steps[] = {1e5, 1e4, 1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3};
    double size = fabs(value);
    if (!(size >= 1e-4 && size < 1e6))
        return false;
    int places = digits - 6; // of 100 000 and more
    for (size_t i = 0; i < COUNT(steps) && size < steps[i]; i++)
        places++;
    // Powers of ten are exact, so the product is off by half of its last bit at most.
    double scaled = size * powers[places], whole = floor(scaled), rest = scaled - whole;
    if (fabs(rest - 0.5) < 1e-4)
        return false;
    int64_t number = (int64_t)whole + (rest > 0.5);
    add_decimal(to, value < 0 ? -number : number, (unsigned)places);
    return true;
}

/* Decimal places of a scale like 0.01; -1: it is none of these. */
static int scale_places(double scale)
{
    static const double scales[] = {1, 0.1, 0.01, 0.001, 0.0001};
    for (int i = 0; i < (int)COUNT(scales); i++)
        if (scale == scales[i])
            return i;
    return -1;
}

/* Element INDEX of a field of integers. */
static int64_t integer_of(const struct wire_field *field, const void *message, size_t index)
{
    const uint8_t *at = (const uint8_t *)message + field->offset;
    uint16_t u16;
    uint32_t u32;
    switch (field->type) {
    case WIRE_U16:
    case WIRE_I16:
        memcpy(&u16, at + 2 * index, sizeof u16);
        return field->type == WIRE_U16 ? (int64_t)u16 : (int16_t)u16;
    case WIRE_U32:
    case WIRE_I32:
        memcpy(&u32, at + 4 * index, sizeof u32);
        return field->type == WIRE_U32 ? (int64_t)u32 : (int32_t)u32;
    default:
        return field->type == WIRE_I8 ? (int8_t)at[index] : at[index];
    }
}

/* Element INDEX of a field in its unit. The usual scales are written without a division, since
 * recordings are long. NULL_TEXT: what to write for no number. */
static void add_value(struct description *to, const struct wire_field *field, const void *message,
                      size_t index, const char *null_text)
{
    char number[32];
    int places = field->type == WIRE_F32 ? -1 : scale_places(field->scale);
    if (places >= 0) {
        add_decimal(to, integer_of(field, message, index), (unsigned)places);
        return;
    }
    double value = wire_value(field, message, index);
    if (null_text && !isfinite(value)) {
        add(to, null_text);
        return;
    }
    int digits = field->type == WIRE_F32 ? DESCRIBE_DIGITS_F32 : DESCRIBE_DIGITS;
    if (add_significant(to, value, digits))
        return;
    number_print(value, digits, number, sizeof number);
    add(to, number);
}

static void add_text(struct description *to, const char *text, size_t size, const char *escape)
{
    add(to, "\"");
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        bool is_plain = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
        if (is_plain) {
            add_chars(to, text + i, 1);
            continue;
        }
        add(to, escape);
        add_hex(to, (uint8_t)text[i]);
    }
    add(to, "\"");
}

/* `name=value unit`, `name=[value value] unit` or `name="text"`. */
static void add_field(struct description *to, const struct wire_field *field, const void *message)
{
    add_chars(to, field->name, field->name_size);
    add_char(to, '=');
    if (field->type == WIRE_CHAR) {
        add_text(to, (const char *)message + field->offset, field->count, "\\x");
        return;
    }
    if (field->count > 1)
        add_char(to, '[');
    for (size_t i = 0; i < field->count; i++) {
        if (i > 0)
            add_char(to, ' ');
        add_value(to, field, message, i, NULL);
    }
    if (field->count > 1)
        add_char(to, ']');
    if (field->unit && field->unit[0] != '\0') {
        add_char(to, ' ');
        add(to, field->unit);
    }
}

/* Aligned for any member of a message struct. */
union message {
    uint32_t align;
    uint8_t bytes[DESCRIBE_MESSAGE_MAX];
};

static void decode(const struct wire_packet *packet, const uint8_t *body, size_t size,
                   union message *message)
{
    assert(packet->struct_size <= sizeof *message);
    bool is_whole = wire_decode(packet, body, size, message);
    assert(is_whole);
    (void)is_whole;
}

static void add_fields(struct description *to, const struct wire_packet *packet,
                       const uint8_t *body, size_t size)
{
    union message message;
    decode(packet, body, size, &message);
    for (size_t i = 0; i < packet->field_count; i++) {
        if (i > 0)
            add_char(to, ',');
        add_char(to, ' ');
        add_field(to, &packet->fields[i], &message);
    }
}

/* The elements after the fixed part, each in braces, then the bytes that are left over; letters as
 * one text. */
static void add_repeats(struct description *to, const struct wire_packet *element,
                        const uint8_t *bytes, size_t size)
{
    size_t step = wire_size(element);
    assert(step > 0);
    if (element->field_count == 1 && element->fields[0].type == WIRE_CHAR && step == 1) {
        add(to, " ");
        add_text(to, (const char *)bytes, size, "\\x");
        return;
    }
    for (; size >= step; bytes += step, size -= step) {
        add(to, " {");
        add(to, element->name);
        add_fields(to, element, bytes, step);
        add(to, "}");
    }
    if (size > 0) {
        add(to, " and ");
        add_bytes(to, bytes, size);
    }
}

static void add_packet(struct description *to, const struct wire_packet *packet,
                       const uint8_t *body, size_t size)
{
    size_t fixed = packet->size;
    add(to, packet->name);
    if (packet->repeat ? size < fixed : size != fixed) {
        add(to, " of ");
        add_decimal(to, (int64_t)size, 0);
        add(to, " bytes instead of ");
        add_decimal(to, (int64_t)fixed, 0);
        add(to, ": ");
        add_bytes(to, body, size);
        return;
    }
    add_fields(to, packet, body, packet->repeat ? fixed : size);
    if (packet->repeat)
        add_repeats(to, packet->repeat, body + fixed, size - fixed);
}

static struct description description_start(char *text, size_t size)
{
    return (struct description){.text = text, .size = size, .last = size > 0 ? size - 1 : 0};
}

/* Returns the characters written. */
static size_t description_end(const struct description *to)
{
    if (to->size > 0)
        to->text[to->used] = '\0';
    return to->used;
}

size_t describe_packet(const struct wire_packet *packet, const uint8_t *body, size_t size,
                       char *text, size_t text_size)
{
    struct description to = description_start(text, text_size);
    add_packet(&to, packet, body, size);
    return description_end(&to);
}

static void describe_part(void *user, const struct wire_packet *packet, uint8_t id,
                          const uint8_t *body, size_t size)
{
    struct description *to = user;
    add(to, to->used > 0 ? "; " : "");
    if (packet) {
        add_packet(to, packet, body, size);
        return;
    }
    add(to, "unknown 0x");
    add_hex(to, id);
    add(to, ": ");
    add_bytes(to, body, size);
}

size_t describe_frame(const struct robot_type *type, unsigned channel,
                      enum wire_direction direction, uint16_t promised, const uint8_t *frame,
                      size_t size, char *text, size_t text_size)
{
    struct description to = description_start(text, text_size);
    if (!robot_walk(type, channel, direction, promised, frame, size, describe_part, &to)) {
        to = description_start(text, text_size);
        add_bytes(&to, frame, size);
    }
    return description_end(&to);
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

static void add_json_field(struct description *to, const struct wire_field *field,
                           const void *message)
{
    add_char(to, '"');
    add_chars(to, field->name, field->name_size);
    add_chars(to, "\":", 2);
    if (field->type == WIRE_CHAR) {
        add_text(to, (const char *)message + field->offset, field->count, "\\u00");
        return;
    }
    if (field->count > 1)
        add_char(to, '[');
    for (size_t i = 0; i < field->count; i++) {
        if (i > 0)
            add_char(to, ',');
        add_value(to, field, message, i, "null");
    }
    if (field->count > 1)
        add_char(to, ']');
}

static void add_json_fields(struct description *to, const struct wire_packet *packet,
                            const uint8_t *body, size_t size)
{
    union message message;
    decode(packet, body, size, &message);
    for (size_t i = 0; i < packet->field_count; i++) {
        if (i > 0)
            add_char(to, ',');
        add_json_field(to, &packet->fields[i], &message);
    }
}

static void add_json_hex(struct description *to, const char *key, const uint8_t *bytes, size_t size)
{
    add(to, ",\"");
    add(to, key);
    add(to, "\":\"");
    for (size_t i = 0; i < size; i++)
        add_hex(to, bytes[i]);
    add(to, "\"");
}

static void add_json_repeats(struct description *to, const struct wire_packet *element,
                             const uint8_t *bytes, size_t size)
{
    size_t step = wire_size(element);
    add(to, ",\"");
    add(to, element->name);
    add(to, "\":[");
    for (size_t at = 0; size - at >= step; at += step) {
        add(to, at == 0 ? "{" : ",{");
        add_json_fields(to, element, bytes + at, step);
        add(to, "}");
    }
    add(to, "]");
    if (size % step > 0)
        add_json_hex(to, "rest", bytes + size - size % step, size % step);
}

static void json_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                      size_t size)
{
    struct description *to = user;
    add(to, to->used <= 1 ? "{" : ",{");
    size_t fixed = packet ? packet->size : 0;
    if (!packet) {
        add(to, "\"unknown\":");
        add_decimal(to, id, 0);
        add_json_hex(to, "bytes", body, size);
    } else if (packet->repeat ? size < fixed : size != fixed) {
        add(to, "\"wrong_size\":\"");
        add(to, packet->name);
        add(to, "\"");
        add_json_hex(to, "bytes", body, size);
    } else {
        add(to, "\"packet\":\"");
        add(to, packet->name);
        add(to, packet->field_count > 0 ? "\"," : "\"");
        add_json_fields(to, packet, body, packet->repeat ? fixed : size);
        if (packet->repeat)
            add_json_repeats(to, packet->repeat, body + fixed, size - fixed);
    }
    add(to, "}");
}

size_t describe_frame_json(const struct robot_type *type, unsigned channel,
                           enum wire_direction direction, uint16_t promised, const uint8_t *frame,
                           size_t size, char *text, size_t text_size)
{
    struct description to = description_start(text, text_size);
    add(&to, "[");
    if (!robot_walk(type, channel, direction, promised, frame, size, json_part, &to))
        return 0;
    add(&to, "]");
    return description_end(&to);
}
