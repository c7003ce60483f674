/* A run as a web page in one file, which any browser shows without ptybot: `ptybot replay --html`.
 */
#pragma once

#include <stdbool.h>

#include "app/replay/bundle.h"
#include "base/error.h"

/* Whether this ptybot has the page; else the reason and a remedy are in ERROR. */
bool page_file_check(struct error *error);

/* Writes the page of a run; without a journal the scene runs in the page, and takes a hand. What
 * stood at PATH is overwritten. False, with the reason. */
bool page_file_write(const char *path, const struct bundle *bundle, struct error *error);

/* The same of the journal in a file, whose scene is made again. Loads shared objects only to say
 * that no page can. */
bool page_file_of_journal(const char *path, const char *journal, struct error *error);
