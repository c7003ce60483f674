/* Reads result files, for `ptybot merge` and to resume an interrupted run. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/control/rpc.h" // IWYU pragma: export
#include "app/test/judgement.h"
#include "app/test/test_run.h"
#include "base/error.h"

/* The line of a case; TEXT NULL: there is no line. */
struct results_line {
    const char *text; /* points into the bytes of its file */
    size_t size;
    int code;    /* exit code of the program */
    size_t file; /* number of the plan line before it */
};

/* The results of one plan. Initial value: all zero. */
struct results {
    char hash[24]; /* "": no plan yet */
    size_t count;
    json_t *plan;               /* line of the plan */
    struct results_line *lines; /* COUNT of them, by case number */
    size_t files, doubles, differing;
    char **bytes; /* bytes of the files */
    size_t byte_count;
    size_t whole; /* bytes of the last file up to its last complete line */
    bool is_torn; /* its last line is incomplete, and is ignored */
};

/* Adds a file. If a case has several lines after the same plan line, the last one counts. If it has
 * lines after different plan lines, a line without an error (code 3) counts, otherwise the first.
 * Reports duplicates on stderr. False, with the reason in ERROR: the file cannot be read, is not a
 * results file, is damaged, or belongs to another plan. */
bool results_load(struct results *results, const char *path, struct error *error);

/* The same with the BYTES of a file, which it takes over. */
bool results_take(struct results *results, char *bytes, size_t size, struct error *error);

void results_free(struct results *results);

const char *results_name(const struct results *results, size_t number);

/* Converts a line to a judgement, which the caller frees, and a result. False: out of memory, or
 * not a line that ptybot writes. */
bool results_judgement(const struct results_line *line, struct judgement *judgement,
                       struct test_result *result);
