/* Many tests: each in a process of its own, some at a time; a table and one JUnit file of all. */
#ifndef PTYBOT_APP_TEST_TEST_BATCH_H
#define PTYBOT_APP_TEST_TEST_BATCH_H

#include "app/test/test.h"
#include "app/test/test_units.h"

/* Runs all UNITS and returns the exit code: the highest of theirs. */
int test_batch(const struct test_units *units, const struct test_options *options);

#endif
