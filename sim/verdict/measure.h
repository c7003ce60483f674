/* What a scene measures: named numbers, taken from the values after each step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"

struct sim;

/* Reads values and conditions, once the signals are there. False, with file, line and reason. */
bool measure_create(struct sim *sim, const struct scene *scene, struct error *error);

/* Takes the values of all measures, ELAPSED_S after the last time: after each step, and at the end
 * of a run that had no step. */
void measure_note(struct sim *sim, double elapsed_s);

size_t sim_measure_count(const struct sim *sim);

/* Its name and, in VALUE, what it is so far; false: nothing, its condition never held. */
const char *sim_measure_name(const struct sim *sim, size_t measure);
bool sim_measure_value(const struct sim *sim, size_t measure, double *value);
