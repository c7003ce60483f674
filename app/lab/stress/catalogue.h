/* The cases of `ptybot stress`: each hardship that can happen to the robots of a scene, alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/cli/arguments.h"
#include "app/lab/batch/test_units.h"
#include "app/lab/stress/hardship.h"
#include "app/test/survival_judge.h"
#include "base/error.h"
#include "sim/scene/scene.h"

enum { STRESS_CHANGE_MAX = 160, STRESS_CHANGES = 4 };

struct stress_case {
    char name[96]; /* "kobuki.uart-drop-frame-large", "opening-kobuki.power-off-small" */
    char what[96]; /* the same without the size, for a row of the matrix */
    char changes[STRESS_CHANGES][STRESS_CHANGE_MAX]; /* for scene_set; "": no more */
    char script[160];                                /* as in struct survival; or "" */
    const struct hardship *hardship;
    size_t size;
    unsigned seed; /* added to the seed of the scene */
    struct survival survival;
};

struct catalogue {
    struct stress_case *cases;
    size_t count;
};

struct catalogue_options {
    const struct argument_texts *only, *skip; /* parts of names */
    double recover_s;                         /* 0: the value of each hardship */
    size_t random;                            /* number of random cases with several hardships */
    enum survival_policy policy;
    const struct survival_facts *baselines;
    size_t baseline_count;
};

/* Longest run of the baseline, in s of simulated time. */
#define CATALOGUE_BASELINE_S 18.0

/* Creates the cases for a scene. The BASELINES of OPTIONS must be complete. False, with the reason
 * in ERROR: no case is left, or memory is short. */
bool catalogue_make(struct catalogue *catalogue, const struct scene *scene,
                    const struct catalogue_options *options, struct error *error);
void catalogue_free(struct catalogue *catalogue);

/* Converts the cases to tests of the scene WORD with the seed SEED. Their observations are stored
 * in FACTS (one per case, shared with the processes that run them; NULL: discarded). Ends the
 * program if memory is short. */
void catalogue_units(struct catalogue *catalogue, const char *word, uint64_t seed,
                     struct survival_facts *facts, struct test_units *units);
