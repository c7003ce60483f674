/* How one item of a scene's script came out: an expectation, or a command of the timeline. */
#pragma once

#include <stdint.h>

#include "sim/verdict/condition.h"

enum sim_verdict {
    SIM_PENDING,
    SIM_PASSED,
    SIM_FAILED,
    SIM_SKIPPED, /* not judged, because another one failed */
};

/* One item of `expect` or `timeline`. The texts stay valid until the next step or sim_end. */
struct sim_expectation {
    const char *name; /* of an expectation; "": none */
    const char *that; /* the condition, or the command of a timeline, as the scene has it */
    const char *when; /* "within 60 s", "always after 'parked'", "at the end"; "at 5 s", "when
                         kobuki.x_m > 4" */
    enum sim_verdict verdict;
    int64_t at_us;     /* simulated time of the verdict; of now while pending */
    const char *found; /* the values then, or why a command was refused */
    unsigned line;     /* in the scene's file */
    /* Of an expectation: that of the moment which decided, or was nearest to deciding otherwise:
     * the largest of `within`, the smallest of `always`. Infinite: there is none. */
    struct condition_margin margin;
};

/* What is kept of it. */
struct outcome {
    enum sim_verdict verdict;
    int64_t at_us;
    char found[sizeof((struct error *)0)->text]; /* a refused command gives its error */
};
