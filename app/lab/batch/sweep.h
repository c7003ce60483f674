/* The cases of a sweep: reads the texts of `sweep:` and --vary, and creates each case.
 * docs/scale/README.md describes their grammar. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

enum {
    SWEEP_SLOTS_MAX = 4,      /* chosen: swept values in one text */
    SWEEP_CASES_MAX = 200000, /* chosen: more than a user would wait for */
    SWEEP_NAME_MAX = 240,     /* name of a case, with NUL: it is also the name of a folder */
};

struct sweep_axis;

struct sweep {
    struct sweep_axis *axes; /* in the order of the texts; the last one varies fastest */
    size_t count;
    size_t cases;        /* cases of one scene */
    struct scene *scene; /* not owned; unchanged after each call */
};

/* One case, which owns the texts and VARY. */
struct sweep_case {
    char name[SWEEP_NAME_MAX];
    bool has_seed; /* the seed is one of the swept values */
    int64_t seed;  /* otherwise from the name of the case; 0: the sweep has no values */
    char **sets;   /* arguments of scene_set */
    size_t set_count;
    json_t *vary; /* names and values, except the seed */
};

/* Reads TEXTS for a SCENE, which must outlive the sweep. If two texts have the same name, the later
 * one counts. False, with the index of the text in WRONG and the reason in ERROR. Call sweep_free
 * in any case. */
bool sweep_read(struct sweep *sweep, struct scene *scene, const char *const *texts, size_t count,
                size_t *wrong, struct error *error);
void sweep_free(struct sweep *sweep);

/* Creates case INDEX of the scene STEM. The same texts and scene give the same case on every
 * machine. Random values do not depend on the number of cases. False, with the reason in ERROR. */
bool sweep_case(const struct sweep *sweep, size_t index, const char *stem, struct sweep_case *out,
                struct error *error);
void sweep_case_free(struct sweep_case *one);

/* Adds the names of the swept values to LIST, an array of texts, unless LIST contains them. */
bool sweep_varied(const struct sweep *sweep, json_t *list);
