/* A struct as YAML: mappings as blocks, items of lists as flow mappings. */
#include "sim/yaml/scene_print.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX = 110 }; /* chosen */

void scene_text_add(struct scene_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *grown = text->is_short ? NULL : realloc(text->bytes, text->size + (size_t)more + 1);
    text->is_short = !grown;
    if (grown) {
        text->bytes = grown;
        vsnprintf(grown + text->size, (size_t)more + 1, format, again);
        text->size += (size_t)more;
    }
    va_end(again);
}

/* ---- Scalars ---- */

static bool is_plain(const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || strcmp(text, "null") == 0 || text[size - 1] == ' ')
        return false;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_./+-", *c) && (*c != ' ' || c == text))
            return false;
    // A hyphen followed by a blank begins an item of a list.
    return isalnum((unsigned char)text[0]) || text[0] == '/' ||
           (text[0] == '-' && size > 1 && text[1] != ' ');
}

/* Writes TEXT as a YAML scalar, in quotes if necessary. */
static void scene_print_quoted(struct scene_text *out, const char *text)
{
    if (is_plain(text)) {
        scene_text_add(out, "%s", text);
        return;
    }
    scene_text_add(out, "\"");
    for (; *text; text++)
        scene_text_add(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    scene_text_add(out, "\"");
}

static bool print_value(const struct option_row *row, const void *in, char *text, size_t size,
                        struct error *error)
{
    return option_print(row, in, text, size) ||
           error_set(error, "%s: %s cannot be written in a file", row->key, text);
}

/* Whether the member has the same value as for a missing key. */
static bool is_fallback(const struct option_row *row, const void *in)
{
    struct option_row here = *row;
    double value = 0; /* as large as any that is no text */
    here.offset = 0;
    return row->fallback && option_size(row) <= sizeof value &&
           option_set(&here, row->fallback, &value, NULL) &&
           memcmp(&value, (const char *)in + row->offset, option_size(row)) == 0;
}

/* ---- Keys ---- */

static const void *pointer_at(const void *in, size_t offset)
{
    const void *pointer;
    memcpy(&pointer, (const char *)in + offset, sizeof pointer);
    return pointer;
}

static void print_words(struct scene_text *out, const char *const *words)
{
    scene_text_add(out, "[");
    for (size_t i = 0; words[i]; i++) {
        scene_text_add(out, "%s", i ? ", " : "");
        scene_print_quoted(out, words[i]);
    }
    scene_text_add(out, "]");
}

/* Writes a text or words under KEY. False: there are none, and nothing is written. */
static bool print_kept(struct scene_text *out, const struct scene_part *part, const void *in,
                       const char *before, const char *after)
{
    const void *kept = pointer_at(in, part->offset);
    if (!kept || (part->kind == PART_TEXT && !*(const char *)kept))
        return false;
    scene_text_add(out, "%s%s: ", before, part->key);
    if (part->kind == PART_TEXT)
        scene_print_quoted(out, kept);
    else
        print_words(out, kept);
    scene_text_add(out, "%s", after);
    return true;
}

/* Writes `{name: a, x: 1}`, on several lines if it is long. */
static bool print_item(struct scene_text *out, const struct scene_spec *spec, const void *in,
                       struct error *error)
{
    bool is_first = true;
    char value[128];
    size_t start = out->size;
    for (size_t i = 0; i < spec->part_count; i++) // names first
        if (spec->parts[i].is_required &&
            print_kept(out, &spec->parts[i], in, is_first ? "{" : ", ", ""))
            is_first = false;
    for (size_t i = 0; i < spec->row_count; i++) {
        const struct option_row *row = &spec->rows[i];
        if (is_fallback(row, in))
            continue;
        if (!print_value(row, in, value, sizeof value, error))
            return false;
        bool is_long = out->size - start + strlen(row->key) + strlen(value) > LINE_MAX;
        scene_text_add(out, "%s%s: ", is_first ? "{" : is_long ? ",\n   " : ", ", row->key);
        scene_print_quoted(out, value);
        start = is_long ? out->size : start;
        is_first = false;
    }
    for (size_t i = 0; i < spec->part_count; i++)
        if (!spec->parts[i].is_required &&
            print_kept(out, &spec->parts[i], in, is_first ? "{" : ", ", ""))
            is_first = false;
    scene_text_add(out, "%s\n", is_first ? "{}" : "}");
    return true;
}

/* Writes the units of a list's keys, as a comment. */
static void print_units(struct scene_text *out, const struct scene_spec *spec)
{
    const char *between = "  # ";
    for (size_t i = 0; i < spec->row_count; i++) {
        const char *unit = spec->rows[i].unit;
        if (!unit || !*unit)
            continue;
        scene_text_add(out, "%s%s %s", between, spec->rows[i].key, unit);
        between = ", ";
    }
    scene_text_add(out, "\n");
}

static bool print_list(struct scene_text *out, const struct scene_part *part, const void *in,
                       struct error *error)
{
    const char *items =
        part->kind == PART_LIST ? pointer_at(in, part->offset) : (const char *)in + part->offset;
    size_t count;
    memcpy(&count, (const char *)in + part->count_offset, sizeof count);
    if (count == 0)
        return true;
    scene_text_add(out, "%s:", part->key);
    print_units(out, part->spec);
    for (size_t i = 0; i < count; i++) {
        scene_text_add(out, "- ");
        if (!print_item(out, part->spec, items + i * part->item_size, error))
            return error_prefix(error, "%s[%zu].", part->key, i);
    }
    return true;
}

static bool print_mapping(struct scene_text *out, const struct scene_part *part, const void *in,
                          struct error *error)
{
    char value[128];
    bool is_empty = true;
    for (size_t i = 0; i < part->spec->row_count; i++) {
        const struct option_row *row = &part->spec->rows[i];
        const void *from = (const char *)in + part->offset;
        if (is_fallback(row, from))
            continue;
        if (!print_value(row, from, value, sizeof value, error))
            return error_prefix(error, "%s.", part->key);
        if (is_empty)
            scene_text_add(out, "%s:\n", part->key);
        is_empty = false;
        scene_text_add(out, "  %s: ", row->key);
        scene_print_quoted(out, value);
        scene_text_add(out, "%s%s\n", row->unit && *row->unit ? "  # " : "",
                       row->unit ? row->unit : "");
    }
    return true;
}

static void print_lines(struct scene_text *out, const struct scene_part *part, const void *in)
{
    size_t count;
    memcpy(&count, (const char *)in + part->count_offset, sizeof count);
    if (count > 0)
        scene_text_add(out, "%s:\n", part->key);
    for (size_t i = 0; i < count; i++) {
        scene_text_add(out, "- ");
        scene_print_quoted(out, (const char *)in + part->offset + i * part->item_size);
        scene_text_add(out, "\n");
    }
}

bool scene_print_part(struct scene_text *out, const struct scene_part *part, const void *in,
                      struct error *error)
{
    switch (part->kind) {
    case PART_MAPPING:
        return print_mapping(out, part, in, error);
    case PART_LIST:
    case PART_ARRAY:
        return print_list(out, part, in, error);
    case PART_TEXT:
    case PART_WORDS:
        print_kept(out, part, in, "", "\n");
        return true;
    case PART_LINES:
        print_lines(out, part, in);
        return true;
    case PART_OWN:
        return true;
    }
    return true;
}
