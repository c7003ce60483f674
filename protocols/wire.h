/* Field tables: a packet is a plain struct with a const table of its fields. The same table feeds
 * encoding, decoding, the text of a decoded frame, signals, documentation and tests. Framing
 * (headers, lengths, checksums) belongs to each protocol. Data that a table cannot describe
 * (images) is written with a cursor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum wire_type {
    WIRE_U8,
    WIRE_I8,
    WIRE_U16,
    WIRE_I16,
    WIRE_U32,
    WIRE_I32,
    WIRE_F32,
    WIRE_CHAR, /* one character of text; an array is padded with NUL */
};

enum wire_order { WIRE_LITTLE_ENDIAN, WIRE_BIG_ENDIAN };

enum wire_direction { WIRE_TO_HOST, WIRE_TO_ROBOT };

/* How `ptybot compare` compares a field of a real robot with that of the virtual one. The
 * tolerances are chosen. */
enum wire_held {
    WIRE_HELD_BY_UNIT, /* as a value, with the tolerance of its unit (app/lab/compare/compare.c) */
    WIRE_HELD_VALUE,   /* the value at the same time */
    WIRE_HELD_COUNT,   /* the change since the start, modulo the range of the field; 360 degrees
                        * for an angle */
    WIRE_HELD_ROOM,    /* depends on the room: compared only on request */
    WIRE_HELD_NEVER,
};

struct wire_tolerance {
    enum wire_held how;
    double amount; /* in the field's unit */
    double share;  /* added to AMOUNT: this share of the value, or of its change for
                    * WIRE_HELD_COUNT */
};

/* One field. Fields follow each other on the wire without padding, in the table's order. */
struct wire_field {
    const char *name;    /* lower_case, as in the struct */
    uint8_t name_size;   /* number of characters of the name */
    enum wire_type type; /* inferred from the struct member by the macros below */
    uint16_t count;      /* 1, or the length of an array */
    size_t offset;       /* in the struct, bytes */
    double scale;        /* value in UNIT = number on the wire x scale */
    const char *unit;    /* "mm/s", "V", "" for flags and counts */
    const char *note;    /* bits, ranges, oddities */
    struct wire_tolerance tolerance;
    bool is_sign;                /* sign of the next field, which is an amount; not 0: negative */
    uint8_t bit_from, bit_count; /* bits of the number on the wire; count 0: all bits */
    uint8_t sign_bit; /* not 0: this bit is the sign, and those below it are the amount */
    bool is_part;     /* shares its bytes with the next field */
};

/* The formatter breaks _Generic and a # at the start of a line. */
/* clang-format off */
#define WIRE_TYPE_OF(value)                                                                        \
    _Generic((value),                                                                              \
        uint8_t: WIRE_U8,                                                                          \
        int8_t: WIRE_I8,                                                                           \
        uint16_t: WIRE_U16,                                                                        \
        int16_t: WIRE_I16,                                                                         \
        uint32_t: WIRE_U32,                                                                        \
        int32_t: WIRE_I32,                                                                         \
        float: WIRE_F32,                                                                           \
        char: WIRE_CHAR)

/* Table rows: WIRE_FIELD(struct_tag, member, scale, unit, note); WIRE_ARRAY for an array. Further
 * members may follow: .tolerance = {...} */
#define WIRE_FIELD(tag, member, in_units, of_unit, ...)                                            \
    {                                                                                              \
        .name = #member, .name_size = sizeof #member - 1,                                          \
        .type = WIRE_TYPE_OF(((struct tag *)0)->member), .count = 1,                               \
        .offset = offsetof(struct tag, member), .scale = in_units, .unit = of_unit,                \
        .note = __VA_ARGS__                                                                        \
    }
#define WIRE_ARRAY(tag, member, in_units, of_unit, ...)                                            \
    {                                                                                              \
        .name = #member, .name_size = sizeof #member - 1,                                          \
        .type = WIRE_TYPE_OF(((struct tag *)0)->member[0]),                                        \
        .count = sizeof(((struct tag *)0)->member) / sizeof(((struct tag *)0)->member[0]),         \
        .offset = offsetof(struct tag, member), .scale = in_units, .unit = of_unit,                \
        .note = __VA_ARGS__                                                                        \
    }
/* A field LABEL that is BITS bits of a member, from bit FROM on. */
#define WIRE_BITS(tag, label, member, from, bits, in_units, of_unit, ...)                          \
    {                                                                                              \
        .name = #label, .name_size = sizeof #label - 1,                                            \
        .type = WIRE_TYPE_OF(((struct tag *)0)->member), .count = 1, .bit_from = from,             \
        .bit_count = bits, .offset = offsetof(struct tag, member), .scale = in_units,              \
        .unit = of_unit, .note = __VA_ARGS__                                                       \
    }
/* clang-format on */

/* The bits of a number on the wire that belong to a field. */
static inline uint32_t wire_bits(const struct wire_field *field, uint32_t number)
{
    return field->bit_count ? number >> field->bit_from & ((1u << field->bit_count) - 1) : number;
}

/* Converts between a signed value and sign and amount (wire_field.sign_bit). Values out of range
 * saturate. */
static inline int32_t wire_signed(uint32_t number, unsigned sign_bit)
{
    int32_t amount = (int32_t)(number & ((1u << sign_bit) - 1));
    return number >> sign_bit & 1 ? -amount : amount;
}
static inline uint16_t wire_unsigned(double value, unsigned sign_bit)
{
    double most = (1u << sign_bit) - 1, size = value < 0 ? -value : value;
    uint32_t amount = (uint32_t)(size < most ? size + 0.5 : most);
    return (uint16_t)(amount | (value < 0 && amount > 0 ? 1u << sign_bit : 0));
}

