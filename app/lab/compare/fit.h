/* Finds the options of the virtual robot with the smallest difference from a recording, by
 * searching one option after the other. */
#pragma once

#include "app/lab/compare/compare.h"

enum { FIT_OPTIONS_MAX = 64 };

struct fit_option {
    const struct option_row *row;
    double before, found; /* in the unit that users write */
    double sigma;         /* standard error of FOUND; INFINITY: unknown */
    bool is_known;        /* the recording depends on the option */
};

struct fit {
    struct fit_option options[FIT_OPTIONS_MAX];
    size_t count;
    double square_before, square_after; /* as in struct comparison */
};

/* Searches the options NAMES (COUNT of them; 0: all numbers that may have an effect in a recording)
 * of the first robot of SCENE, and stores the found values in the scene. False with ERROR. */
bool fit_recording(struct fit *fit, struct scene *scene, const struct recording *recording,
                   const char *const names[], size_t count, struct error *error);
