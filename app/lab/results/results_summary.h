/* What came of the cases of files of results, scene by scene: for reports, and to hold one run
 * against another. */
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
    bool is_there; /* false: no file tells of it; the rest is zero */
    enum judgement_verdict verdict;
    size_t scene;
    int64_t seed;
    json_t *line; /* of the results, without what nobody here asks for */
    const json_t *vary, *expect, *measures, *run; /* in it */
};

struct summary_scene {
    const char *word; /* as it was named */
    char name[64];    /* of its file */
    size_t cases, passed, failed, errors;
    json_t *measures; /* list of names */
    json_t *expect;   /* list of labels: of each expectation its name, or what it says */
};

struct results_summary {
    const struct results *results; /* outlive it */
    struct summary_case *cases;    /* COUNT, in their order */
    size_t count, missing;
    struct summary_scene *scenes;
    size_t scene_count;
};

/* False: memory is short, or a line is not what we write. Then too summary_free must follow. */
bool summary_make(struct results_summary *summary, const struct results *results);
void summary_free(struct results_summary *summary);

/* The scene called NAME; NULL: there is none. */
const struct summary_scene *summary_find_scene(const struct results_summary *summary,
                                               const char *name);

/* Whether a case is of the scene and was judged: it passed or failed. */
bool summary_is_judged(const struct results_summary *summary, const struct summary_case *one,
                       const struct summary_scene *scene);

/* How many of those that were judged passed. */
struct share summary_share(const struct summary_scene *scene);

/* The value of a measure of a case; NAN: it has none. */
double summary_measure(const struct summary_case *one, const char *name);

/* The values of a measure of the cases of a scene that were judged, sorted, in VALUES (room for all
 * cases). Returns how many there are. */
size_t summary_measures(const struct results_summary *summary, const struct summary_scene *scene,
                        const char *name, double *values);

/* Number INDEX of a list of texts. */
const char *summary_name(const json_t *list, size_t index);

bool summary_has_name(const json_t *list, const char *name);

/* Adds a text to a list unless the list has it. False: memory is short. */
bool summary_add_name(json_t *list, const char *name);

/* The label of an expectation in `expect` of a line, in TEXT. */
const char *summary_label(const json_t *expectation, char *text, size_t size);

/* Of a number in `run` of a case, such as "wall_s". */
double summary_run(const struct summary_case *one, const char *key);

/* A text of a case's line, or ""; RUN: of its `run`. */
const char *summary_text(const struct summary_case *one, const char *key);
