/* The measures of a scene: named numbers, calculated from the values after each step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"

struct sim;

/* Parses values and conditions; the signals must exist. On an error returns false with file, line
 * and reason. */
bool measure_create(struct sim *sim, const struct scene *scene, struct error *error);

/* Updates all measures; ELAPSED_S is the time since the last update. Called after each step, and at
 * the end of a run without any step. */
void measure_note(struct sim *sim, double elapsed_s);

size_t sim_measure_count(const struct sim *sim);

/* The name of a measure and, in VALUE, its present value. False: no value, because its condition
 * was never true. */
const char *sim_measure_name(const struct sim *sim, size_t measure);
bool sim_measure_value(const struct sim *sim, size_t measure, double *value);
