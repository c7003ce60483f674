/* Many tests: each in a process of its own, some at a time; a table, one JUnit file and one stream
 * of results of all. */
#ifndef PTYBOT_APP_TEST_TEST_BATCH_H
#define PTYBOT_APP_TEST_TEST_BATCH_H

#include "app/test/test_run.h"
#include "app/test/test_units.h"

/* Runs all UNITS and returns the exit code: the highest of theirs. FAILED gets the first that
 * failed, or NULL. */
int test_batch(const struct test_units *units, const struct test_options *options,
               const struct test_unit **failed);

#endif
