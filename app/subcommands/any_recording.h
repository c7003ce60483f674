/* A recording of any format as a file that block_source.h reads. The bytes of a journal are those
 * of the run, which is replayed first. */
#ifndef PTYBOT_APP_SUBCOMMANDS_ANY_RECORDING_H
#define PTYBOT_APP_SUBCOMMANDS_ANY_RECORDING_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct any_recording {
    char place[PATH_MAX]; /* what to open */
    int fd;               /* -1: none is held */
};

/* False with ERROR: PATH is a journal that cannot be replayed. */
bool any_recording_open(struct any_recording *recording, const char *path, struct error *error);
void any_recording_close(struct any_recording *recording);

#endif
