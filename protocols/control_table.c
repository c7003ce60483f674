/* Reading and writing byte ranges of a table of fields. */
#include "protocols/control_table.h"

#include <string.h>

/* A packet of one field, as the functions of wire.h need it. */
static struct wire_packet alone(const struct wire_field *field, enum wire_order order)
{
    return (struct wire_packet){.fields = field, .field_count = 1, .order = order};
}

static const struct control_row *row_of(const struct control_table *table, size_t address)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i].address == address)
            return &table->rows[i];
    return NULL;
}

static bool is_inside(const struct wire_field *field, size_t at, size_t address, size_t size)
{
    return field->type != WIRE_CHAR && at >= address &&
           at + wire_field_size(field) <= address + size;
}

void control_table_reset(const struct control_table *table, void *message)
{
    size_t at = 0;
    for (size_t i = 0; i < table->field_count; at += wire_field_size(&table->fields[i++])) {
        const struct wire_packet one = alone(&table->fields[i], WIRE_LITTLE_ENDIAN);
        const struct control_row *row = row_of(table, at);
        uint32_t number = row ? (uint32_t)(int64_t)row->initial : 0;
        uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                           (uint8_t)(number >> 24)};
        if (table->fields[i].type != WIRE_CHAR)
            wire_decode(&one, bytes, wire_size(&one), message);
        else
            memset((char *)message + table->fields[i].offset, 0, table->fields[i].count);
    }
}

void control_table_read(const struct control_table *table, const void *message, size_t address,
                        uint8_t *out, size_t size)
{
    size_t at = 0;
    memset(out, 0, size);
    for (size_t i = 0; i < table->field_count; at += wire_field_size(&table->fields[i++])) {
        const struct wire_packet one = alone(&table->fields[i], table->order);
        if (is_inside(&table->fields[i], at, address, size))
            wire_encode(&one, message, out + (at - address));
    }
}

/* Writes one field. */
static enum control_result write_field(enum wire_order order, const struct wire_field *field,
                                       const struct control_row *row, const uint8_t *bytes,
                                       void *message)
{
    const struct wire_packet one = alone(field, order);
    uint8_t before[4];
    if (row && row->is_read_only)
        return CONTROL_ACCESS;
    wire_encode(&one, message, before);
    wire_decode(&one, bytes, wire_size(&one), message);
    double number = wire_raw(field, message, 0);
    bool is_bounded = row && (row->least != 0 || row->most != 0);
    if (!is_bounded || (number >= row->least && number <= row->most))
        return CONTROL_OK;
    wire_decode(&one, before, wire_size(&one), message);
    return CONTROL_RANGE;
}

enum control_result control_table_write(const struct control_table *table, void *message,
                                        size_t address, const uint8_t *bytes, size_t size,
                                        uint64_t *effects)
{
    enum control_result result = CONTROL_OK;
    size_t at = 0;
    for (size_t i = 0; i < table->field_count; at += wire_field_size(&table->fields[i++])) {
        if (!is_inside(&table->fields[i], at, address, size))
            continue;
        const struct control_row *row = row_of(table, at);
        enum control_result one =
            write_field(table->order, &table->fields[i], row, bytes + (at - address), message);
        if (one != CONTROL_OK)
            result = one;
        else if (row && row->effect != 0)
            *effects |= UINT64_C(1) << row->effect;
    }
    return result;
}
