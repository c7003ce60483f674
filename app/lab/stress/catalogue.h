/* The cases of `ptybot stress`: each hardship that the robots of a scene can meet, alone. */
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
    char what[96]; /* the same without the size: a row of the matrix */
    char changes[STRESS_CHANGES][STRESS_CHANGE_MAX]; /* as scene_set takes them; "": no more */
    char script[160];                                /* as in struct survival; or "" */
    const struct hardship *hardship;
    size_t size;
    unsigned seed; /* added to that of the scene */
    struct survival survival;
};

struct catalogue {
    struct stress_case *cases;
    size_t count;
};

struct catalogue_options {
    const struct argument_texts *only, *skip; /* parts of names */
    double recover_s;                         /* 0: each hardship's own */
    size_t random;                            /* cases of several hardships, drawn at random */
    enum survival_policy policy;
    const struct survival_facts *baselines;
    size_t baseline_count;
};

/* How long the baseline runs at most, s of simulated time. */
#define CATALOGUE_BASELINE_S 18.0

/* Makes the cases for a scene; BASELINES of OPTIONS are there. False, with the reason in ERROR: no
 * case is left, or memory is short. */
bool catalogue_make(struct catalogue *catalogue, const struct scene *scene,
                    const struct catalogue_options *options, struct error *error);
void catalogue_free(struct catalogue *catalogue);

/* The cases as tests of the scene WORD, which has the SEED. Their facts go to FACTS (as many as
 * cases, shared with the processes that run them; NULL: nowhere). Ends the program where memory is
 * short. */
void catalogue_units(struct catalogue *catalogue, const char *word, uint64_t seed,
                     struct survival_facts *facts, struct test_units *units);
