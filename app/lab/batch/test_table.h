/* Many tests as a table, with one row per test. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/test/test_run.h"

enum { TEST_TABLE_ROWS = 50 }; /* chosen: in larger batches only failed tests are listed */

/* Prints COUNT tests. A test that is not done is printed as `not run`. */
void test_table_print(const char *const *names, const struct test_result *results, size_t count,
                      FILE *out);
