/* Writes a recording as a pcapng file (draft-ietf-opsawg-pcapng). A crash loses data that was not
 * flushed and never leaves half a block; on a full disk the file ends with the last complete
 * block. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct capture_writer;

/* Creates the file, or overwrites an older pcapng file; any other existing file is an error and
 * stays. FLAG is the flag that messages name, such as "--capture". NULL with ERROR. */
struct capture_writer *capture_writer_open(const char *path, const char *flag, struct error *error);

/* Adds an interface, before its first block. Returns its number, counted from 0. */
size_t capture_writer_interface(struct capture_writer *writer,
                                const struct capture_interface *interface);

/* Adds a block; its time is 0 or later. Data of more than CAPTURE_DATA_MAX bytes become several
 * blocks. Has no effect after a failure. */
void capture_writer_add(struct capture_writer *writer, const struct capture_block *block);

/* Writes buffered data. Call it often: a crash loses only data that was not written. A failure is
 * reported once, on the terminal, and the caller continues. */
void capture_writer_flush(struct capture_writer *writer);

/* Flushes and closes the file. False, with the reason in ERROR, if a part could not be written.
 * NULL is allowed. */
bool capture_writer_close(struct capture_writer *writer, struct error *error);
