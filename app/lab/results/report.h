/* A report about many cases as one page: the share of passed cases and its dependence on the swept
 * values, each measure, the failures, and the differences from an earlier run. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "app/cli/arguments.h" // IWYU pragma: keep

struct results;

struct report_options {
    char html[PATH_MAX];     /* "": no page */
    bool is_covered;         /* print the coverage */
    char baseline[PATH_MAX]; /* results of an earlier run; "": no earlier run */
};

/* The rows of --html and --baseline for a subcommand. Its options are a struct TAG; MEMBER is a
 * struct report_options in it. */
#define REPORT_FLAG_ROWS(tag, member)                                                              \
    FLAG_TEXT("html", "F.html", tag, member.html, "", "Write a report of all cases as one page"),  \
        FLAG_TEXT("baseline", "OLD.ndjson", tag, member.baseline, "",                              \
                  "Compare with an earlier run; exit with 1 only if a pass rate or measure is "    \
                  "significantly worse (1 % level)")

/* Prints the comparison with the earlier run and writes the page. CODE is the exit code of the run
 * itself. Returns the exit code of the program. With an earlier run, failed cases do not count, but
 * significantly worse results do. IS_WHOLE false: cases are missing or differ between two files;
 * then a failure still counts. */
int report(const struct results *results, const struct report_options *options, bool is_whole,
           int code);
