/* Text that grows up to its size and is then cut. It replaces printf and stdio for short texts,
 * because they are too slow for recordings with millions of lines. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct writer {
    char *text;
    size_t size; /* bytes of TEXT */
    size_t last; /* characters that fit before the final NUL */
    size_t used;
};

/* The caller keeps the ownership of TEXT. SIZE 0: nothing is written, not even a NUL. */
static inline struct writer writer_begin(char *text, size_t size)
{
    return (struct writer){.text = text, .size = size, .last = size > 0 ? size - 1 : 0};
}

/* Ends the text with NUL. Returns its number of characters. */
static inline size_t writer_end(const struct writer *to)
{
    if (to->size > 0)
        to->text[to->used] = '\0';
    return to->used;
}

static inline void writer_char(struct writer *to, char letter)
{
    if (to->used < to->last)
        to->text[to->used++] = letter;
}

/* Copies a few characters without a function call. */
static inline void writer_copy(char *at, const char *text, size_t length)
{
    for (; length > 16; length -= 8, at += 8, text += 8)
        memcpy(at, text, 8);
    if (length >= 8) { // the two may overlap
        memcpy(at, text, 8);
        memcpy(at + length - 8, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(at, text, 4);
        memcpy(at + length - 4, text + length - 4, 4);
    } else if (length > 0) {
        at[0] = text[0];
        at[length / 2] = text[length / 2];
        at[length - 1] = text[length - 1];
    }
}

/* LENGTH characters, or as many as fit. */
static inline void writer_chars(struct writer *to, const char *text, size_t length)
{
    size_t room = to->last - to->used;
    length = length < room ? length : room;
    writer_copy(to->text + to->used, text, length);
    to->used += length;
}

static inline void writer_text(struct writer *to, const char *text)
{
    writer_chars(to, text, strlen(text));
}

/* Writes two lower-case hexadecimal digits. */
void writer_hex(struct writer *to, uint8_t byte);

/* Writes NUMBER / 10^PLACES without needless zeros: 1.5, -0.01, 7. PLACES: up to 13. */
void writer_long_decimal(struct writer *to, int64_t number, unsigned places);
static inline void writer_decimal(struct writer *to, int64_t number, unsigned places)
{
    if (number == 0 || (number > 0 && number <= 9 && places == 0)) // most are
        writer_char(to, (char)('0' + number));
    else
        writer_long_decimal(to, number, places);
}

/* Writes NUMBER / 10^PLACES with all its decimal places, in at least WIDTH characters: for a column
 * of times. NUMBER is not negative; PLACES: 1 to 9. */
void writer_fixed(struct writer *to, uint64_t number, unsigned places, unsigned width);

/* Writes VALUE as number_print does, with DIGITS from 6 to 10. */
void writer_significant(struct writer *to, double value, int digits);
