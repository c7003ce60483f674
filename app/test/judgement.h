/* What a test has found: a case for each expectation, each refused command of the timeline, and the
 * host. Printed for people here, written for machines by junit. */
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
    JUDGEMENT_SKIPPED, /* was not judged, because another case failed */
};

struct judgement_case {
    enum judgement_verdict verdict;
    const char *name;   /* that the scene gives it; NULL: none */
    const char *what;   /* the condition, or the command */
    const char *when;   /* "within 60 s", "always"; "host" */
    const char *found;  /* what was found, or how the host ended */
    const char *kind;   /* of a failure, one word */
    const char *steady; /* of a host: FOUND without the wall time in it; else NULL */
    double at_s;        /* simulated time of the verdict; of the host: wall time that it took */
    unsigned line;      /* in the scene's file; 0: none */
    bool is_host;
    bool is_measured;               /* has MARGIN */
    struct condition_margin margin; /* of an expectation */
    const char *printed; /* of a host: the end of what it printed; NULL: nobody kept it */
};

/* A number that the scene measures. */
struct judgement_measure {
    char *name;
    double value;
    bool is_there; /* it has a value */
};

struct judgement {
    char name[SCENE_LABEL_MAX + 32]; /* of the scene; with the seed where there are several */
    char file[SCENE_ADDRESS_MAX * 2];
    uint64_t seed;
    struct judgement_case *cases;
    size_t count, failures, errors, skipped;
    struct judgement_measure *measures;
    size_t measure_count;
    bool is_short; /* memory was short, so that something is missing; see judgement_is_short */
    double simulated_s, wall_s;
    int64_t started_s; /* of the real-time clock */
    struct diagnoses diagnoses;
    struct wire_report wires;
    struct warp_outcome time; /* how it waited for the host */
    char *reason; /* what failed, in one line: the host, else the first case; NULL: nothing */
    bool is_reason_host;
};

/* The texts are copied, WHAT and FOUND may be NULL for "", PRINTED is NULL. If memory is short the
 * case is left out and IS_SHORT set. */
void judgement_add(struct judgement *judgement, const struct judgement_case *item);

/* The same for a case without an expectation, time and line. */
void judgement_add_other(struct judgement *judgement, enum judgement_verdict verdict,
                         const char *what, const char *when, const char *found, const char *kind);

/* Adds the verdicts of the simulation: after sim_end, or without it if the test was interrupted.
 */
void judgement_add_sim(struct judgement *judgement, const struct sim *sim);

/* Turns the failures so far into skipped cases, since other cases judge the same. */
void judgement_pardon(struct judgement *judgement);

/* Adds a measure; NAME is copied. VALUE NULL: it has none. */
void judgement_add_measure(struct judgement *judgement, const char *name, const double *value);

/* Reads the end of the log of host number INDEX. */
void judgement_read_log(struct judgement *judgement, size_t index, const char *path);

/* The cases as a table, then the end of the host's log if something failed. False: memory was short
 * and rows are missing. */
bool judgement_print(const struct judgement *judgement, FILE *out);

/* Only what became of the hosts, how time went, and warnings. False: as above. */
bool judgement_print_hosts(const struct judgement *judgement, FILE *out);

/* Memory was short for it or for its diagnoses: an error. */
bool judgement_is_short(const struct judgement *judgement);

/* 0 passed, 1 failed, 3 if something could not be judged or is missing. */
int judgement_code(const struct judgement *judgement);

void judgement_free(struct judgement *judgement);

/* Adds the case of a host that was started. WORDS are its command; IS_HELD: the world waited for
 * one. */
void judgement_add_host(struct judgement *judgement, const struct test_guide *guide,
                        const struct host *host, const char *const *words, bool is_held);

/* Adds the case of a host that could not be started, for a REASON. */
void judgement_add_not_started(struct judgement *judgement, const char *const *words,
                               const char *reason);

/* Adds the case of a host from outside that did not come. */
void judgement_add_not_come(struct judgement *judgement, double waited_s);
