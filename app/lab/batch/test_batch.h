/* Many tests: each in a process of its own, some at a time; a table, one JUnit file and one stream
 * of results of all. */
#pragma once

#include "app/lab/batch/batch.h"

/* Runs all UNITS and returns the exit code: the highest of theirs. FAILED gets the first that
 * failed, or NULL. */
int test_batch(const struct test_units *units, const struct batch_options *options,
               const struct test_unit **failed);
