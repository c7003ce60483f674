/* Reads bytes that a logger wrote, as blocks of one line. Formats: bare bytes, the text of `socat
 * -x`, and lines with a time and hexadecimal bytes, such as `(12.345678) > aa 55 03`. The format is
 * detected by the first bytes. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct text_log;

/* Opens a file, or stdin if PATH is `-`. KIND: the direction of bytes whose direction is not in the
 * file. NULL with ERROR. */
struct text_log *text_log_open(const char *path, enum capture_kind kind, struct error *error);

/* Reads the next block, of interface 0. Its bytes are valid until the next call. False: there are
 * no more blocks. */
bool text_log_next(struct text_log *log, struct capture_block *block);

/* Number of lines so far that could not be parsed. */
uint64_t text_log_skipped(const struct text_log *log);

/* The reason why reading ended before the end of the file; "": it did not. */
const char *text_log_trouble(const struct text_log *log);

void text_log_close(struct text_log *log);
