/* Words for messages about a scene: foreign text made safe to print, and lists of what is allowed.
 */
#ifndef PTYBOT_BASE_TEXT_H
#define PTYBOT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SCENE_WORDS_MAX = 96,   /* in one list, with its NULL */
    SCENE_QUOTE_SIZE = 64,  /* bytes of a quoted text */
    SCENE_ADVICE_SIZE = 256 /* bytes of an advice */
};

/* The code point of the first control character (C0, DEL, C1) of a UTF-8 text, or -1. */
long scene_text_control(const char *text, size_t length);

/* Copies TEXT for a message: cut to the size of QUOTE, control characters as `?`. Returns QUOTE. */
const char *scene_text_quote(const char *text, char quote[static SCENE_QUOTE_SIZE]);

/* Writes `did you mean X? allowed: a, b, c` (the question only where a word of the NULL-terminated
 * list is near to WORD, which may be NULL) into ADVICE, and returns it. */
const char *scene_text_advice(const char *const *words, const char *word,
                              char advice[static SCENE_ADVICE_SIZE]);

#endif
