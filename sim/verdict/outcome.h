/* Outcome of an item of a scene's script: an expectation, or a command of the timeline. */
#pragma once

#include <stdint.h>

#include "sim/verdict/condition.h"

enum sim_verdict {
    SIM_PENDING,
    SIM_PASSED,
    SIM_FAILED,
    SIM_SKIPPED, /* not evaluated, because another one failed */
};

/* An item of `expect` or `timeline`. The texts are valid until the next step or sim_end. */
struct sim_expectation {
    const char *name; /* name of an expectation; "": no name */
    const char *that; /* the condition, or the command of the timeline, as in the scene */
    const char *when; /* "within 60 s", "always after 'parked'", "at the end"; "at 5 s", "when
                         kobuki.x_m > 4" */
    enum sim_verdict verdict;
    int64_t at_us;     /* simulated time of the result; the present time while pending */
    const char *found; /* the values at that time, or the reason why a command was refused */
    unsigned line;     /* in the scene's file */
    /* For an expectation: the margin at the decisive time, or at the time that was nearest to
     * another result: the largest of `within`, the smallest of `always`. Infinite: no margin. */
    struct condition_margin margin;
};

/* The stored outcome. */
struct outcome {
    enum sim_verdict verdict;
    int64_t at_us;
    char found[sizeof((struct error *)0)->text]; /* has room for the error of a refused command */
};
