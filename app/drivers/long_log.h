/* Logs of any length in files of a bounded one: their beginning and their end. */
#pragma once

#include <stdint.h>

/* Looks at the file PATH and, if it has more than 16 MiB, replaces its middle by a note of how much
 * is left out. What others append at that moment may be lost. LEFT_OUT counts the bytes. What is
 * no regular file stays as it is. */
void long_log_cut(const char *path, uint64_t *left_out);

/* The same while others append to it (O_APPEND), of whose words none may be lost but those of the
 * middle: gives back the room of the middle, which then reads as zeros until long_log_cut. Where
 * the file system has no holes, cuts at once. */
void long_log_thin(const char *path, uint64_t *left_out);
