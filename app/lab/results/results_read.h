/* Files of results, read: for `ptybot merge`, and to go on where a run was killed. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/control/rpc.h" // IWYU pragma: export
#include "app/test/judgement.h"
#include "app/test/test_run.h"
#include "base/error.h"

/* A case; TEXT NULL: there is none. */
struct results_line {
    const char *text; /* in the bytes of its file */
    size_t size;
    int code;    /* of the program */
    size_t file; /* number of the plan line before it */
};

/* What files of one plan hold. All zero: nothing yet. */
struct results {
    char hash[24]; /* "": no plan yet */
    size_t count;
    json_t *plan;               /* its line */
    struct results_line *lines; /* COUNT, by number */
    size_t files, doubles, differing;
    char **bytes; /* of the files */
    size_t byte_count;
    size_t whole; /* bytes of the last file up to its last whole line */
    bool is_torn; /* its last line was not whole, and is left out */
};

/* Adds a file. Of two lines of one case in one part the later counts; of two parts the one that is
 * no error (code 3), else the first. Doubles are reported on stderr. False, with the reason in
 * ERROR: it cannot be read, is no file of results, is damaged, or is of another plan. */
bool results_load(struct results *results, const char *path, struct error *error);

/* The same of the BYTES of a file, which it takes over. */
bool results_take(struct results *results, char *bytes, size_t size, struct error *error);

void results_free(struct results *results);

const char *results_name(const struct results *results, size_t number);

/* The judgement and the result that a line reports, the former to be freed. False: memory is short,
 * or it is not what we write. */
bool results_judgement(const struct results_line *line, struct judgement *judgement,
                       struct test_result *result);
