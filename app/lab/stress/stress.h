/* `ptybot stress` tests which hardships a driver survives. A run without hardships is the baseline.
 * Then each case of the catalogue runs as a separate test. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/lab/batch/batch.h"

struct stress_options {
    struct batch_options batch; /* first member, as session.h requires */
    struct argument_texts only, skip;
    int32_t policy; /* enum survival_policy */
    double recover_s;
    int64_t random;
    char limit_text[16]; /* "8h"; "": no limit */
    double limit_s;      /* in wall-clock time; 0: no limit */
    bool is_listener;    /* the driver may stop sending */
};

/* Runs the whole campaign for the scene WORD and prints the report. Returns the exit code: 0 no new
 * findings, 1 new findings, 2 invalid arguments, 3 it could not be run. */
int stress(const char *word, const struct stress_options *options);
