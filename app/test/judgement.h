/* The results of a test: a case for each expectation, each refused command of the timeline, and
 * each host. Printed here for people, and written by junit for machines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/drivers/diagnoses.h"
#include "app/test/test_guide.h"
#include "app/test/wire_report.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

enum judgement_verdict {
    JUDGEMENT_PASSED,
    JUDGEMENT_FAILED,
    JUDGEMENT_ERROR,   /* could not be judged */
    JUDGEMENT_SKIPPED, /* not judged, because another case failed */
};

struct judgement_case {
    enum judgement_verdict verdict;
    const char *name;   /* its name in the scene; NULL: it has no name */
    const char *what;   /* the condition, or the command */
    const char *when;   /* "within 60 s", "always"; for a host: "host" */
    const char *found;  /* the observation, or how the host ended */
    const char *kind;   /* kind of a failure, one word */
    const char *steady; /* for a host: FOUND without the wall-clock duration; otherwise NULL */
    double at_s;        /* simulated time of the verdict; for a host: its wall-clock duration */
    unsigned line;      /* line in the scene's file; 0: unknown */
    bool is_host;
    bool is_measured;               /* MARGIN is set */
    struct condition_margin margin; /* margin of an expectation */
    const char *printed;            /* for a host: the end of its output; NULL: not recorded */
};

/* A measure of the scene. */
struct judgement_measure {
    char *name;
    double value;
    bool is_there; /* false: no value */
};

struct judgement {
    char name[SCENE_LABEL_MAX + 32]; /* name of the scene; with the seed if there are several */
    char file[SCENE_ADDRESS_MAX * 2];
    uint64_t seed;
    struct judgement_case *cases;
    size_t count, failures, errors, skipped;
    struct judgement_measure *measures;
    size_t measure_count;
    bool is_short; /* out of memory: results are missing; see judgement_is_short */
    double simulated_s, wall_s;
    int64_t started_s; /* wall-clock time since 1970 */
    struct diagnoses diagnoses;
    struct wire_report wires;
    struct warp_outcome time; /* how simulated time waited for the host */
    char *reason; /* the failure in one line: that of the host, else that of the first case; NULL:
                     no failure */
    bool is_reason_host;
};

/* Copies the texts. WHAT and FOUND may be NULL for "". PRINTED must be NULL. If memory is short,
 * omits the case and sets IS_SHORT. */
void judgement_add(struct judgement *judgement, const struct judgement_case *item);

/* The same for a case that is not an expectation and has no time and line. */
void judgement_add_other(struct judgement *judgement, enum judgement_verdict verdict,
                         const char *what, const char *when, const char *found, const char *kind);

/* Adds the verdicts of the simulation. Call it after sim_end, or without sim_end if the test was
 * interrupted. */
void judgement_add_sim(struct judgement *judgement, const struct sim *sim);

/* Changes the failures so far to skipped cases, because other cases judge the same. */
void judgement_pardon(struct judgement *judgement);

/* Adds a measure. NAME is copied. VALUE NULL: the measure has no value. */
void judgement_add_measure(struct judgement *judgement, const char *name, const double *value);

/* Reads the end of the log of host INDEX. */
void judgement_read_log(struct judgement *judgement, size_t index, const char *path);

/* Prints the cases as a table, then the end of the hosts' logs if something failed. False: out of
 * memory, rows are missing. */
bool judgement_print(const struct judgement *judgement, FILE *out);

/* Prints only the results of the hosts, the use of virtual time, and warnings. False: out of
 * memory, results are missing. */
bool judgement_print_hosts(const struct judgement *judgement, FILE *out);

/* Whether memory was short for the judgement or its diagnoses, which counts as an error. */
bool judgement_is_short(const struct judgement *judgement);

/* The exit code: 0 passed, 1 failed, 3 if something could not be judged or is missing. */
int judgement_code(const struct judgement *judgement);

void judgement_free(struct judgement *judgement);

/* Adds the case of a host that was started. WORDS are its command. IS_HELD: the simulation waited
 * for a host. */
void judgement_add_host(struct judgement *judgement, const struct test_guide *guide,
                        const struct host *host, const char *const *words, bool is_held);

/* Adds the case of a host that could not be started, with the REASON. */
void judgement_add_not_started(struct judgement *judgement, const char *const *words,
                               const char *reason);

/* Adds the case of an external host that did not connect. */
void judgement_add_not_come(struct judgement *judgement, double waited_s);
