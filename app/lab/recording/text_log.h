/* Bytes that some logger wrote, as blocks of one line: bare bytes, the text of `socat -x`, and
 * lines of a time and hexadecimal bytes, such as `(12.345678) > aa 55 03`. Which of them it is
 * shows in its first bytes. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct text_log;

/* Opens a file, or stdin by the name `-`. KIND: the direction of bytes that do not tell theirs.
 * NULL with ERROR. */
struct text_log *text_log_open(const char *path, enum capture_kind kind, struct error *error);

/* The next block, of interface 0. Its bytes live until the next call. False: there are no more. */
bool text_log_next(struct text_log *log, struct capture_block *block);

/* Lines so far that could not be read as anything. */
uint64_t text_log_skipped(const struct text_log *log);

/* Why reading ended before the end of the file; "": it did not. */
const char *text_log_trouble(const struct text_log *log);

void text_log_close(struct text_log *log);
