/* The folder in which a test leaves what helps to understand it: the one that was asked for, or one
 * of its own for temporary files, of which only that of a failure stays. */
#ifndef PTYBOT_APP_TEST_OUT_FOLDER_H
#define PTYBOT_APP_TEST_OUT_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct out_folder {
    char path[PATH_MAX]; /* absolute */
    bool is_own;         /* nobody asked for it */
};

/* Makes the folder WANTED and those above it, where they are missing; "": one in $TMPDIR or /tmp.
 * False, with the reason in ERROR. */
bool out_folder_open(struct out_folder *folder, const char *wanted, struct error *error);

/* Writes the path of a file in it; returns TEXT. */
const char *out_folder_file(const struct out_folder *folder, const char *name, char text[PATH_MAX]);

/* Removes a folder that is our own, with all that is in it, unless it is to be kept. */
void out_folder_close(struct out_folder *folder, bool is_kept);

/* Removes a folder and all that is in it; follows no link. */
void out_folder_remove(const char *path);

#endif
