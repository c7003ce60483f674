/* An error message about a fault of the environment or the user: in a scene, an option, a command.
 * Bugs are asserts and hostile bytes are counters; neither uses this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The text contains the place, the key, the value found and the allowed values. It is UTF-8.
 * Control characters in quoted text become `?`. The lines of text_caret may end it. Empty: no
 * error. */
struct error {
    char text[768];
    bool is_environment; /* the operating system refused; false: the request itself is invalid */
};

/* Writes a printf-style message and returns false. A message that is too long loses its middle. A
 * failing function can end with `return error_set(error, ...)`. ERROR may be NULL. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an error of the operating system: sets is_environment. */
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
