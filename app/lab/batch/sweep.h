/* What varies from case to case: the texts of `sweep:` and --vary, read, and the case of each
 * number. docs/scale/README.md has their grammar. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"

enum {
    SWEEP_SLOTS_MAX = 4,      /* chosen: values that vary in one text */
    SWEEP_CASES_MAX = 200000, /* chosen: more than anybody would wait for */
    SWEEP_NAME_MAX = 240,     /* of a case, with NUL: it names a folder, too */
};

struct sweep_axis;

struct sweep {
    struct sweep_axis *axes; /* in the order of the texts; the last one goes fastest */
    size_t count;
    size_t cases;        /* of one scene */
    struct scene *scene; /* not its own; as it was between the calls */
};

/* One case. The texts and VARY are its own. */
struct sweep_case {
    char name[SWEEP_NAME_MAX];
    bool has_seed; /* the seed is one of the values that vary */
    int64_t seed;  /* without: from the name of the case; 0: nothing varies */
    char **sets;   /* for scene_set */
    size_t set_count;
    json_t *vary; /* names and values, without the seed */
};

/* Reads TEXTS for a SCENE, which outlives the sweep; of two of one name the later counts. False,
 * with the number of the text in WRONG and the reason in ERROR; then too sweep_free must follow. */
bool sweep_read(struct sweep *sweep, struct scene *scene, const char *const *texts, size_t count,
                size_t *wrong, struct error *error);
void sweep_free(struct sweep *sweep);

/* Case number INDEX of a scene that is called STEM: the same for the same texts and scene on every
 * machine, and a random value the same however many there are. False, with the reason in ERROR. */
bool sweep_case(const struct sweep *sweep, size_t index, const char *stem, struct sweep_case *out,
                struct error *error);
void sweep_case_free(struct sweep_case *one);

/* Adds the names of what varies to LIST, an array of texts, unless they are there. */
bool sweep_varied(const struct sweep *sweep, json_t *list);
