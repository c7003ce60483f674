/* A journal with changed lines and correct checks. */
#pragma once

#include <stdbool.h>

#include "sim/record/journal.h"
#include "tests/support/folder.h"

/* Changes an entry; false removes it. */
typedef bool journal_change(struct journal_entry *entry);

/* Copies the journal FROM of a folder to TO, with each entry changed by CHANGE. Fails the test if
 * FROM is not a journal. Returns the number of entries in FROM. */
size_t journal_rewrite(const struct folder *folder, const char *from, const char *to,
                       journal_change *change);
