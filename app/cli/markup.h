/* Text and bytes in XML and HTML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes TEXT with markup characters escaped. Bytes that XML does not allow become the replacement
 * character. IS_BODY: newlines and tabs are kept; otherwise TEXT is the value of an
 * attribute. */
void markup_text(const char *text, bool is_body, FILE *out);

/* Writes bytes as base64, RFC 4648, section 4. */
void markup_base64(const char *bytes, size_t size, FILE *out);
