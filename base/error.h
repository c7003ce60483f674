/* A sentence about what the outside world did wrong: a scene, an option, a command.
 * Bugs are asserts and hostile bytes are counters; neither uses this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The text names the place, the key, what was found and what is allowed. It is UTF-8 without
 * control characters, whatever it quotes: they become `?`. The lines of text_caret may end it.
 * Empty: no error. */
struct error {
    char text[768];
    bool is_environment; /* the machine refused; else what was asked for is impossible */
};

/* Writes a printf-style sentence (a long one loses its middle) and returns false, so that a
 * failing function ends with `return error_set(error, ...)`. ERROR may be NULL. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what the machine refused: is_environment is set. */
bool error_environment(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts PREFIX in front of the text, for callers that know the place. Returns false. */
bool error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For functions that return a pointer: `return error_null(error_set(error, ...))`. */
static inline void *error_null(bool is_good)
{
    (void)is_good;
    return NULL;
}
