/* Writes a recording as a pcapng file (draft-ietf-opsawg-pcapng). A crash loses what was not
 * flushed and never leaves half a block; on a full disk the file ends with the last whole block. */
#pragma once

#include "app/record/capture.h"
#include "base/error.h"

struct capture_writer;

/* Creates the file, or overwrites an older pcapng file; any other file stays and is an error. FLAG
 * is what the messages name: "--capture". NULL with ERROR. */
struct capture_writer *capture_writer_open(const char *path, const char *flag, struct error *error);

/* Adds an interface; its number counts from 0. Before the first block on it. */
size_t capture_writer_interface(struct capture_writer *writer,
                                const struct capture_interface *interface);

/* Adds a block; its time is 0 or later. Data of more than CAPTURE_DATA_MAX bytes become several
 * blocks. After a failure it does nothing. */
void capture_writer_add(struct capture_writer *writer, const struct capture_block *block);

/* Writes what is buffered; call it often: a crash loses no more than that. A failure is said once,
 * to the terminal, and the caller goes on. */
void capture_writer_flush(struct capture_writer *writer);

/* Flushes and closes. False, with the reason, if not all could be written. NULL is allowed. */
bool capture_writer_close(struct capture_writer *writer, struct error *error);
