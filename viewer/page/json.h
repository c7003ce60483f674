/* Writes JSON text into memory that grows. The caller must pair each begin with its end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty text. */
struct json {
    char *text; /* owned; ends with NUL; NULL if nothing was written */
    size_t size, room;
    bool needs_comma;
    bool is_short; /* out of memory: the end is missing */
};

/* Empties a text and keeps its memory. */
void json_clear(struct json *json);

/* KEY is the name inside an object, or NULL in a list and at the top. BRACKET: '{' or '['. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket);
/* UTF-8 text; NULL becomes null. */
void json_string(struct json *json, const char *key, const char *value);
/* Infinity and NaN become null. */
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
