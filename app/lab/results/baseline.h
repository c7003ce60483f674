/* Results held against those of an earlier run: what became worse beyond chance. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/lab/results/results_summary.h"

/* The probability, after Holm's correction over all rows, from which on a change is no chance. */
#define BASELINE_LEVEL 0.01

/* What is compared: how many cases of a scene pass (MEASURE "") or one of its measures. */
struct baseline_row {
    const char *scene, *measure;
    enum statistics_side worse; /* EITHER: the scene does not say which is better */
    size_t before_n, now_n;     /* cases; of pairs both are the same */
    size_t changed;             /* of pairs */
    double before, now;         /* parts of 1, or middles */
    double change;              /* of pairs that have changed in a measure, the middle of these */
    struct interval interval;   /* of CHANGE, 99 % */
    double p;
};

struct baseline {
    struct baseline_row *rows;
    size_t count;
    size_t worse;               /* rows that are, beyond chance */
    size_t pairs;               /* cases that are the same in both: name and values */
    bool has_pairs, has_others; /* rows of pairs, and of cases that are not the same */
    const char **lost;          /* names of cases that passed and now fail; LOST_COUNT */
    size_t lost_count;
    bool is_other; /* they vary other things: told, and compared all the same */
};

/* Compares scenes of the same name. Both outlive the baseline. False, with the reason in ERROR:
 * they have nothing in common, or memory is short. Then too baseline_free must follow. */
bool baseline_compare(struct baseline *baseline, const struct results_summary *now,
                      const struct results_summary *before, struct error *error);
void baseline_free(struct baseline *baseline);

/* Whether a row is worse beyond chance. */
bool baseline_is_worse(const struct baseline_row *row);

/* A row as texts for a table, of which baseline_heads are the heads. */
enum { BASELINE_COLUMNS = 7, BASELINE_TEXT_MAX = 112, BASELINE_NOTE_MAX = 800 };
extern const char *const baseline_heads[BASELINE_COLUMNS + 1];
void baseline_texts(const struct baseline_row *row,
                    char texts[BASELINE_COLUMNS][BASELINE_TEXT_MAX]);

/* Which tests and intervals those are. */
void baseline_note(const struct baseline *baseline, char note[BASELINE_NOTE_MAX]);

/* The table, and what it comes to, against the run called NAME. */
void baseline_print(const struct baseline *baseline, const char *name, FILE *out);
