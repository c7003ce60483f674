/* The tests of a batch: scenes from files and folders, each with its seeds and swept values, and
 * the selected shard of these tests. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/lab/batch/sweep.h"
#include "app/test/survival_judge.h"
#include "base/error.h"

struct test_unit {
    char *scene;                     /* a word for scene_file_find */
    char *name;                      /* unique among the units, and a valid name of a folder */
    size_t number;                   /* number among the tests of all shards, from 0 on */
    bool is_alone;                   /* its scene has no host and no storage files */
    const struct survival *survival; /* for a test of `stress`; or NULL */
    struct sweep_case varied;        /* its seed, and its changes of the scene */
};

struct test_units {
    struct test_unit *units;
    size_t count, room;
    size_t all;   /* including tests of other shards */
    char **names; /* names of ALL tests */
    int64_t shard[2];
    uint64_t hash;  /* hash of the plan: names and scenes */
    json_t *varied; /* names of the swept values, a list */
    json_t *better; /* "less" or "more" for measures, if the scenes define it; an object */
};

/* Whether WORD is a folder of scenes. */
bool test_units_is_folder(const char *word);

struct test_units_options {
    const char *seeds; /* "A..B", or "" */
    const struct argument_texts *vary;
    bool is_by_seed; /* the seed varies slowest, not fastest */
};

/* Lists the tests of WORDS (scenes, and folders with *.yaml and *.yml files) in natural order, each
 * with its seeds and the swept values of the scene and the options. False, with the reason in
 * ERROR: invalid arguments. Ends the program if memory is short. */
bool test_units_list(struct test_units *units, const char *const *words, size_t count,
                     const struct test_units_options *options, struct error *error);

/* Keeps the tests of SHARD "I/N" (or "": all). False, with the reason in ERROR: invalid
 * arguments. */
bool test_units_keep(struct test_units *units, const char *shard, struct error *error);

void test_units_free(struct test_units *units);
