/* What many cases come to, as one page: how many passed and under what, each measure, what failed,
 * and what an earlier run has that this has not. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "app/cli/arguments.h" // IWYU pragma: keep

struct results;

struct report_options {
    char html[PATH_MAX];     /* "": no page */
    bool is_covered;         /* print what the tests have exercised */
    char baseline[PATH_MAX]; /* results of an earlier run; "": none */
};

/* --html and --baseline, for a subcommand whose options, a struct TAG, have a struct report_options
 * as MEMBER. */
#define REPORT_FLAG_ROWS(tag, member)                                                              \
    FLAG_TEXT("html", "F.html", tag, member.html, "", "Write a report of all cases as one page"),  \
        FLAG_TEXT("baseline", "OLD.ndjson", tag, member.baseline, "",                              \
                  "Compare with an earlier run; exit with 1 only if a pass rate or measure is "    \
                  "significantly worse (1 % level)")

/* Prints what has changed against the earlier run and writes the page. CODE is that of the run
 * without it. Returns the code of the program: with an earlier run a failed case is no failure by
 * itself, but that something is worse beyond chance; IS_WHOLE false: cases are missing, or not the
 * same in two files, which stays a failure. */
int report(const struct results *results, const struct report_options *options, bool is_whole,
           int code);
