/* A run as a web page in one file, which any browser shows without ptybot: `ptybot replay
 * --html`. */
#pragma once

#include <stdbool.h>

#include "app/replay/bundle.h"
#include "base/error.h"

/* Whether this ptybot contains the page. If not, the reason and a remedy are in ERROR. */
bool page_file_check(struct error *error);

/* Writes the page of a run. Without a journal the page runs the scene and accepts commands.
 * Overwrites the file PATH. False, with the reason in ERROR. */
bool page_file_write(const char *path, const struct bundle *bundle, struct error *error);

/* The same for the journal in a file, whose scene is built again. Loads shared objects only to
 * report that a page cannot run them. */
bool page_file_of_journal(const char *path, const char *journal, struct error *error);
