/* Text and bytes in XML and HTML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes TEXT so that it is nothing but text there. Bytes that XML cannot hold become the
 * replacement character. IS_BODY: newlines and tabs stay; else it is the value of an attribute. */
void markup_text(const char *text, bool is_body, FILE *out);

/* Writes bytes as base64, RFC 4648, section 4. */
void markup_base64(const char *bytes, size_t size, FILE *out);
