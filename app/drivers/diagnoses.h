/* Diagnoses of a run, in addition to the verdicts on its expectations: one line each, which names
 * the cause: driver, wire, scene or machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum diagnosis_kind { DIAGNOSIS_DRIVER, DIAGNOSIS_WIRE, DIAGNOSIS_SCENE, DIAGNOSIS_MACHINE };

enum diagnosis_severity {
    DIAGNOSIS_WARNING, /* useful whatever the verdict: printed and counted at the end */
    DIAGNOSIS_FAILURE, /* explains a failed case: printed before all others, and with that case */
};

struct diagnosis {
    enum diagnosis_kind kind;
    enum diagnosis_severity severity;
    const char *entry; /* entry of the documentation, with its page; NULL: unknown */
    char *text;        /* one line */
    char *steady;      /* the same without parts that differ from run to run; NULL: TEXT has none */
};

/* In the order of their detection. All zero: no diagnosis. */
struct diagnoses {
    struct diagnosis *items;
    size_t count, warnings;
    bool is_short; /* memory ran out, and a diagnosis is missing */
};

/* Adds a line, printf-style, and the ENTRY that explains it, such as "troubleshooting.md#late".
 * Line breaks become blanks. A diagnosis fails no test; to do that, add a case too
 * (judgement_add). */
void diagnoses_add(struct diagnoses *diagnoses, enum diagnosis_kind kind,
                   enum diagnosis_severity severity, const char *entry, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets the steady text of the diagnosis added last: one line, which is copied, without numbers that
 * depend on the moment of detection. */
void diagnoses_steady(struct diagnoses *diagnoses, const char *text);

/* "driver", "wire", "scene", "machine"; "warning", "failure". */
const char *diagnosis_kind_word(enum diagnosis_kind kind);
const char *diagnosis_severity_word(enum diagnosis_severity severity);

/* Prints the path of an entry of the documentation: `  see PATH/troubleshooting.md#watchdog`. */
void diagnosis_print_entry(const char *entry, FILE *out);

/* Prints the diagnoses of one severity after an empty line: `wire failure: TEXT`, and below each
 * the path of its entry. */
void diagnoses_print(const struct diagnoses *diagnoses, enum diagnosis_severity severity,
                     FILE *out);

/* The first diagnosis of that severity, or NULL. */
const struct diagnosis *diagnoses_first(const struct diagnoses *diagnoses,
                                        enum diagnosis_severity severity);

void diagnoses_free(struct diagnoses *diagnoses);
