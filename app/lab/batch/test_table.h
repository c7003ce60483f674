/* Many tests for people: a row for each. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/test/test_run.h"

enum { TEST_TABLE_ROWS = 50 }; /* chosen: of more tests only those that did not pass */

/* Prints COUNT tests; one that is not done is `not run`. */
void test_table_print(const char *const *names, const struct test_result *results, size_t count,
                      FILE *out);
