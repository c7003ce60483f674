/* One test: a scene is run with its host and judged. */
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
    struct session_options run; /* first, as session.h asks */
    struct host_options host;
    char junit[PATH_MAX];
    char out[PATH_MAX];
    int32_t start; /* enum test_start */
    double host_timeout_s;
    double deadline_s, continue_s; /* 0: as the scene says */
    bool is_fail_fast, is_kept;

    bool has_start; /* --start was given */
};

/* The result of a test, in memory that a parent process may share. */
struct test_result {
    bool is_done;  /* false: the process ended without a result */
    bool is_known; /* by an earlier run, which is gone on with */
    int code;      /* of the program */
    size_t cases, failures, errors, skipped;
    double simulated_s, wall_s;
    char reason[256]; /* why it failed, or a warning */
    char failed[160]; /* what failed first, without values: the same of runs that fail alike */
};

/* What a judgement comes to, with the CODE of the program. */
void test_result_fill(const struct judgement *judgement, int code, struct test_result *result);

/* A test that is one of many. */
struct test_part {
    const char *name;  /* replaces that of the scene in reports */
    const char *suite; /* the file for its JUnit element; NULL: none */
    int results;       /* the descriptor for its line of results; -1: none */
    bool is_bare;      /* only the world: no link, file or printing. The test has no host, and goes
                          as fast as it can */
    size_t number;     /* in it */
    const json_t *vary;
    const struct survival *survival; /* the verdicts are those of survival.h; or NULL */
    const char *files;               /* the folder that has its files if it fails; NULL: none */
};

/* Runs the test of the scene WORD, prints its table and writes its files. PART: for a parent that
 * collects what comes of many; NULL: it is one alone. Fills RESULT and returns the exit code. */
int test_run(const char *word, const struct test_options *options, const struct test_part *part,
             struct test_result *result);
