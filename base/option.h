/* Tables that fill plain structs from text: options of a robot, keys of a scene, arguments of a
 * command. All use the same code, so that every wrong value gets the same kind of error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/angle.h"
#include "base/error.h"

enum option_type {
    OPTION_NUMBER,  /* double, stored x scale (degrees become radians) */
    OPTION_ANGLE,   /* the same; `1.5 rad` is accepted too and stored without scaling */
    OPTION_INTEGER, /* int64_t, or unsigned of SIZE bytes */
    OPTION_BOOL,    /* bool; true, false, on, off, yes, no, 1, 0 */
    OPTION_CHOICE,  /* int32_t: the position of the word in CHOICES */
    OPTION_TEXT,    /* char[size], NUL-terminated UTF-8 */
    OPTION_COLOR,   /* uint32_t: 0xRRGGBBAA; written "#rrggbb" or "#rrggbbaa" */
};

struct option_row {
    const char *key;
    enum option_type type;
    size_t offset;              /* of the member in the struct, in bytes */
    size_t size;                /* OPTION_TEXT: bytes of the member, with its NUL;
                                 * OPTION_INTEGER: 1, 2 or 4: its bytes, without sign, and MIN and
                                 * MAX fit them; 0: an int64_t */
    const char *unit;           /* as the user writes it; "" for none */
    double scale;               /* OPTION_NUMBER, OPTION_ANGLE: stored = written x scale; 0: 1 */
    double min, max;            /* as written, inclusive; both 0: any finite number, or for an
                                 * integer any that fits a double exactly */
    const char *const *choices; /* OPTION_CHOICE: NULL-terminated */
    const char *fallback;       /* default, as the user would write it; NULL: required */
    const char *note;           /* one line for `list`, with the source of the default; NULL: the
                                 * key of an argument says it all */
};

/* Short forms of rows: NAME fills MEMBER of a struct TAG, and the compiler checks the member's
 * type. The last arguments are the default and, if there is one, the note. */
#define ROW_NUMBER(name, tag, member, units, low, high, ...)                                       \
    ROW_SCALED(name, tag, member, units, 0, low, high, __VA_ARGS__)
#define ROW_SCALED(name, tag, member, units, factor, low, high, ...)                               \
    {                                                                                              \
        .key = name, .type = OPTION_NUMBER, .offset = ROW_OFFSET(tag, member, double),             \
        .unit = units, .scale = factor, .min = low, .max = high, .fallback = __VA_ARGS__           \
    }
#define ROW_ANGLE(name, tag, member, units, low, high, ...)                                        \
    {                                                                                              \
        .key = name, .type = OPTION_ANGLE, .offset = ROW_OFFSET(tag, member, double),              \
        .unit = units, .scale = ANGLE_RAD_DEG, .min = low, .max = high, .fallback = __VA_ARGS__    \
    }
#define ROW_INTEGER(name, tag, member, units, low, high, ...)                                      \
    {                                                                                              \
        .key = name, .type = OPTION_INTEGER, .offset = offsetof(struct tag, member),               \
        .size = ROW_INTEGER_SIZE(((struct tag *)0)->member), .unit = units, .min = low,            \
        .max = high, .fallback = __VA_ARGS__                                                       \
    }
#define ROW_BOOL(name, tag, member, ...)                                                           \
    {                                                                                              \
        .key = name, .type = OPTION_BOOL, .offset = ROW_OFFSET(tag, member, bool),                 \
        .fallback = __VA_ARGS__                                                                    \
    }
#define ROW_CHOICE(name, tag, member, words, ...)                                                  \
    {                                                                                              \
        .key = name, .type = OPTION_CHOICE, .offset = offsetof(struct tag, member),                \
        .choices = words, .fallback = __VA_ARGS__                                                  \
    }
#define ROW_TEXT(name, tag, member, ...)                                                           \
    {                                                                                              \
        .key = name, .type = OPTION_TEXT, .offset = ROW_OFFSET(tag, member, char *),               \
        .size = sizeof(((struct tag *)0)->member), .fallback = __VA_ARGS__                         \
    }
#define ROW_COLOR(name, tag, member, ...)                                                          \
    {                                                                                              \
        .key = name, .type = OPTION_COLOR, .offset = ROW_OFFSET(tag, member, uint32_t),            \
        .fallback = __VA_ARGS__                                                                    \
    }
/* The formatter breaks _Generic. */
/* clang-format off */
#define ROW_OFFSET(tag, member, kind)                                                              \
    _Generic(((struct tag *)0)->member, kind: offsetof(struct tag, member))
#define ROW_INTEGER_SIZE(member)                                                                   \
    _Generic(member, int64_t: 0, uint64_t: 0, uint8_t: 1, uint16_t: 2, uint32_t: 4)
/* clang-format on */

/* Fills every member that has a fallback, and leaves the others. A fallback that its own row
 * rejects is a bug. */
void option_defaults(const struct option_row *rows, size_t count, void *out);

/* Copies only the members that the rows name, so that padding does not change. */
void option_copy(const struct option_row *rows, size_t count, const void *from, void *to);

/* The row named KEY, or NULL. */
const struct option_row *option_find(const struct option_row *rows, size_t count, const char *key);

/* The key with the most similar spelling to KEY, or NULL if none is similar: for "did you mean". */
const char *option_nearest(const struct option_row *rows, size_t count, const char *key);

/* Stores TEXT into the member. On failure OUT is untouched, and ERROR begins with the key and
 * contains the value found and the allowed values. Numbers must take up the whole text: `16 V`,
 * `nan`, `0x10` and an empty text are rejected. */
bool option_set(const struct option_row *row, const char *text, void *out, struct error *error);

/* Size in bytes of the member that a row fills. */
size_t option_size(const struct option_row *row);

/* Writes the shortest text, cut at SIZE, that option_set reads as the value of the member of IN.
 * False: the value is outside the range of the row, or no decimal number times the scale equals
 * it. */
bool option_print(const struct option_row *row, const void *in, char *text, size_t size);

/* The allowed values of a row, in words: "a number from 13.2 to 16.8 V", "accept or ignore". */
void option_allowed(const struct option_row *row, char *text, size_t size);
