/* A summary of results files, by scene: for reports, and to compare two runs. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lab/results/results_read.h"
#include "app/lab/results/statistics.h"
#include "app/test/judgement.h"

/* A case. */
struct summary_case {
    const char *name;
    bool is_there; /* false: no results file contains it; the rest is zero */
    enum judgement_verdict verdict;
    size_t scene;
    int64_t seed;
    json_t *line; /* line of the results, without data that no summary needs */
    const json_t *vary, *expect, *measures, *run; /* point into LINE */
};

struct summary_scene {
    const char *word; /* as given by the user */
    char name[64];    /* name of its file, without folder and suffix */
    size_t cases, passed, failed, errors;
    json_t *measures; /* names of the measures */
    json_t *expect;   /* list of labels: for each expectation its name, or its text */
};

struct results_summary {
    const struct results *results; /* must outlive the summary */
    struct summary_case *cases;    /* COUNT of them, in their order */
    size_t count, missing;
    struct summary_scene *scenes;
    size_t scene_count;
};

/* False: out of memory, or not a line that ptybot writes. Call summary_free in any case. */
bool summary_make(struct results_summary *summary, const struct results *results);
void summary_free(struct results_summary *summary);

/* The scene NAME; NULL: there is no such scene. */
const struct summary_scene *summary_find_scene(const struct results_summary *summary,
                                               const char *name);

/* Whether a case belongs to the scene and was judged: it passed or failed. */
bool summary_is_judged(const struct results_summary *summary, const struct summary_case *one,
                       const struct summary_scene *scene);

/* The share of passed cases among the judged ones. */
struct share summary_share(const struct summary_scene *scene);

/* The value of a measure of a case; NAN: the case has no value. */
double summary_measure(const struct summary_case *one, const char *name);

/* Writes the sorted values of a measure of all judged cases of a scene to VALUES, which must have
 * room for all cases. Returns the number of values. */
size_t summary_measures(const struct results_summary *summary, const struct summary_scene *scene,
                        const char *name, double *values);

/* Text INDEX of a list. */
const char *summary_name(const json_t *list, size_t index);

bool summary_has_name(const json_t *list, const char *name);

/* Adds a text to a list unless the list contains it. False: out of memory. */
bool summary_add_name(json_t *list, const char *name);

/* Writes the label of an expectation, an item of `expect` in a line, to TEXT. */
const char *summary_label(const json_t *expectation, char *text, size_t size);

/* A number from `run` of a case, such as "wall_s". */
double summary_run(const struct summary_case *one, const char *key);

/* A text from a case's line, or from its `run`; "": there is no such text. */
const char *summary_text(const struct summary_case *one, const char *key);
