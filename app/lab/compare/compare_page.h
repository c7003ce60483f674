/* A comparison as a page: the fields with the largest differences, with the real and virtual curves
 * in the same plot. */
#pragma once

#include "app/lab/compare/compare.h"

/* `packet.field`, with `[element]` of an array. */
void compare_field_name(const struct comparison *comparison, const struct compare_field *field,
                        char *text, size_t size);

/* Writes the page PATH about the recording TITLE. False with ERROR. */
bool compare_page_write(const char *path, const char *title, const struct comparison *comparison,
                        struct error *error);
