/* Help of a subcommand in 80 columns. */
#include "app/cli/help.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "app/cli/terminal.h"

enum {
    WIDTH = 80,       /* columns of a terminal of the default size */
    NOTE_COLUMN = 25, /* chosen: most flags fit in front of it */
};

void help_heading(const char *text, FILE *out)
{
    bool has_color = terminal_has_color(out);
    fprintf(out, "\n%s%s%s\n", has_color ? "\033[1m" : "", text, has_color ? "\033[0m" : "");
}

static int width_of(const char *text, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

/* Writes SIZE bytes of words, wrapped at WIDTH columns. COLUMN columns of the line are used
 * already; further lines begin with INDENT blanks. A line break may separate words that a quote or
 * bracket joins. Returns the column at the end. */
static int write_words(const char *text, size_t size, int column, int indent, FILE *out)
{
    bool is_first = true;
    for (size_t at = 0; at < size;) {
        size_t length = strcspn(text + at, " \n");
        if (length > size - at)
            length = size - at;
        int width = width_of(text + at, length);
        if (!is_first && column + 1 + width > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!is_first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text + at, 1, length, out);
        column += width;
        is_first = false;
        at += length;
        while (at < size && (text[at] == ' ' || text[at] == '\n'))
            at++;
    }
    return column;
}

/* A paragraph ends at an empty line or at an example, which begins with a blank. */
static size_t paragraph_size(const char *text)
{
    size_t size = 0;
    while (text[size]) {
        size += strcspn(text + size, "\n");
        if (!text[size] || text[size + 1] == '\n' || text[size + 1] == ' ' || !text[size + 1])
            break;
        size++;
    }
    return size;
}

static void write_details(const char *text, FILE *out)
{
    bool is_example = false;
    while (*text) {
        if (*text == '\n') {
            text++;
            continue;
        }
        bool was_example = is_example;
        is_example = *text == ' ';
        size_t size = is_example ? strcspn(text, "\n") : paragraph_size(text);
        if (!is_example || !was_example)
            fputc('\n', out);
        if (is_example)
            fwrite(text, 1, size, out);
        else
            write_words(text, size, 0, 0, out);
        fputc('\n', out);
        text += size;
    }
}

void help_write_row(const char *name, const char *text, int column, FILE *out)
{
    int width = fprintf(out, "  %s", name);
    if (width + 2 > column) {
        fputc('\n', out);
        width = 0;
    }
    fprintf(out, "%*s", column - width, "");
    write_words(text, strlen(text), column, column, out);
    fputc('\n', out);
}

const char *help_note(const struct flag_row *row, char text[static HELP_NOTE_SIZE])
{
    char allowed[160];
    option_allowed(&row->option, allowed, sizeof allowed);
    if (row->value && !row->is_repeated && row->option.type != OPTION_TEXT)
        snprintf(text, HELP_NOTE_SIZE, "%s (%s; default: %s)", row->option.note, allowed,
                 row->otherwise ? row->otherwise : row->option.fallback);
    else
        snprintf(text, HELP_NOTE_SIZE, "%s", row->option.note);
    return text;
}

static void write_flag(const struct flag_row *row, FILE *out)
{
    char name[80];
    snprintf(name, sizeof name, "--%s%s%s", row->option.key, row->value ? " " : "",
             row->value ? row->value : "");
    help_write_row(name, help_note(row, (char[HELP_NOTE_SIZE]){0}), NOTE_COLUMN, out);
}

void help_write(const struct subcommand *subcommand, FILE *out)
{
    fprintf(out, "%c%s.\n", toupper((unsigned char)subcommand->summary[0]),
            subcommand->summary + 1);
    help_heading("USAGE", out);
    int column = fprintf(out, "  ptybot %s", subcommand->name);
    if (*subcommand->usage) {
        fputc(' ', out);
        write_words(subcommand->usage, strlen(subcommand->usage), column + 1, 10, out);
    }
    fputc('\n', out);
    write_details(subcommand->details, out);
    if (subcommand->flag_count > 0)
        help_heading("OPTIONS", out);
    for (size_t i = 0; i < subcommand->flag_count; i++)
        write_flag(&subcommand->flags[i], out);
    for (const struct shared_flags *shared = subcommand->shared_flags; shared && shared->group;
         shared++) {
        help_heading(shared->group->title, out);
        for (size_t i = 0; i < shared->group->count; i++)
            write_flag(&shared->group->rows[i], out);
    }
}
