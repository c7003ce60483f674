/* Runs many tests, each in a separate process, some at the same time. Writes one table, one JUnit
 * file and one results file for all of them. */
#pragma once

#include "app/lab/batch/batch.h"

/* Runs all UNITS and returns the highest of their exit codes. FAILED becomes the first failed test,
 * or NULL. */
int test_batch(const struct test_units *units, const struct batch_options *options,
               const struct test_unit **failed);
