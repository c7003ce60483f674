/* One test: a scene is run with its host and judged. */
#ifndef PTYBOT_APP_TEST_TEST_RUN_H
#define PTYBOT_APP_TEST_TEST_RUN_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "app/run/session.h"
#include "app/test/host_run.h"

enum test_start { TEST_START_HOST, TEST_START_NOW };

struct test_options {
    struct session_options run; /* first, as session.h asks */
    struct host_options host;
    char junit[PATH_MAX];
    char out[PATH_MAX];
    char seeds[48], shard[32]; /* as written */
    int64_t jobs;
    int32_t start; /* enum test_start */
    double host_timeout_s;
    bool is_fail_fast, is_kept;

    bool has_start; /* --start was given */
};

/* The result of a test, in memory that a parent process may share. */
struct test_result {
    bool is_done; /* false: the process ended without a result */
    int code;     /* of the program */
    size_t cases, failures, errors, skipped;
    double simulated_s, wall_s;
    char reason[256]; /* why it failed, or a warning */
};

/* Runs the test of the scene WORD, prints its table and writes its files. SUITE: the file for its
 * JUnit element, for a parent that collects them; NULL: none. NAME replaces that of the scene in
 * reports; NULL: none. Fills RESULT and returns the exit code. */
int test_run(const char *word, const char *name, const struct test_options *options,
             const char *suite, struct test_result *result);

#endif
