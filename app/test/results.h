/* Results as lines of JSON: the plan of a run, and the result of each case. docs/scale/results.md
 * describes the format. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/test/judgement.h"
#include "base/error.h"

enum { RESULTS_FORMAT = 1 };

/* Words in the order of enum judgement_verdict, terminated by NULL. */
extern const char *const results_verdicts[];

struct results_plan {
    uint64_t hash; /* hash of the names, of the swept parameters, and of the scenes */
    size_t count;  /* cases of all shards */
    int64_t shard[2];
    const char *const *names; /* COUNT of them */
    const json_t *varied;     /* names of the swept parameters, a list */
    const json_t *better;     /* "less" or "more" for measures, an object */
};

/* The data of a case in its line, in addition to its judgement. */
struct results_case {
    size_t number;
    const char *scene;  /* as given by the user */
    const json_t *vary; /* swept values, an object; NULL: no parameters were swept */
    const char *files;  /* folder of its files; NULL: no files */
    int code;           /* exit code of the program */
    bool has_host;
    double cpu_s, host_cpu_s;
    long host_rss_kb;
};

/* Lines with their newline. The caller frees them. NULL: out of memory. */
char *results_plan_line(const struct results_plan *plan);
char *results_case_line(const struct judgement *judgement, const struct results_case *info);

/* CPU time in s of this process so far and of its ended children, and the largest memory of one of
 * these children in kB. */
struct results_cost {
    double own_s, children_s;
    long children_kb;
};
struct results_cost results_cost_now(void);

/* ---- The file ---- */

/* Opens PATH to append; IS_NEW: empties it first. -1 with the reason in ERROR. */
int results_open(const char *path, bool is_new, struct error *error);

/* Writes a complete line. False, with the reason in ERROR. */
bool results_append(int file, const char *line, size_t size, struct error *error);
