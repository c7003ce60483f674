/* Opens a recording of any format as a file for capture_reader.h. A journal is replayed first, to
 * get the bytes of its run. */
#pragma once

#include <limits.h>

#include "base/error.h"

/* The path to open for the recording PATH. For a journal it is PLACE, which refers to a file that
 * exists until *FD is closed; otherwise it is PATH, and *FD is -1. NULL with ERROR: the journal
 * cannot be replayed. */
const char *any_recording(const char *path, char place[PATH_MAX], int *fd, struct error *error);
