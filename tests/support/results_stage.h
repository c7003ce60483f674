/* Files of results in a stage, read by tests/support/results_say.py. Failures end the test. */
#pragma once

#include <stdlib.h>

#include "tests/places.h"
#include "tests/support/check.h"
#include "tests/support/stage.h"

/* What tests/support/results_say.py prints. */
static inline char *results_say(const struct stage *stage, const char *const words[])
{
    static const char script[] = PTYBOT_SOURCE_DIR "/tests/support/results_say.py";
    const char *all[16] = {"/usr/bin/python3", script};
    struct program python;
    for (size_t i = 0; words[i]; i++)
        all[2 + i] = words[i];
    if (program_run(&python, &stage->folder, "python", all) != 0) {
        char *err = program_err(&python);
        fail_msg("%s", err);
    }
    return program_out(&python);
}

/* WORDS... make it print TEXT. */
#define SAYS(stage, text, ...) says(stage, text, (const char *const[]){__VA_ARGS__, NULL})
static inline void says(const struct stage *stage, const char *text, const char *const words[])
{
    char *out = results_say(stage, words);
    assert_string_equal(out, text);
    free(out);
}
