/* Compares results with those of an earlier run, and finds significant changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/results_summary.h"

/* Significance level: a change is significant if its p value, after Holm's correction over all
 * rows, is at most this. */
#define BASELINE_LEVEL 0.01

/* A compared value: the share of passed cases of a scene (MEASURE is "") or one of its measures. */
struct baseline_row {
    const char *scene, *measure;
    enum statistics_side worse; /* EITHER: the scene does not define which is better */
    size_t before_n, now_n;     /* cases; equal for pairs */
    size_t changed;             /* pairs that differ */
    double before, now;         /* shares from 0 to 1, or medians */
    double change;              /* for pairs of a measure: median of the pairs that differ */
    struct interval interval;   /* 99 % interval of CHANGE */
    double p;
};

struct baseline {
    struct baseline_row *rows;
    size_t count;
    size_t worse;               /* rows that are significantly worse */
    size_t pairs;               /* cases with the same name and values in both runs */
    bool has_pairs, has_others; /* rows with pairs, and rows with different cases */
    const char **lost;          /* names of cases that passed before and fail now; LOST_COUNT of
                                   them */
    size_t lost_count;
    bool is_other; /* the runs sweep different parameters: reported, but compared even so */
};

/* Compares scenes with the same name. Both summaries must outlive the baseline. False, with the
 * reason in ERROR: they have no common scenes, or memory is short. Call baseline_free in any
 * case. */
bool baseline_compare(struct baseline *baseline, const struct results_summary *now,
                      const struct results_summary *before, struct error *error);
void baseline_free(struct baseline *baseline);

/* Whether a row is significantly worse. */
bool baseline_is_worse(const struct baseline_row *row);

/* The cells of a row of the table; baseline_heads has the column heads. */
enum { BASELINE_COLUMNS = 7, BASELINE_TEXT_MAX = 112, BASELINE_NOTE_MAX = 800 };
extern const char *const baseline_heads[BASELINE_COLUMNS + 1];
void baseline_texts(const struct baseline_row *row,
                    char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX]);

/* Names the tests and intervals of the table. */
void baseline_note(const struct baseline *baseline, char note[BASELINE_NOTE_MAX]);

/* Prints the table and the verdict of a comparison with the run NAME. */
void baseline_print(const struct baseline *baseline, const char *name, FILE *out);
