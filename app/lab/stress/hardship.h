/* The hardships of `ptybot stress` as one table: the sizes of each, its duration, and the signs
 * that a driver could notice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/test/survival_judge.h"
#include "sim/commands/fault.h"

enum { HARDSHIP_SMALL, HARDSHIP_MEDIUM, HARDSHIP_LARGE, HARDSHIP_SIZES };
extern const char *const hardship_sizes[HARDSHIP_SIZES]; /* in words */

enum hardship_target {
    HARDSHIP_FAULT,   /* of the robot's parts of a class */
    HARDSHIP_COMMAND, /* of a robot; %s is the first bumper of the robot */
    HARDSHIP_DRIVER,  /* a UNIX signal to the driver */
    HARDSHIP_SLOW,    /* a slow host with its delays as sizes; with a fault of each channel if
                         TEXT */
    HARDSHIP_ORDER,   /* wake orders as sizes */
    HARDSHIP_LATE,    /* of each channel; begins before the driver starts */
};

/* When it begins. */
enum { HARDSHIP_MOTION = 1, HARDSHIP_OPENING = 2 };

struct hardship {
    const char *name; /* the name of a case is the name of the part and this */
    enum hardship_target target;
    enum fault_class class;
    const char *text;   /* the command; %s is the part; or NULL */
    const char *script; /* shell script that starts the driver, "$@"; or NULL. %1$s is the end of
                           the hardship, %2$s is the part */
    const char *sizes[HARDSHIP_SIZES]; /* appended to TEXT; NULL: there is no such size */
    double lasts_s[HARDSHIP_SIZES];    /* 0: until the end of the run */
    unsigned moments;
    double recover_s;
    unsigned repeats; /* if more than 0: number of repetitions, two per second */
    unsigned off;     /* verdicts that would be unfair here */
    bool fails_link;
    const char *notices; /* what the driver can notice, for the report */
};

extern const struct hardship hardships[];
extern const size_t hardship_count;

/* The row of a case with several hardships. */
extern const struct hardship hardship_random;
