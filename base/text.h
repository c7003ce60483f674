/* Text for people: foreign text made safe to print, words near in spelling, lists of what is
 * allowed. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_WORDS_MAX = 96,    /* in one list, with its NULL */
    TEXT_QUOTE_SIZE = 64,   /* bytes for a quoted text, of the usual size */
    TEXT_ADVICE_SIZE = 256, /* bytes of an advice */
    TEXT_CARET_SIZE = 384   /* bytes of two lines of text_caret */
};

/* The code point of the first control character (C0, DEL, C1) of a UTF-8 text, or -1. */
long text_control(const char *text, size_t length);

/* Bytes of the UTF-8 character at the start of a NUL-terminated text; 0 where there is none. */
size_t text_character(const char *text);

/* Copies TEXT for a message into the SIZE bytes of QUOTE (at least 4). What does not fit becomes
 * `...`; control characters and bytes that are not UTF-8 become `?`. Returns QUOTE. */
const char *text_quote(const char *text, char *quote, size_t size);

/* The same, of the usual size, into a buffer of the block. */
#define TEXT_QUOTE(text) text_quote(text, (char[TEXT_QUOTE_SIZE]){0}, TEXT_QUOTE_SIZE)

/* The name of the file of a PATH; SIZE: without its ending. */
const char *text_stem(const char *path, size_t *size);

/* How each line of text_caret begins. */
#define TEXT_CARET_BREAK "\n  "

/* Writes what is around byte PLACE of TEXT, safe to print, on a line of its own into OUT, and a
 * caret under the place on another; each begins with a line break. Returns OUT. */
const char *text_caret(const char *text, size_t place, char out[static TEXT_CARET_SIZE]);

/* Appends to a TEXT in SIZE bytes, printf-style, behind BETWEEN unless the text is empty; cut at
 * its end. False: it was cut. */
bool text_add(char *text, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define TEXT_DISTANCE_FAR INT_MAX

/* 0 for the same word, growing with the letters that differ; case is ignored. TEXT_DISTANCE_FAR
 * where nobody would have meant CANDIDATE. The beginning of a word counts as near to it. */
int text_distance(const char *word, const char *candidate);

/* The word of a NULL-terminated list nearest to WORD in spelling, or NULL. */
const char *text_nearest(const char *const *words, const char *word);

/* Makes CANDIDATE the BEST if its distance to WORD is less than LEAST, which starts as
 * TEXT_DISTANCE_FAR. */
void text_nearer(const char *word, const char *candidate, const char **best, int *least);

/* Writes the end of an error message: a question for NEAR and a REMEDY, "; did you mean 'X'?
 * REMEDY". Either may be NULL. Returns OUT. */
const char *text_meant(const char *near, const char *remedy, char out[static TEXT_ADVICE_SIZE]);

/* The same, into a buffer of the block. */
#define TEXT_MEANT(near, remedy) text_meant(near, remedy, (char[TEXT_ADVICE_SIZE]){0})

/* Writes `did you mean 'X'? allowed: a, b, c` (the question only where a word of the
 * NULL-terminated list is near to WORD, which may be NULL) into ADVICE, and returns it. */
const char *text_advice(const char *const *words, const char *word,
                        char advice[static TEXT_ADVICE_SIZE]);

/* The same, into a buffer of the block. */
#define TEXT_ADVICE(words, word) text_advice(words, word, (char[TEXT_ADVICE_SIZE]){0})

/* Makes the SIZE bytes of TEXT plain, in place, and ends them with NUL (there is room for it):
 * without colors and other terminal controls, and with a line of its own for each time that a line
 * was overwritten. Bytes that are not UTF-8 stay as they are. Returns the new size, never more than
 * SIZE. */
size_t text_clean(char *text, size_t size);

/* Makes TEXT, which may quote what strangers wrote, safe to print, in place: what a terminal would
 * obey, and what is not UTF-8, becomes `?`. So a line that is set in cannot pass for a message of
 * its own; only those of text_caret stay. */
void text_guard(char *text);

/* Whether a robot or a part of it may have this name: a letter, then letters, digits and _, all
 * lower-case. */
bool text_is_name(const char *name);

/* Writes two lower-case digits for each byte, without NUL. Returns 2 * SIZE. */
size_t text_hex(const uint8_t *bytes, size_t size, char *text);

/* The value of a hexadecimal digit; -1: another character. */
int text_hex_digit(char letter);

/* On one line: line breaks and other control characters of TEXT become blanks. */
void text_flatten(char *text);
