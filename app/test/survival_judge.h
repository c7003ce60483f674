/* The verdicts on a driver under one hardship. They need no expectations in the scene, because they
 * compare with runs of the same driver without the hardship. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/test/judgement.h"
#include "app/test/survival.h"

/* The most important verdicts come first. */
enum survival_verdict {
    SURVIVAL_CRASHED,
    SURVIVAL_SPINS,
    SURVIVAL_HUNG,
    SURVIVAL_LOST,
    SURVIVAL_MOVING,
    SURVIVAL_UNEXPECTED,
    SURVIVAL_ESTIMATE,
    SURVIVAL_UNAWARE,
    SURVIVAL_LEAKS,
    SURVIVAL_STARVED,
    SURVIVAL_GAVE_UP,
    SURVIVAL_VERDICTS,
};
#define SURVIVAL_BIT(verdict) (1u << (verdict))
/* Turns off only the pose in SURVIVAL_ESTIMATE: errors of speeds still count. */
#define SURVIVAL_POSE SURVIVAL_BIT(SURVIVAL_VERDICTS)

/* A verdict in words, and its condition. */
struct survival_row {
    const char *word, *meaning;
};
extern const struct survival_row survival_rows[SURVIVAL_VERDICTS];

/* What the driver should do when the link fails. */
enum survival_policy { SURVIVAL_RECOVER, SURVIVAL_EXIT, SURVIVAL_RESTART };

/* One run: its hardship and its baselines. */
struct survival {
    const char *what;       /* description of the hardship */
    double from_s, until_s; /* start and end of the hardship */
    double recover_s;       /* time after it until the driver must work again */
    double latency_s;       /* added to each reply of the robot */
    double for_s;           /* length of the run */
    unsigned off;           /* SURVIVAL_BIT: verdicts that would be unfair here */
    bool fails_link;        /* the driver can notice that the link has failed */
    bool ends_link;         /* and for so long that --policy exit expects an exit */
    int signal;             /* sent to the driver; 0: none */
    enum survival_policy policy;
    struct scene_host_delay delay; /* of a slow host */
    uint64_t wake_order;
    const char *script; /* shell script that starts the driver, "$@", while time runs; or NULL */
    bool must_command;  /* for a baseline: a driver that stops sending counts as hung */
    const struct survival_facts *baselines; /* runs of the same driver without the hardship */
    size_t baseline_count;                  /* 0: this run is a baseline */
    struct survival_facts *facts;           /* observations of this run */
};

/* The simulated time until which a driver must run so that its recovery can be judged. */
double survival_judged_s(const struct survival *survival);

/* Whether a driver that ends at END_S (NAN: it does not) ends before that time. False if nothing
 * has to recover, or a supervisor waits for its success. */
bool survival_is_early(const struct survival *survival, double end_s);

/* Adds a case for each verdict, and measures. The result of the driver process itself no longer
 * counts then, except in a baseline. The logs of the driver must have been read. A baseline gets
 * only verdicts that need no baseline. */
void survival_judge(const struct survival *survival, struct judgement *judgement);
