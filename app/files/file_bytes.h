/* Whole files in memory. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* The bytes of a regular file, SIZE of them; the caller frees them. Never waits for a pipe; of a
 * file that is still growing it takes what is there now. NULL, with the reason in ERROR (without
 * the path): it cannot be read, it is no file, or it has more than MOST bytes. */
char *file_bytes_read(const char *path, size_t most, size_t *size, struct error *error);
