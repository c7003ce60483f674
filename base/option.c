/* Tables that fill plain structs from text, and error messages for rejected values. */
#include "base/option.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* All integers up to 2^53 are exact in a double, so they survive JSON and signals. */
static const int64_t OPTION_INTEGER_MAX = 9007199254740992;

enum { OPTION_QUOTE_SIZE = 48 }; /* chosen: a message shows the beginning of a wrong value */

static const char *const option_bools[] = {"true", "false", "on", "off", "yes",
                                           "no",   "1",     "0",  NULL};

/* ---- Words ---- */

/* Joins a list: "a, b or c" with LAST " or ". */
static void option_join(const char *const *words, const char *last, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; words[i]; i++)
        text_add(text, size, words[i + 1] ? ", " : last, "%s", words[i]);
}

static bool option_is_bounded(const struct option_row *row)
{
    return row->min != 0 || row->max != 0;
}

/* "a number from 9.6 to 16.8", without the unit. */
static void option_range(const struct option_row *row, char *text, size_t size)
{
    const char *noun = row->type == OPTION_INTEGER ? "whole number" : "number";
    if (!option_is_bounded(row)) {
        snprintf(text, size, "a %s", noun);
        return;
    }
    char min[32];
    char max[32];
    /* Integers are written in full, up to 2^53; numbers are written without the digits that the
     * binary fraction adds. */
    int digits = row->type == OPTION_INTEGER ? DBL_DIG + 1 : DBL_DIG;
    number_print(row->min, digits, min, sizeof min);
    number_print(row->max, digits, max, sizeof max);
    snprintf(text, size, "a %s from %s to %s", noun, min, max);
}

static const char *option_unit(const struct option_row *row)
{
    return row->unit ? row->unit : "";
}

void option_allowed(const struct option_row *row, char *text, size_t size)
{
    char range[128];
    const char *unit = option_unit(row);
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
    case OPTION_INTEGER:
        option_range(row, range, sizeof range);
        snprintf(text, size, "%s%s%s", range,
                 unit[0] == '\0'          ? ""
                 : option_is_bounded(row) ? " "
                                          : " in ",
                 unit);
        break;
    case OPTION_BOOL:
        snprintf(text, size, "true or false");
        break;
    case OPTION_CHOICE:
        option_join(row->choices, " or ", text, size);
        break;
    case OPTION_TEXT:
        snprintf(text, size, "a text of at most %zu bytes", row->size - 1);
        break;
    case OPTION_COLOR:
        snprintf(text, size, "\"#rrggbb\", or with opacity \"#rrggbbaa\", in quotes");
        break;
    }
}

/* ---- Nearest ---- */

const char *option_nearest(const struct option_row *rows, size_t count, const char *key)
{
    const char *best = NULL;
    int least = TEXT_DISTANCE_FAR;
    for (size_t i = 0; i < count; i++)
        text_nearer(key, rows[i].key, &best, &least);
    return best;
}

