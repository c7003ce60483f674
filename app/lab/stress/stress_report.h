/* The report of `ptybot stress`, from the result lines of its cases: as text, and as a page. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/results_summary.h"
#include "app/lab/stress/catalogue.h"
#include "app/lab/stress/stress_finding.h"

enum { STRESS_CELL_MAX = 48, STRESS_SIGNATURE_MAX = 320, STRESS_FACTS = 16 };

/* A row of the matrix: one hardship in its sizes. */
struct stress_line {
    const char *what;
    char cells[HARDSHIP_SIZES][STRESS_CELL_MAX]; /* "": there is no such case */
};

/* Cases that fail for one cause. */
struct stress_group {
    char signature[STRESS_SIGNATURE_MAX];
    size_t best, count; /* the case to look at first: the smallest size */
    char title[96];
    struct stress_fact {
        const char *key; /* "": more of the one before */
        char *text;
    } facts[STRESS_FACTS];
    size_t fact_count;
};

struct stress_counts {
    size_t cases, findings;
    size_t errors;   /* could not run */
    size_t fresh;    /* not in the earlier run */
    size_t baseline; /* verdicts on the driver without any hardship */
};

struct stress_report {
    const struct catalogue *catalogue;
    struct results_summary *summary;     /* of the same cases */
    const struct results_summary *known; /* of an earlier run: --baseline; or NULL */
    const struct stress_bench *bench;
    bool is_minimized; /* make the smallest case of each group smaller */
    struct stress_counts *counts;
    struct stress_line *lines; /* filled, as all that follows */
    size_t line_count;
    struct stress_group *groups;
    size_t group_count;
};

/* Fills the report, and writes the scene of each group into the folder of the bench. False: memory
 * is short. */
bool stress_report_make(struct stress_report *report);
void stress_report_free(struct stress_report *report);

/* Prints the matrix, then the groups. */
void stress_report_print(const struct stress_report *report, FILE *out);

/* Writes the page at PATH. BASELINE says in words what the driver does without any hardship. False,
 * with the reason in ERROR. */
bool stress_page_write(const char *path, const struct stress_report *report, const char *baseline,
                       struct error *error);
