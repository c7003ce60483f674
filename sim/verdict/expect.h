/* What a scene expects: conditions that must come true within a time, hold always, or hold at the
 * end. Judged after each step on the values of that step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"
#include "sim/verdict/outcome.h"

/* Reads the conditions, once the signals are there, and joins sequences. False, with file, line and
 * reason. */
bool expect_create(struct sim *sim, const struct scene *scene, struct error *error);
void expect_destroy(struct sim *sim);

/* Judges, after a step. */
void expect_judge(struct sim *sim);

size_t sim_expectation_count(const struct sim *sim);
void sim_expectation(const struct sim *sim, size_t expectation, struct sim_expectation *out);

/* Whether time can decide nothing more: no `within` is pending, no action at a time is to come, and
 * no `after` is ahead. `always` and `at_end` wait for sim_end. */
bool sim_is_decided(const struct sim *sim);

/* Whether an expectation failed so far, or a command of the timeline was refused. */
bool sim_has_failed(const struct sim *sim);

/* Whether an expectation whose failure is to end a test failed in the last step. */
bool sim_is_stopped(const struct sim *sim);

/* The run is over: settles what is pending. `within` and what `after` put off past this moment
 * fail, `always` passes, `at_end` is judged. A second call changes nothing; after it nothing is
 * judged and no command of the timeline runs. */
void sim_end(struct sim *sim);

/* The same for a run that a failure has cut short: but for `always`, what is pending is not judged.
 */
void sim_cut(struct sim *sim);
