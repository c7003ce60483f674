/* Aligned columns of text. */
#include "app/cli/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/terminal.h"
#include "base/text.h"
#include "base/writer.h"

void table_init(struct table *table, const char *const *heads)
{
    *table = (struct table){0};
    for (; heads[table->columns]; table->columns++) {
        assert(table->columns < TABLE_COLUMNS_MAX);
        table->heads[table->columns] = heads[table->columns];
    }
}

void table_row(struct table *table, const char *const *cells)
{
    char **grown = realloc(table->cells, (table->count + table->columns) * sizeof *grown);
    if (grown)
        table->cells = grown;
    for (size_t c = 0; grown && c < table->columns; c++) {
        grown[table->count + c] = strdup(cells[c] ? cells[c] : "");
        if (grown[table->count + c]) {
            text_guard(grown[table->count + c]);
            continue;
        }
        while (c > 0)
            free(grown[table->count + --c]);
        grown = NULL;
    }
    table->count += grown ? table->columns : 0;
    table->is_short |= !grown;
}

/* Characters of a UTF-8 text. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static const char *head_text(const struct table *table, size_t column)
{
    const char *head = table->heads[column];
    return *head == '>' ? head + 1 : head;
}

static void print_line(const struct table *table, const char *const *cells, const int *widths,
                       int indent, FILE *out)
{
    // Pad only before a text, so that no line ends in blanks.
    int owed = indent;
    for (size_t c = 0; c < table->columns; c++) {
        int pad = widths[c] - width_of(cells[c]);
        bool is_right = *table->heads[c] == '>';
        if (is_right)
            owed += pad;
        if (*cells[c]) {
            fprintf(out, "%*s%s", owed, "", cells[c]);
            owed = 0;
        }
        owed += (is_right ? 0 : pad) + 2;
    }
    fputc('\n', out);
}

void table_drop(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct table){0};
}

bool table_print(struct table *table, int indent, FILE *out)
{
    assert(table->columns > 0);
    int widths[TABLE_COLUMNS_MAX] = {0};
    const char *heads[TABLE_COLUMNS_MAX];
    for (size_t c = 0; c < table->columns; c++) {
        heads[c] = head_text(table, c);
        widths[c] = width_of(heads[c]);
    }
    for (size_t i = 0; i < table->count; i++) {
        int width = width_of(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    bool has_color = terminal_has_color(out);
    fputs(has_color ? "\033[1m" : "", out);
    print_line(table, heads, widths, indent, out);
    fputs(has_color ? "\033[0m" : "", out);
    for (size_t i = 0; i < table->count; i += table->columns)
        print_line(table, (const char *const *)&table->cells[i], widths, indent, out);

    if (table->is_short)
        terminal_say("not enough memory for all rows of a table");
    bool is_whole = !table->is_short;
    table_drop(table);
    return is_whole;
}

const char *table_number(double value, char *text, size_t size)
{
    static const double whole_max = 9007199254740992.0; // 2^53: beyond it not every integer is one
    struct writer to = writer_begin(text, size);
    if (!isfinite(value))
        writer_char(&to, '-');
    else if (floor(value) == value && fabs(value) <= whole_max)
        writer_decimal(&to, (int64_t)value, 0);
    else
        writer_significant(&to, value, 9);
    writer_end(&to);
    return text;
}
