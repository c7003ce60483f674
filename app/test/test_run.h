/* Runs a scene with its hosts, and judges it. */
#pragma once

#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "app/drivers/host_run.h"
#include "app/run/session.h"
#include "app/test/judgement.h"
#include "app/test/survival_judge.h"

enum test_start { TEST_START_HOST, TEST_START_NOW };

struct test_options {
    struct session_options run; /* first member, as session.h requires */
    struct host_options host;
    char junit[PATH_MAX];
    char out[PATH_MAX];
    int32_t start; /* enum test_start */
    double host_timeout_s;
    double deadline_s, continue_s; /* 0: the value in the scene */
    bool is_fail_fast, is_kept;

    bool has_start; /* --start was given */
};

/* The result of a test, in memory that a parent process may share. */
struct test_result {
    bool is_done;  /* false: the process ended without a result */
    bool is_known; /* it was read from the results of an earlier run, which is resumed */
    int code;      /* exit code of the program */
    size_t cases, failures, errors, skipped;
    double simulated_s, wall_s;
    char reason[256]; /* reason for the failure, or a warning */
    char failed[160]; /* first failure without values: the same text for runs that fail in the same
                         way */
};

/* Summarizes a judgement. CODE is the exit code of the program. */
void test_result_fill(const struct judgement *judgement, int code, struct test_result *result);

/* A test that is one of many. */
struct test_part {
    const char *name;  /* replaces the name of the scene in reports */
    const char *suite; /* file for its JUnit element; NULL: no element */
    int results;       /* descriptor for its line of results; -1: no line */
    bool is_bare;      /* no links, files or output. The test has no host, and runs as fast as
                          possible */
    size_t number;     /* its number in the plan */
    const json_t *vary;
    const struct survival *survival; /* the verdicts are those of survival_judge.h; or NULL */
    const char *files;               /* folder of its files if it fails; NULL: no files */
};

/* Runs the test of the scene WORD, prints its table and writes its files. PART: for a parent that
 * collects the results of many tests; NULL: a single test. Fills in RESULT and returns the exit
 * code. */
int test_run(const char *word, const struct test_options *options, const struct test_part *part,
             struct test_result *result);
