/* Results as lines of JSON: the plan of a run, and what came of each case. docs/scale/results.md
 * has the format. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/test/judgement.h"
#include "base/error.h"

enum { RESULTS_FORMAT = 1 };

/* Words in the order of enum judgement_verdict; NULL ends them. */
extern const char *const results_verdicts[];

struct results_plan {
    uint64_t hash; /* of the names, of what is varied, and of the scenes */
    size_t count;  /* cases of all shards */
    int64_t shard[2];
    const char *const *names; /* COUNT of them */
    const json_t *varied;     /* a list of names */
    const json_t *better;     /* an object: of measures, "less" or "more" */
};

/* What a line says of a case beside its judgement. */
struct results_case {
    size_t number;
    const char *scene;  /* as it was named */
    const json_t *vary; /* an object; NULL: nothing was varied */
    const char *files;  /* the folder that has its files; NULL: none */
    int code;           /* of the program */
    bool has_host;
    double cpu_s, host_cpu_s;
    long host_rss_kb;
};

/* Lines with their newline, which the caller frees; NULL: memory is short. */
char *results_plan_line(const struct results_plan *plan);
char *results_case_line(const struct judgement *judgement, const struct results_case *info);

/* CPU time in s of this process so far, that of its children that have ended, and the largest
 * memory of one of these in kB. */
struct results_cost {
    double own_s, children_s;
    long children_kb;
};
struct results_cost results_cost_now(void);

/* ---- The file ---- */

/* Opens PATH to append; IS_NEW: it is emptied. -1 with the reason in ERROR. */
int results_open(const char *path, bool is_new, struct error *error);

/* Writes a line whole. False, with the reason in ERROR. */
bool results_append(int file, const char *line, size_t size, struct error *error);