const struct option_row *option_find(const struct option_row *rows, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

/* ---- Values. Each returns false with the error set. ---- */

static bool option_refuse(const struct option_row *row, const char *text, const char *what,
                          struct error *error)
{
    char range[128];
    char quote[OPTION_QUOTE_SIZE];
    const char *unit = option_unit(row);
    option_range(row, range, sizeof range);
    return error_set(error, "%s: '%s' is %s; allowed: %s%s%s%s", row->key,
                     text_quote(text, quote, sizeof quote), what, range, unit[0] ? " (unit " : "",
                     unit, unit[0] ? ", written without it)" : "");
}

static bool option_number(const struct option_row *row, const char *text, void *member,
                          struct error *error)
{
    double number;
    if (!number_parse(text, &number))
        return option_refuse(row, text, "not a number", error);
    if (option_is_bounded(row) && (number < row->min || number > row->max))
        return option_refuse(row, text, "out of range", error);
    double stored = number * (row->scale != 0 ? row->scale : 1);
    if (!(stored >= -DBL_MAX && stored <= DBL_MAX))
        return option_refuse(row, text, "too large", error);
    memcpy(member, &stored, sizeof stored);
    return true;
}

static const char option_rad[] = " rad";

/* `1.5 rad` is not a number in degrees, but is accepted too. */
static bool option_angle(const struct option_row *row, const char *text, void *member,
                         struct error *error)
{
    char digits[OPTION_QUOTE_SIZE];
    double rad;
    size_t length = strlen(text), suffix = strlen(option_rad);
    if (length < suffix || length - suffix >= sizeof digits ||
        strcmp(text + length - suffix, option_rad) != 0)
        return option_number(row, text, member, error);
    snprintf(digits, sizeof digits, "%.*s", (int)(length - suffix), text);
    if (!number_parse(digits, &rad))
        return option_refuse(row, text, "not a number", error);
    /* Accepts one part in 2^50 beyond a bound, in case the bound was rounded when it was written in
     * radians. */
    double slack = 1 + 4 * DBL_EPSILON;
    if (option_is_bounded(row) &&
        (rad < row->min * row->scale * slack || rad > row->max * row->scale * slack))
        return option_refuse(row, text, "out of range", error);
    memcpy(member, &rad, sizeof rad);
    return true;
}

static bool option_integer(const struct option_row *row, const char *text, void *member,
                           struct error *error)
{
    int64_t number;
    if (!number_parse_integer(text, &number))
        return option_refuse(row, text, "not a whole number", error);
    bool is_exact = number >= -OPTION_INTEGER_MAX && number <= OPTION_INTEGER_MAX;
    bool is_inside =
        !option_is_bounded(row) || ((double)number >= row->min && (double)number <= row->max);
    if (!is_exact || !is_inside)
        return option_refuse(row, text, "out of range", error);
    assert(row->size == 0 || (option_is_bounded(row) && row->min >= 0));
    number_store(member, option_size(row), (uint64_t)number);
    return true;
}

/* Finds the position of TEXT in WORDS. */
static bool option_word(const struct option_row *row, const char *const *words, const char *text,
                        int32_t *position, struct error *error)
{
    for (int32_t i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *position = i;
            return true;
        }
    }
    char quote[OPTION_QUOTE_SIZE];
    char list[256];
    option_join(words, ", ", list, sizeof list);
    return error_set(error, "%s: '%s' is not one of %s%s", row->key,
                     text_quote(text, quote, sizeof quote), list,
                     TEXT_MEANT(text_nearest(words, text), NULL));
}

static bool option_text(const struct option_row *row, const char *text, void *member,
                        struct error *error)
{
    char quote[OPTION_QUOTE_SIZE];
    for (const char *at = text; *at;) {
        size_t size = text_character(at);
        if (size == 0)
            return error_set(error, "%s: the text is not UTF-8 (byte %zu)", row->key,
                             (size_t)(at - text) + 1);
        at += size;
    }
    size_t length = strlen(text);
    if (length >= row->size)
        return error_set(error, "%s: '%s' is too long; allowed: a text of at most %zu bytes",
                         row->key, text_quote(text, quote, sizeof quote), row->size - 1);
    memset(member, 0, row->size);
    memcpy(member, text, length);
    return true;
}

static bool option_color(const struct option_row *row, const char *text, void *member,
                         struct error *error)
{
    uint32_t color = 0;
    size_t digits = text[0] == '#' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;
    if ((digits != 6 && digits != 8) || text[1 + digits] != '\0') {
        char quote[OPTION_QUOTE_SIZE], allowed[OPTION_QUOTE_SIZE + 16];
        option_allowed(row, allowed, sizeof allowed);
        return error_set(error, "%s: '%s' is not a color; allowed: %s", row->key,
                         text_quote(text, quote, sizeof quote), allowed);
    }
    for (size_t i = 1; i <= digits; i++)
        color = color << 4 | (uint32_t)text_hex_digit(text[i]);
    color = digits == 6 ? color << 8 | 0xFF : color;
    memcpy(member, &color, sizeof color);
    return true;
}

bool option_set(const struct option_row *row, const char *text, void *out, struct error *error)
{
    void *member = (char *)out + row->offset;
    int32_t position = 0;
    bool truth;
    switch (row->type) {
    case OPTION_NUMBER:
        return option_number(row, text, member, error);
    case OPTION_ANGLE:
        return option_angle(row, text, member, error);
    case OPTION_INTEGER:
        return option_integer(row, text, member, error);
    case OPTION_BOOL:
        if (!option_word(row, option_bools, text, &position, error))
            return false;
        truth = position % 2 == 0; /* the list alternates: true, false */
        memcpy(member, &truth, sizeof truth);
        return true;
    case OPTION_CHOICE:
        if (!option_word(row, row->choices, text, &position, error))
            return false;
        memcpy(member, &position, sizeof position);
        return true;
    case OPTION_TEXT:
        return option_text(row, text, member, error);
    case OPTION_COLOR:
        return option_color(row, text, member, error);
    }
    assert(false && "a row has no known type");
    return false;
}

