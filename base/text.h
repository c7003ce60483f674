/* Text for messages: makes foreign text safe to print, finds words with similar spelling, and lists
 * allowed values. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_WORDS_MAX = 96,    /* words in one list, including the final NULL */
    TEXT_QUOTE_SIZE = 64,   /* usual size of a quoted text, in bytes */
    TEXT_ADVICE_SIZE = 384, /* size of a suggestion (text_advice, text_meant), in bytes */
    TEXT_CARET_SIZE = 384   /* size of the two lines of text_caret, in bytes */
};

/* The code point of the first control character (C0, DEL, C1) of a UTF-8 text, or -1. */
long text_control(const char *text, size_t length);

/* Length in bytes of the UTF-8 character at the start of a NUL-terminated text; 0: no valid
 * character. */
size_t text_character(const char *text);

/* Copies TEXT for a message into QUOTE, of SIZE bytes (at least 4). A longer text is cut and ends
 * with `...`; control characters and bytes that are not UTF-8 become `?`. Returns QUOTE. */
const char *text_quote(const char *text, char *quote, size_t size);

/* The same with the usual size, into a buffer with the lifetime of the enclosing block. */
#define TEXT_QUOTE(text) text_quote(text, (char[TEXT_QUOTE_SIZE]){0}, TEXT_QUOTE_SIZE)

/* The file name in a PATH; SIZE is its length without the extension. */
const char *text_stem(const char *path, size_t *size);

/* The start of each line of text_caret. */
#define TEXT_CARET_BREAK "\n  "

/* Writes two lines into OUT, each after a line break: the part of TEXT around byte PLACE, safe to
 * print, and a caret below that byte. Returns OUT. */
const char *text_caret(const char *text, size_t place, char out[static TEXT_CARET_SIZE]);

/* Appends printf-style text to TEXT, a buffer of SIZE bytes, and cuts it at the end. Writes BETWEEN
 * first unless TEXT is empty. False: it was cut. */
bool text_add(char *text, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define TEXT_DISTANCE_FAR INT_MAX

/* Distance of two words: 0 if they are equal, larger for more differing letters; case is ignored.
 * TEXT_DISTANCE_FAR if CANDIDATE is too different to be a typing error. The beginning of a word
 * counts as near to that word. */
int text_distance(const char *word, const char *candidate);

/* The word of a NULL-terminated list with the spelling most similar to WORD, or NULL. */
const char *text_nearest(const char *const *words, const char *word);

/* Sets BEST to CANDIDATE if its distance to WORD is less than LEAST, and updates LEAST, which
 * starts as TEXT_DISTANCE_FAR. */
void text_nearer(const char *word, const char *candidate, const char **best, int *least);

/* Writes the end of an error message: a question with NEAR, and a REMEDY: "; did you mean 'X'?
 * REMEDY". Either may be NULL. Returns OUT. */
const char *text_meant(const char *near, const char *remedy, char out[static TEXT_ADVICE_SIZE]);

/* The same, into a buffer with the lifetime of the enclosing block. */
#define TEXT_MEANT(near, remedy) text_meant(near, remedy, (char[TEXT_ADVICE_SIZE]){0})

/* Writes `did you mean 'X'? allowed: a, b, c` into ADVICE, and returns it. The question appears
 * only if a word of the NULL-terminated list is similar to WORD, which may be NULL. */
const char *text_advice(const char *const *words, const char *word,
                        char advice[static TEXT_ADVICE_SIZE]);

/* The same, into a buffer with the lifetime of the enclosing block. */
#define TEXT_ADVICE(words, word) text_advice(words, word, (char[TEXT_ADVICE_SIZE]){0})

/* Removes colors and other terminal controls from the SIZE bytes of TEXT, in place, and ends them
 * with NUL (TEXT has room for it). If a carriage return overwrote a line, the old and the new text
 * become separate lines. Bytes that are not UTF-8 do not change. Returns the new size, never more
 * than SIZE. */
size_t text_clean(char *text, size_t size);

/* Makes TEXT, which may quote untrusted text, safe to print, in place: terminal controls and bytes
 * that are not UTF-8 become `?`. Quoted text can therefore not imitate a separate message; only the
 * lines of text_caret stay. */
void text_guard(char *text);

/* Whether NAME is valid for a robot or a part of it: a letter, then letters, digits and _, all
 * lower-case. */
bool text_is_name(const char *name);

/* Writes two lower-case digits for each byte, without NUL. Returns 2 * SIZE. */
size_t text_hex(const uint8_t *bytes, size_t size, char *text);

/* The value of a hexadecimal digit; -1: another character. */
int text_hex_digit(char letter);

/* Replaces line breaks and other control characters of TEXT by blanks, so that it fits on one
 * line. */
void text_flatten(char *text);
