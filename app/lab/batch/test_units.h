/* The cases of a run of many tests: the scenes of files and folders, each over its seeds and what
 * else varies, and the shard of them that is to be run. */
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
    char *scene;                     /* as for scene_file_find */
    char *name;                      /* unique among the units, and a valid name of a folder */
    size_t number;                   /* among those of all shards, from 0 on */
    bool is_alone;                   /* its scene has no host and no memory in files */
    const struct survival *survival; /* of a test of `stress`; or NULL */
    struct sweep_case varied;        /* its seed, and what else is changed in the scene */
};

struct test_units {
    struct test_unit *units;
    size_t count, room;
    size_t all;   /* including those of other shards */
    char **names; /* of all */
    int64_t shard[2];
    uint64_t hash;  /* of the plan: names and scenes */
    json_t *varied; /* a list of names */
    json_t *better; /* an object: of measures of which the scenes say it, "less" or "more" */
};

/* Whether WORD is a folder of scenes. */
bool test_units_is_folder(const char *word);

struct test_units_options {
    const char *seeds; /* "A..B", or "" */
    const struct argument_texts *vary;
    bool is_by_seed; /* the seed goes slowest, not fastest */
};

/* Lists the tests of WORDS (scenes, and folders for the *.yaml and *.yml in them) in natural order,
 * each over its seeds and what else the scene and the options vary. False, with the reason in
 * ERROR: bad usage. Ends the program where memory is short. */
bool test_units_list(struct test_units *units, const char *const *words, size_t count,
                     const struct test_units_options *options, struct error *error);

/* Keeps those of shard SHARD "I/N" (or "": all). False, with the reason in ERROR: bad usage. */
bool test_units_keep(struct test_units *units, const char *shard, struct error *error);

void test_units_free(struct test_units *units);
