/* What came of the cases of files of results, scene by scene: for reports, and to hold one run
 * against another. */
#ifndef PTYBOT_APP_LAB_RESULTS_SURVEY_H
#define PTYBOT_APP_LAB_RESULTS_SURVEY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lab/results/results_read.h"
#include "app/lab/results/statistics.h"
#include "app/test/judgement.h"

/* A case. */
struct survey_case {
    const char *name;
    bool is_there; /* false: no file tells of it; the rest is zero */
    enum judgement_verdict verdict;
    size_t scene;
    int64_t seed;
    json_t *line; /* of the results, without what nobody here asks for */
    const json_t *vary, *expect, *measures, *run; /* in it */
};

struct survey_scene {
    const char *word; /* as it was named */
    char name[64];    /* of its file */
    size_t cases, passed, failed, errors;
    json_t *measures; /* list of names */
    json_t *expect;   /* list of labels: of each expectation its name, or what it says */
};

struct survey {
    const struct results *results; /* outlive it */
    struct survey_case *cases;     /* COUNT, in their order */
    size_t count, missing;
    struct survey_scene *scenes;
    size_t scene_count;
};

/* False: memory is short, or a line is not what we write. Then too survey_free must follow. */
bool survey_make(struct survey *survey, const struct results *results);
void survey_free(struct survey *survey);

/* The scene called NAME; NULL: there is none. */
const struct survey_scene *survey_find_scene(const struct survey *survey, const char *name);

/* Whether a case is of the scene and was judged: it passed or failed. */
bool survey_is_judged(const struct survey *survey, const struct survey_case *one,
                      const struct survey_scene *scene);

/* How many of those that were judged passed. */
struct share survey_share(const struct survey_scene *scene);

/* The value of a measure of a case; NAN: it has none. */
double survey_measure(const struct survey_case *one, const char *name);

/* The values of a measure of the cases of a scene that were judged, sorted, in VALUES (room for all
 * cases). Returns how many there are. */
size_t survey_measures(const struct survey *survey, const struct survey_scene *scene,
                       const char *name, double *values);

/* Number INDEX of a list of texts. */
const char *survey_name(const json_t *list, size_t index);

/* The label of an expectation in `expect` of a line, in TEXT. */
const char *survey_label(const json_t *expectation, char *text, size_t size);

/* Of a number in `run` of a case, such as "wall_s". */
double survey_run(const struct survey_case *one, const char *key);

/* A text of a case's line, or ""; RUN: of its `run`. */
const char *survey_text(const struct survey_case *one, const char *key);

/* Sorts numbers, the smallest first. */
void survey_sort(double *values, size_t count);

#endif
