/* A recording of any format as a file that capture_reader.h reads. The bytes of a journal are those
 * of the run, which is replayed first. */
#pragma once

#include <limits.h>

#include "base/error.h"

/* Where to open the recording PATH: PATH, or PLACE for a journal, whose bytes *FD then holds until
 * it is closed. *FD is -1 without a journal. NULL with ERROR: it cannot be replayed. */
const char *any_recording(const char *path, char place[PATH_MAX], int *fd, struct error *error);
