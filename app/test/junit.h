/* Judgements as JUnit XML, in the form that CI systems read (the schema of the Jenkins plugin). */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/test/judgement.h"

/* One test run as an element <testsuite>. */
void junit_write_suite(const struct judgement *judgement, FILE *out);

struct junit_totals {
    size_t cases, failures, errors;
    double wall_s;
};

/* A document around suites that are in files of their own; a file that cannot be read is left out.
 * PATH is written whole or not at all. False, with the reason in ERROR. */
bool junit_write(const char *path, const struct junit_totals *totals, const char *const *suites,
                 size_t count, struct error *error);

/* Removes the file of an earlier run: if this one is killed, that does not look like its own. */
void junit_forget(const char *path);

/* A document of one suite. */
bool junit_write_one(const char *path, const struct judgement *judgement, struct error *error);
