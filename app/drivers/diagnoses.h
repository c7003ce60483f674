/* What a run has shown beside the verdicts on its expectations: who is to blame, driver, wire,
 * scene or machine, in one line each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum diagnosis_kind { DIAGNOSIS_DRIVER, DIAGNOSIS_WIRE, DIAGNOSIS_SCENE, DIAGNOSIS_MACHINE };

enum diagnosis_severity {
    DIAGNOSIS_WARNING, /* worth knowing whatever the verdict: told at the end, and counted there */
    DIAGNOSIS_FAILURE, /* explains a failed case: told before all others, and with that case */
};

struct diagnosis {
    enum diagnosis_kind kind;
    enum diagnosis_severity severity;
    const char *entry; /* of the documentation, with its page; NULL: unknown */
    char *text;        /* one line */
    char *steady;      /* the same without what differs from run to run; NULL: TEXT is that */
};

/* In the order in which they were found. All zero: none. */
struct diagnoses {
    struct diagnosis *items;
    size_t count, warnings;
    bool is_short; /* memory was short, and something is left out */
};

/* Adds a line, printf-style, and the ENTRY that explains it, such as "troubleshooting.md#late";
 * what breaks a line becomes a blank. It fails no test: whoever wants that adds a case, too
 * (judgement_add). */
void diagnoses_add(struct diagnoses *diagnoses, enum diagnosis_kind kind,
                   enum diagnosis_severity severity, const char *entry, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* What the diagnosis added last says in each run: one line, which is copied, without numbers that
 * hang on when somebody looked. */
void diagnoses_steady(struct diagnoses *diagnoses, const char *text);

/* "driver", "wire", "scene", "machine"; "warning", "failure". */
const char *diagnosis_kind_word(enum diagnosis_kind kind);
const char *diagnosis_severity_word(enum diagnosis_severity severity);

/* Prints the path of an entry of the documents: `  see PATH/troubleshooting.md#watchdog`. */
void diagnosis_print_entry(const char *entry, FILE *out);

/* Prints those of one severity after an empty line: `wire failure: TEXT`, and below it the path of
 * its entry. */
void diagnoses_print(const struct diagnoses *diagnoses, enum diagnosis_severity severity,
                     FILE *out);

/* The first of that severity, or NULL. */
const struct diagnosis *diagnoses_first(const struct diagnoses *diagnoses,
                                        enum diagnosis_severity severity);

void diagnoses_free(struct diagnoses *diagnoses);
