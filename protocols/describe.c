/* Frames and packets in words, from the field tables. Knows no robot: each type splits its own
 * frames (robot_type.walk). */
#include "protocols/describe.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum {
    DESCRIBE_MESSAGE_MAX = 512, /* bytes of a message struct; payloads are below 256 */
    DESCRIBE_DIGITS = 10,       /* enough for any 32-bit integer */
    DESCRIBE_DIGITS_F32 = 7,    /* a float's own digits, so that 0.1 reads 0.1 */
};

/* Text that grows up to its size and then stops, always terminated. */
struct description {
    char *text;
    size_t size;
    size_t used;
};

static void __attribute__((format(printf, 2, 3)))
add(struct description *to, const char *format, ...)
{
    if (to->used + 1 >= to->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(to->text + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    size_t room = to->size - to->used - 1;
    to->used += (size_t)wanted < room ? (size_t)wanted : room;
}

static void add_bytes(struct description *to, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && to->used + 1 < to->size; i++)
        add(to, i == 0 ? "%02x" : " %02x", bytes[i]);
}

static void add_text(struct description *to, const char *text, size_t size)
{
    add(to, "\"");
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        bool is_plain = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';
        add(to, is_plain ? "%c" : "\\x%02x", (unsigned char)text[i]);
    }
    add(to, "\"");
}

/* `name=value unit`, `name=[value value] unit` or `name="text"`. */
static void add_field(struct description *to, const struct wire_field *field, const void *message)
{
    add(to, "%s=", field->name);
    if (field->type == WIRE_CHAR) {
        add_text(to, (const char *)message + field->offset, field->count);
        return;
    }
    add(to, field->count > 1 ? "[" : "");
    for (size_t i = 0; i < field->count; i++) {
        char number[32];
        int digits = field->type == WIRE_F32 ? DESCRIBE_DIGITS_F32 : DESCRIBE_DIGITS;
        number_print(wire_value(field, message, i), digits, number, sizeof number);
        add(to, i == 0 ? "%s" : " %s", number);
    }
    add(to, field->count > 1 ? "]" : "");
    if (field->unit && field->unit[0] != '\0')
        add(to, " %s", field->unit);
}

static void add_fields(struct description *to, const struct wire_packet *packet,
                       const uint8_t *body, size_t size)
{
    /* Aligned for any member of a message struct. */
    union {
        uint32_t align;
        uint8_t bytes[DESCRIBE_MESSAGE_MAX];
    } message = {0};
    assert(packet->struct_size <= sizeof message);
    bool is_whole = wire_decode(packet, body, size, &message);
    assert(is_whole);
    (void)is_whole;
    for (size_t i = 0; i < packet->field_count; i++) {
        add(to, i == 0 ? " " : ", ");
        add_field(to, &packet->fields[i], &message);
    }
}

/* The elements after the fixed part, each in braces, then the bytes that are left over. */
static void add_repeats(struct description *to, const struct wire_packet *element,
                        const uint8_t *bytes, size_t size)
{
    size_t step = wire_size(element);
    assert(step > 0);
    for (; size >= step; bytes += step, size -= step) {
        add(to, " {%s", element->name);
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
    size_t fixed = wire_size(packet);
    add(to, "%s", packet->name);
    if (packet->repeat ? size < fixed : size != fixed) {
        add(to, " of %zu bytes instead of %zu: ", size, fixed);
        add_bytes(to, body, size);
        return;
    }
    add_fields(to, packet, body, packet->repeat ? fixed : size);
    if (packet->repeat)
        add_repeats(to, packet->repeat, body + fixed, size - fixed);
}

static struct description description_start(char *text, size_t size)
{
    if (size > 0)
        text[0] = '\0';
    return (struct description){.text = text, .size = size};
}

size_t describe_packet(const struct wire_packet *packet, const uint8_t *body, size_t size,
                       char *text, size_t text_size)
{
    struct description to = description_start(text, text_size);
    add_packet(&to, packet, body, size);
    return to.used;
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
    add(to, "unknown 0x%02x: ", id);
    add_bytes(to, body, size);
}

size_t describe_frame(const struct robot_type *type, unsigned channel,
                      enum wire_direction direction, const uint8_t *frame, size_t size, char *text,
                      size_t text_size)
{
    struct description to = description_start(text, text_size);
    if (!type->walk(channel, direction, frame, size, describe_part, &to)) {
        to = description_start(text, text_size);
        add_bytes(&to, frame, size);
    }
    return to.used;
}

size_t describe_example(const struct robot_type *type, unsigned channel,
                        const struct wire_packet *packet, uint8_t frame[DESCRIBE_EXAMPLE_MAX])
{
    uint8_t body[DESCRIBE_EXAMPLE_MAX - ROBOT_WRAP_MAX] = {0};
    size_t size = wire_size(packet);
    size_t step = packet->repeat ? wire_size(packet->repeat) : 0;
    const uint8_t *element = packet->example_elements;
    assert(size + step * packet->example_element_count <= sizeof body);
    if (packet->example)
        wire_encode(packet, packet->example, body);
    for (size_t i = 0; i < packet->example_element_count; i++, size += step)
        wire_encode(packet->repeat, element + i * packet->repeat->struct_size, body + size);
    return type->wrap(channel, packet, body, size, frame);
}