size_t option_size(const struct option_row *row)
{
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
        return sizeof(double);
    case OPTION_INTEGER:
        return row->size ? row->size : sizeof(int64_t);
    case OPTION_BOOL:
        return sizeof(bool);
    case OPTION_CHOICE:
        return sizeof(int32_t);
    case OPTION_TEXT:
        return row->size;
    case OPTION_COLOR:
        return sizeof(uint32_t);
    }
    assert(false && "a row has no known type");
    return 0;
}

/* ---- Values to text ---- */

/* Whether option_set reads TEXT as the value at IN. The row is applied with offset 0 to a temporary
 * value, which is large enough. */
static bool option_is(const struct option_row *row, const char *text, const void *in)
{
    struct option_row here = *row;
    double number = 0;
    here.offset = 0;
    return option_set(&here, text, &number, NULL) && memcmp(&number, in, option_size(row)) == 0;
}

static bool option_print_number(const struct option_row *row, const void *in, char *text,
                                size_t size)
{
    enum { DIGITS_FEW = 6, DIGITS_EXACT = 17, NEIGHBORS = 2 }; /* of a double */
    double stored;
    memcpy(&stored, in, sizeof stored);
    double written = stored / (row->scale != 0 ? row->scale : 1);
    for (int digits = DIGITS_FEW; digits <= DIGITS_EXACT; digits++) {
        number_print(written, digits, text, size);
        if (option_is(row, text, in))
            return true;
    }
    for (int i = -NEIGHBORS; i <= NEIGHBORS; i++) {
        number_print(written * (1 + i * (DBL_EPSILON / 2)), DIGITS_EXACT, text, size);
        if (option_is(row, text, in))
            return true;
    }
    number_print(stored, DIGITS_EXACT, text, size);
    text_add(text, size, "", "%s", option_rad);
    return row->type == OPTION_ANGLE && option_is(row, text, in);
}

bool option_print(const struct option_row *row, const void *in, char *text, size_t size)
{
    const void *member = (const char *)in + row->offset;
    int32_t choice = 0;
    bool truth = false;
    uint32_t color = 0;
    switch (row->type) {
    case OPTION_NUMBER:
    case OPTION_ANGLE:
        return option_print_number(row, member, text, size);
    case OPTION_INTEGER:
        snprintf(text, size, "%" PRId64, (int64_t)number_load(member, option_size(row)));
        return option_is(row, text, member);
    case OPTION_BOOL:
        memcpy(&truth, member, sizeof truth);
        snprintf(text, size, "%s", truth ? "true" : "false");
        return true;
    case OPTION_CHOICE:
        memcpy(&choice, member, sizeof choice);
        for (int32_t i = 0; row->choices[i]; i++)
            if (i == choice)
                snprintf(text, size, "%s", row->choices[i]);
        return option_is(row, text, member);
    case OPTION_TEXT:
        snprintf(text, size, "%s", (const char *)member);
        return true;
    case OPTION_COLOR:
        memcpy(&color, member, sizeof color);
        if ((color & 0xFF) == 0xFF)
            snprintf(text, size, "#%06" PRIx32, color >> 8);
        else
            snprintf(text, size, "#%08" PRIx32, color);
        return true;
    }
    assert(false && "a row has no known type");
    return false;
}

void option_defaults(const struct option_row *rows, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].fallback) {
            bool is_taken = option_set(&rows[i], rows[i].fallback, out, NULL);
            assert(is_taken && "a row refuses its own default");
            (void)is_taken;
        }
    }
}

void option_copy(const struct option_row *rows, size_t count, const void *from, void *to)
{
    for (size_t i = 0; i < count; i++) {
        char *out = (char *)to + rows[i].offset;
        const char *in = (const char *)from + rows[i].offset;
        size_t size = option_size(&rows[i]);
        if (rows[i].type != OPTION_TEXT) {
            memcpy(out, in, size);
            continue;
        }
        // The bytes after the end of a text are undefined.
        memset(out, 0, size);
        const char *end = memchr(in, '\0', size - 1);
        memcpy(out, in, end ? (size_t)(end - in) : size - 1);
    }
}
