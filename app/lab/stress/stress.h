/* `ptybot stress`: which hardships a driver survives. A run without any is the baseline; then each
 * case of the catalogue runs as a test of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "app/cli/arguments.h"
#include "app/lab/batch/batch.h"

struct stress_options {
    struct batch_options batch; /* first, as session.h asks */
    struct argument_texts only, skip;
    int32_t policy; /* enum survival_policy */
    double recover_s;
    int64_t random;
    char limit_text[16]; /* "8h"; "": no limit */
    double limit_s;      /* of wall-clock time; 0: none */
    bool is_listener;    /* the driver may stop sending */
};

/* Runs all of it for the scene WORD and prints the report. Returns the exit code: 0 no new
 * finding, 1 there are some, 2 bad usage, 3 it could not be run. */
int stress(const char *word, const struct stress_options *options);
