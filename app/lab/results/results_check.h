/* What a line of a file of results must hold. Others may have written or changed the file, and its
 * numbers and words decide verdicts and exit codes. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

/* Words in a line, in the order of their enumerations; NULL ends them. */
extern const char *const results_kinds[];      /* of an expectation; "": it passed */
extern const char *const results_causes[];     /* enum diagnosis_kind */
extern const char *const results_severities[]; /* enum diagnosis_severity */

/* Whether a line with a plan, or with a case, is one that the program writes: types, ranges, words,
 * and a code that agrees with the verdicts. False, with the reason in ERROR. */
bool results_check_plan(const json_t *line, struct error *error);
bool results_check_case(const json_t *line, struct error *error);
