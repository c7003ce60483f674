/* Files as bytes: read as a whole, written as a whole, and overwritten only if ptybot wrote
 * them. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* The SIZE bytes of a regular file. The caller frees them. Never waits for a pipe. If the file is
 * growing, reads its present size. NULL, with the reason in ERROR (without the path): the file
 * cannot be read, is not a regular file, or has more than MOST bytes. */
char *file_bytes_read(const char *path, size_t most, size_t *size, struct error *error);

/* Writes SIZE bytes to a descriptor. Returns the number of bytes written; if it is smaller than
 * SIZE, errno has the reason. */
size_t file_bytes_write(int fd, const void *bytes, size_t size);

/* Opens the file PATH, which was given with the flag FLAG, for writing and empties it. The file may
 * be new, or an older file of the kind KIND, which begins with MAGIC. Any other file stays
 * unchanged and is an error, so that a typing mistake destroys no file. Never waits for a pipe.
 * False, with ERROR; FD may be open then, otherwise it is negative. */
bool file_bytes_replace(const char *path, const char *flag, const char *kind, const char *magic,
                        int *fd, struct error *error);
