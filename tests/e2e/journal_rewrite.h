/* A journal with some lines changed and all checks right again. */
#pragma once

#include <stdbool.h>

#include "sim/record/journal.h"
#include "tests/support/folder.h"

/* Changes an entry; false leaves it out. */
typedef bool journal_change(struct journal_entry *entry);

/* Copies the journal FROM of a folder to TO through CHANGE. Fails the test where it is none.
 * Returns how many entries there were. */
size_t journal_rewrite(const struct folder *folder, const char *from, const char *to,
                       journal_change *change);
