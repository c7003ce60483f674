/* Options of the virtual robot by which it differs least from a recording: a plain search, one
 * option after the other. */
#pragma once

#include "app/lab/compare/compare.h"

enum { FIT_OPTIONS_MAX = 64 };

struct fit_option {
    const struct option_row *row;
    double before, found; /* as a user writes them */
    double sigma;         /* standard error of what was found; INFINITY: it cannot be told */
    bool is_known;        /* the recording shows it */
};

struct fit {
    struct fit_option options[FIT_OPTIONS_MAX];
    size_t count;
    double square_before, square_after; /* as in struct comparison */
};

/* Searches the options called NAMES (COUNT of them; 0: all numbers that may show in a recording) of
 * the first robot of SCENE, and leaves what was found in the scene. False with ERROR. */
bool fit_recording(struct fit *fit, struct scene *scene, const struct recording *recording,
                   const char *const names[], size_t count, struct error *error);
