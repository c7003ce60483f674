/* Files as bytes: read whole, written whole, and replaced only where they are ours. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* The bytes of a regular file, SIZE of them; the caller frees them. Never waits for a pipe; of a
 * file that is still growing it takes what is there now. NULL, with the reason in ERROR (without
 * the path): it cannot be read, it is no file, or it has more than MOST bytes. */
char *file_bytes_read(const char *path, size_t most, size_t *size, struct error *error);

/* Writes SIZE bytes to a descriptor. Returns how many it has written; if these are fewer, errno has
 * the reason. */
size_t file_bytes_write(int fd, const void *bytes, size_t size);

/* Opens the file that the flag FLAG names for writing, and empties it: a new file, or an older file
 * of the kind KIND, which begins with MAGIC. Any other file stays and is an error: nobody loses a
 * file to a typing mistake. Never waits for a pipe. False, with ERROR; then FD may be open, else it
 * is negative. */
bool file_bytes_replace(const char *path, const char *flag, const char *kind, const char *magic,
                        int *fd, struct error *error);
