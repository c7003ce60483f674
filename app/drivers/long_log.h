/* Keeps the files of long logs short: only their beginning and end remain. */
#pragma once

#include <stdint.h>

/* If the file PATH has more than 16 MiB, replaces its middle by a note of how much is left out.
 * Data that another process appends at that moment may be lost. LEFT_OUT counts the bytes. Changes
 * only regular files. */
void long_log_cut(const char *path, uint64_t *left_out);

/* The same while another process appends to it (O_APPEND), so that only the middle is lost: punches
 * a hole in the file, which reads as zeros until long_log_cut. If the file system has no holes,
 * cuts the log immediately. */
void long_log_thin(const char *path, uint64_t *left_out);
