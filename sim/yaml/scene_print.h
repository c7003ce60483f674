/* The inverse of scene_yaml.h, with the same tables: writes a struct as the YAML that fills it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/yaml/scene_yaml.h"

/* A text that grows; zero it before its first use. The caller frees BYTES. */
struct scene_text {
    char *bytes;
    size_t size;
    bool is_short; /* out of memory; BYTES end before that */
};

void scene_text_add(struct scene_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the YAML for a part of the struct IN, under the part's KEY. Writes nothing if the value is
 * the same as for a missing key. False, with the key in ERROR: a number is outside the range of its
 * row. */
bool scene_print_part(struct scene_text *out, const struct scene_part *part, const void *in,
                      struct error *error);
