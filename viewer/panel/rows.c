/* The texts of all rows are in one array; the first text is empty. */
#include "viewer/panel/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

void rows_clear(struct rows *rows)
{
    rows->count = rows->head_count = rows->text_size = 0;
}

uint32_t rows_keep(struct rows *rows, const char *text)
{
    size_t size = strlen(text) + 1, at = rows->text_size > 0 ? rows->text_size : 1;
    if (size == 1 || !array_reserve(&rows->text, &rows->text_room, at + size, 1))
        return 0;
    rows->text[0] = '\0';
    memcpy(rows->text + at, text, size);
    rows->text_size = at + size;
    return (uint32_t)at;
}

const char *rows_text(const struct rows *rows, uint32_t text)
{
    return text ? rows->text + text : "";
}

static uint32_t keep_format(struct rows *rows, const char *format, va_list args)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    return rows_keep(rows, text);
}

struct row *rows_add(struct rows *rows, struct row row, const char *label, ...)
{
    va_list args;
    va_start(args, label);
    row.label = keep_format(rows, label, args);
    va_end(args);
    bool is_room = array_reserve(&rows->row, &rows->room, rows->count + 1, sizeof row);
    struct row *added = is_room ? &rows->row[rows->count++] : &rows->spare;
    *added = row;
    return added;
}

struct row *rows_value(struct rows *rows, struct row *row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    row->value = keep_format(rows, format, args);
    va_end(args);
    return row;
}

void rows_button(struct rows *rows, bool is_on, enum action action, uint32_t number,
                 const char *label)
{
    rows_add(rows,
             (struct row){.kind = ROW_BUTTON, .is_on = is_on, .action = action, .number = number},
             "%s", label);
}
