/* Drawings of a report: shares with their intervals, distributions, verdicts in a row. Each writes
 * one element <svg> or nothing. */
#ifndef PTYBOT_APP_LAB_RESULTS_REPORT_CHARTS_H
#define PTYBOT_APP_LAB_RESULTS_REPORT_CHARTS_H

#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/statistics.h"

/* Colors of verdicts, by enum judgement_verdict; the last one: there is none. Green and red are
 * those that color-blind people tell apart by their brightness, too. */
enum { CHART_COLORS = 5, CHART_NONE = 4 };
extern const char *const chart_colors[CHART_COLORS];

/* How many of some passed. */
struct chart_share {
    char label[64];
    struct share share;
};

/* A bar for each, with Wilson's interval of 95 %. */
void chart_shares(FILE *page, const struct chart_share *rows, size_t count);

/* Sorted numbers. */
struct chart_sample {
    const double *values;
    size_t count;
};

/* How often which values are: of cases that passed, of those that failed, and as a line those of an
 * earlier run (COUNT 0: there is none), each as a part of all of its run. */
void chart_histogram(FILE *page, struct chart_sample passed, struct chart_sample failed,
                     struct chart_sample before);

/* A cell for each verdict (a number of CHART_COLORS); if there are very many, one for several that
 * follow each other, with the color of the worst. */
void chart_verdicts(FILE *page, const unsigned char *verdicts, size_t count);

#endif