/* One kind of packet, or of sub-payload if a frame has several. */
struct wire_packet {
    const char *name; /* lower_case; the prefix of its signals */
    uint8_t id;       /* on the wire */
    bool has_no_id;   /* identified by other means: a single byte, a line of text */
    bool is_bytes;    /* an element that is shown as hexadecimal bytes, without its name */
    enum wire_direction direction;
    enum wire_order order;
    uint16_t size; /* documented bytes of the body, without id, length and checksum */
    const struct wire_field *fields;
    size_t field_count;
    size_t struct_size;               /* sizeof the message struct */
    const struct wire_packet *repeat; /* element repeated from SIZE to the body's end, or NULL */
    const char *note;                 /* when it is sent, and the source of the layout */
    const void *example;              /* a message for documents; NULL: all zero */
    const void *example_elements;     /* elements of REPEAT that follow the example */
    size_t example_element_count;     /* 0 although the packet repeats elements: too long for a
                                       * document */
};

/* Defines NAME_fields, a short table of fields. */
#define WIRE_FIELDS(name, ...) static const struct wire_field name##_fields[] = {__VA_ARGS__}

/* A packet with the array ROWS of fields, which are members of `struct TAG`. Designators of the
 * other members follow, such as .note = "..." and WIRE_EXAMPLE(tag, .speed = 200). */
#define WIRE_PACKET(text, number, to, bytes_in, bytes, rows, tag, ...)                             \
    {                                                                                              \
        .name = (text), .id = (number), .direction = (to), .order = (bytes_in), .size = (bytes),   \
        .fields = (rows), .field_count = COUNT(rows), .struct_size = sizeof(struct tag),           \
        __VA_ARGS__                                                                                \
    }
#define WIRE_EXAMPLE(tag, ...)                                                                     \
    .example = &(const struct tag)                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* A packet that is only text, one ELEMENT for each character. CHARACTERS: an example. */
#define WIRE_TEXT_PACKET(text, to, bytes_in, element, words, characters)                           \
    {                                                                                              \
        .name = (text), .has_no_id = true, .direction = (to), .order = (bytes_in),                 \
        .repeat = &(element), .note = (words), .example_elements = (characters),                   \
        .example_element_count = sizeof(characters) - 1                                            \
    }

/* Size of a number, of a field, or of all fields of a packet on the wire, in bytes. */
static inline size_t wire_type_size(enum wire_type type)
{
    bool is_one = type == WIRE_U8 || type == WIRE_I8 || type == WIRE_CHAR;
    return is_one ? 1 : type == WIRE_U16 || type == WIRE_I16 ? 2 : 4;
}
static inline size_t wire_field_size(const struct wire_field *field)
{
    return field->is_part ? 0 : wire_type_size(field->type) * field->count;
}
size_t wire_size(const struct wire_packet *packet);

/* Writes MESSAGE (a packet->struct_size struct) into OUT, which has room for wire_size() bytes.
 * Returns the bytes written. */
size_t wire_encode(const struct wire_packet *packet, const void *message, uint8_t *out);

/* Fills MESSAGE from a body. Returns false and leaves MESSAGE unchanged if SIZE is not exactly
 * wire_size(); a packet that repeats an element also accepts more. */
bool wire_decode(const struct wire_packet *packet, const uint8_t *body, size_t size, void *message);

/* Element INDEX of a field as a number: on the wire (raw), and in the field's unit (value). */
double wire_raw(const struct wire_field *field, const void *message, size_t index);
double wire_value(const struct wire_field *field, const void *message, size_t index);

/* A cursor to read or write data that a table cannot describe. Running past the end clears OK and
 * reads 0, so the caller checks only once, at the end. */
struct wire_cursor {
    uint8_t *bytes;
    size_t size;
    size_t at;
    enum wire_order order;
    bool ok;
};

void wire_put_u32(struct wire_cursor *cursor, uint32_t value);
uint32_t wire_get_u32(struct wire_cursor *cursor);

/* Rounds to the nearest integer (halves away from zero) and saturates to the type's range; NaN
 * gives 0. Only here do SI doubles become wire integers. */
uint8_t wire_saturate_u8(double value);
int8_t wire_saturate_i8(double value);
uint16_t wire_saturate_u16(double value);
int16_t wire_saturate_i16(double value);
int32_t wire_saturate_i32(double value);

/* Checksums: XOR of all bytes, and the low eight bits of their sum; 0 for no bytes. */
uint8_t wire_xor(const uint8_t *bytes, size_t size);
uint8_t wire_sum(const uint8_t *bytes, size_t size);
/* Polynomial 4D, initial value 0, not reflected, as in LiDARs of LDROBOT. */
uint8_t wire_crc8(const uint8_t *bytes, size_t size);
/* Polynomial 8005, initial value 0, not reflected, as in Dynamixel 2.0. */
uint16_t wire_crc16(const uint8_t *bytes, size_t size);

/* Stuffing of Dynamixel 2.0. FF FF FD begins a frame; inside a frame an additional FD follows these
 * bytes. wire_stuff works in place, with room for a third more. Both functions return the new size.
 * wire_is_stuffed: whether the frame has such an additional byte. */
size_t wire_stuff(uint8_t *bytes, size_t size);
size_t wire_unstuff(const uint8_t *bytes, size_t size, uint8_t *out);
bool wire_is_stuffed(const uint8_t *bytes, size_t size);
