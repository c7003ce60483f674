/* The report of `ptybot stress`, from the result lines of its cases. */
#ifndef PTYBOT_APP_LAB_STRESS_STRESS_REPORT_H
#define PTYBOT_APP_LAB_STRESS_STRESS_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/survey.h"
#include "app/lab/stress/catalogue.h"
#include "app/lab/stress/stress_finding.h"

struct stress_report {
    const struct catalogue *catalogue;
    struct survey *survey;      /* of the same cases */
    const struct survey *known; /* of an earlier run: --baseline; or NULL */
    const struct stress_bench *bench;
    bool is_minimized; /* make the smallest case of each group smaller */
};

struct stress_counts {
    size_t cases, findings;
    size_t fresh;    /* not in the earlier run */
    size_t baseline; /* verdicts on the driver without any hardship */
};

/* Prints the matrix, then the findings in groups. Each leaves a scene in the folder of the
 * bench. */
void stress_report_print(const struct stress_report *report, struct stress_counts *counts,
                         FILE *out);

#endif
