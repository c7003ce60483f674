/* A file that is there whole or not at all: written under another name, and renamed at the end. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct fresh_file {
    FILE *out;
    char path[PATH_MAX];  /* of the file, behind its links */
    char fresh[PATH_MAX]; /* written; "": PATH itself, such as /dev/stdout */
};

/* Begins the file at PATH. False, with path and reason in ERROR. */
bool fresh_file_open(struct fresh_file *file, const char *path, struct error *error);

/* Puts the file in place if it IS_WANTED and whole; otherwise an older file stays unchanged. False,
 * with path and reason in ERROR, if it was wanted and could not be written. */
bool fresh_file_close(struct fresh_file *file, bool is_wanted, struct error *error);
