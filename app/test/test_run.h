/* One test: a scene is run with its host and judged. */
#ifndef PTYBOT_APP_TEST_TEST_RUN_H
#define PTYBOT_APP_TEST_TEST_RUN_H

#include "app/test/test.h"

/* Runs the test of the scene WORD, prints its table and writes its files. SUITE: where the element
 * of a JUnit file goes, for a parent that collects them; NULL: nowhere. NAME replaces that of the
 * scene in reports; NULL: none. Fills RESULT and returns the exit code. */
int test_run(const char *word, const char *name, const struct test_options *options,
             const char *suite, struct test_result *result);

#endif
