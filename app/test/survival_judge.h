/* The verdicts on a driver under one hardship. They need no expectation of the scene: they
 * compare with runs of the same driver without the hardship. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/test/judgement.h"
#include "app/test/survival.h"

/* The most important ones first. */
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
/* Only the pose of a wrong estimate is off: speeds still count. */
#define SURVIVAL_POSE SURVIVAL_BIT(SURVIVAL_VERDICTS)

/* A verdict in words, and when it fires. */
struct survival_row {
    const char *word, *meaning;
};
extern const struct survival_row survival_rows[SURVIVAL_VERDICTS];

/* What the driver is meant to do when the link fails. */
enum survival_policy { SURVIVAL_RECOVER, SURVIVAL_EXIT, SURVIVAL_RESTART };

/* One run: what happens in it, and what it is compared with. */
struct survival {
    const char *what;       /* the hardship in words */
    double from_s, until_s; /* when it acts */
    double recover_s;       /* after it, the driver must work again */
    double latency_s;       /* that it adds to each answer of the robot */
    double for_s;           /* length of the run */
    unsigned off;           /* SURVIVAL_BIT: verdicts that would be unfair */
    bool fails_link;        /* the driver can notice that the link has failed */
    int signal;             /* to the driver; 0: none */
    enum survival_policy policy;
    struct scene_host_delay delay; /* a slow host */
    uint64_t wake_order;
    const char *script; /* of a shell that starts the driver, "$@", while time runs; NULL: none */
    bool must_command;  /* of a baseline: a driver that stops sending hangs */
    const struct survival_facts *baselines; /* the same driver without the hardship */
    size_t baseline_count;                  /* 0: this run is one of these */
    struct survival_facts *facts;           /* filled */
};

/* Adds a case for each verdict, and measures; the driver's own end does not count then. The logs of
 * the driver have been read. A baseline gets only verdicts that need none. */
void survival_judge(const struct survival *survival, struct judgement *judgement);
