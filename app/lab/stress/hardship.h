/* The hardships of `ptybot stress`: one table, with the sizes of each, how long
 * it lasts, and what the driver could know of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "app/test/survival_judge.h"
#include "sim/commands/fault.h"

enum { HARDSHIP_SMALL, HARDSHIP_MEDIUM, HARDSHIP_LARGE, HARDSHIP_SIZES };
extern const char *const hardship_sizes[HARDSHIP_SIZES]; /* in words */

enum hardship_target {
    HARDSHIP_FAULT,   /* of the parts of a robot of its class */
    HARDSHIP_COMMAND, /* of a robot; %s is its first bumper */
    HARDSHIP_DRIVER,  /* a UNIX signal to the driver */
    HARDSHIP_SLOW,    /* a slow host, its delays as sizes; with a fault of each channel if TEXT */
    HARDSHIP_ORDER,   /* wake orders as sizes */
    HARDSHIP_LATE,    /* of each channel, from before the driver starts */
};

/* When it begins. */
enum { HARDSHIP_MOTION = 1, HARDSHIP_OPENING = 2 };

struct hardship {
    const char *name; /* with that of the part before it, the name of a case */
    enum hardship_target target;
    enum fault_class class;
    const char *text;   /* the command; %s is the part; or NULL */
    const char *script; /* of a shell that starts the driver, "$@"; or NULL. %1$s is the moment
                         * until which the hardship acts, %2$s is the part */
    const char *sizes[HARDSHIP_SIZES]; /* what follows TEXT; NULL: there is no such size */
    double lasts_s[HARDSHIP_SIZES];    /* 0: until the end of the run */
    unsigned moments;
    double recover_s;
    unsigned repeats; /* more than 0: it comes as often, twice a second */
    unsigned off;     /* verdicts that would be unfair */
    bool fails_link;
    const char *notices; /* what the driver can notice, for people */
};

extern const struct hardship hardships[];
extern const size_t hardship_count;

/* The row of a case with several hardships. */
extern const struct hardship hardship_random;
