/* A file that is written completely or not at all: it is written under another name, and renamed at
 * the end. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct fresh_file {
    FILE *out;
    char path[PATH_MAX];  /* path of the file, with links resolved */
    char fresh[PATH_MAX]; /* written path; "": PATH itself is written, such as /dev/stdout */
};

/* Begins the file at PATH. False, with path and reason in ERROR. */
bool fresh_file_open(struct fresh_file *file, const char *path, struct error *error);

/* Puts the file in place if it IS_WANTED and complete; otherwise an older file stays unchanged.
 * False, with path and reason in ERROR, if it was wanted and could not be written. */
bool fresh_file_close(struct fresh_file *file, bool is_wanted, struct error *error);
