/* What a run has shown beside the verdicts on its expectations: who is to blame, driver, wire,
 * scene or machine, in one line each. */
#ifndef PTYBOT_APP_TEST_FINDINGS_H
#define PTYBOT_APP_TEST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum finding_kind { FINDING_DRIVER, FINDING_WIRE, FINDING_SCENE, FINDING_MACHINE };

enum finding_severity {
    FINDING_WARNING, /* worth knowing whatever the verdict: told at the end, and counted there */
    FINDING_FAILURE, /* explains a failed case: told before all others, and with that case */
};

struct finding {
    enum finding_kind kind;
    enum finding_severity severity;
    char *text;   /* one line */
    char *steady; /* the same without what differs from run to run; NULL: TEXT is that */
};

/* In the order in which they were found. All zero: none. */
struct findings {
    struct finding *items;
    size_t count, warnings;
};

/* Adds a line, printf-style; what breaks a line becomes a blank. It fails no test: whoever wants
 * that adds a case, too (judgement_add). False: memory was short and it is left out. */
bool findings_add(struct findings *findings, enum finding_kind kind, enum finding_severity severity,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What the finding added last says in each run: one line, which is copied, without numbers that
 * hang on when somebody looked. Not after one that was left out. False: memory was short. */
bool findings_steady(struct findings *findings, const char *text);

/* "driver", "wire", "scene", "machine"; "warning", "failure". */
const char *finding_kind_word(enum finding_kind kind);
const char *finding_severity_word(enum finding_severity severity);

/* Those of one severity, a line each, `wire failure: TEXT`; an empty line goes before them. */
void findings_print(const struct findings *findings, enum finding_severity severity, FILE *out);

/* The first of that severity, or NULL. */
const struct finding *findings_first(const struct findings *findings,
                                     enum finding_severity severity);

void findings_free(struct findings *findings);

#endif
