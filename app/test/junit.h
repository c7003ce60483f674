/* Judgements as JUnit XML, in the form that CI systems read (schema of the Jenkins plugin). */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/test/judgement.h"

/* Writes one test run as an element <testsuite>. */
void junit_write_suite(const struct judgement *judgement, FILE *out);

struct junit_totals {
    size_t cases, failures, errors;
    double wall_s;
};

/* Writes a document that contains suites from separate files. Omits files that cannot be read. PATH
 * is written completely or not at all. False, with the reason in ERROR. */
bool junit_write(const char *path, const struct junit_totals *totals, const char *const *suites,
                 size_t count, struct error *error);

/* Removes the file of an earlier run: if this run is killed, that file is not mistaken for its
 * result. PATH "": none. False, with FLAG, path and reason in ERROR: it cannot be written. */
bool junit_forget(const char *path, const char *flag, struct error *error);

/* Writes a document with one suite. */
bool junit_write_one(const char *path, const struct judgement *judgement, struct error *error);
