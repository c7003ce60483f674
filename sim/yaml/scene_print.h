/* The tables of scene_yaml.h in the other direction: a struct as the YAML that fills it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/yaml/scene_yaml.h"

/* A text that grows; zero it before its first use. The caller frees BYTES. */
struct scene_text {
    char *bytes;
    size_t size;
    bool is_short; /* memory was; BYTES end before that */
};

void scene_text_add(struct scene_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes what stands under KEY of a file for a part of the struct IN: nothing where that is what a
 * missing key means. False, with the key in ERROR: a number that its row does not allow. */
bool scene_print_part(struct scene_text *out, const struct scene_part *part, const void *in,
                      struct error *error);
