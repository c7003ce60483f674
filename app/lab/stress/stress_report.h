/* The report of `ptybot stress`, from the result lines of its cases: as text, and as a page. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/results_summary.h"
#include "app/lab/stress/catalogue.h"
#include "app/lab/stress/stress_finding.h"

enum { STRESS_CELL_MAX = 48, STRESS_SIGNATURE_MAX = 320, STRESS_FACTS = 16 };

/* A row of the matrix: one hardship with its sizes. */
struct stress_line {
    const char *what;
    char cells[HARDSHIP_SIZES][STRESS_CELL_MAX]; /* "": there is no such case */
};

/* Cases with the same cause of failure. */
struct stress_group {
    char signature[STRESS_SIGNATURE_MAX];
    size_t best, count; /* BEST is the recommended case, of the smallest size */
    char title[96];
    struct stress_fact {
        const char *key; /* "": continuation of the previous fact */
        char *text;
    } facts[STRESS_FACTS];
    size_t fact_count;
};

struct stress_counts {
    size_t cases, findings;
    size_t errors;   /* cases that could not run */
    size_t fresh;    /* findings that the earlier run does not have */
    size_t baseline; /* failed verdicts of the baseline */
};

struct stress_report {
    const struct catalogue *catalogue;
    struct results_summary *summary;     /* summary of the same cases */
    const struct results_summary *known; /* summary of an earlier run: --baseline; or NULL */
    const struct stress_bench *bench;
    bool is_minimized; /* simplify the smallest case of each group */
    struct stress_counts *counts;
    struct stress_line *lines; /* this and the following are filled in */
    size_t line_count;
    struct stress_group *groups;
    size_t group_count;
};

/* Fills in the report, and writes the scene of each group to the folder of the bench. False: out of
 * memory. */
bool stress_report_make(struct stress_report *report);
void stress_report_free(struct stress_report *report);

/* Prints the matrix, then the groups. */
void stress_report_print(const struct stress_report *report, FILE *out);

/* Writes the page PATH. BASELINE describes the driver without hardships. False, with the reason in
 * ERROR. */
bool stress_page_write(const char *path, const struct stress_report *report, const char *baseline,
                       struct error *error);
