/* The expectations of a scene: conditions that must become true within a time, stay true, or be
 * true at the end. They are evaluated after each step with the values of that step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"
#include "sim/verdict/outcome.h"

/* Parses the conditions and links sequences; the signals must exist. On an error returns false with
 * file, line and reason. */
bool expect_create(struct sim *sim, const struct scene *scene, struct error *error);
void expect_destroy(struct sim *sim);

/* Evaluates the expectations after a step. */
void expect_judge(struct sim *sim);

size_t sim_expectation_count(const struct sim *sim);
struct sim_expectation sim_expectation(const struct sim *sim, size_t expectation);

/* Whether further time cannot decide anything: no `within` is pending, no action with a time
 * remains, and no `after` is in the future. `always` and `at_end` wait for sim_end. */
bool sim_is_decided(const struct sim *sim);

/* Whether an expectation has failed so far, or a command of the timeline was refused. */
bool sim_has_failed(const struct sim *sim);

/* Whether, in the last step, an expectation failed whose failure ends a test. */
bool sim_is_stopped(const struct sim *sim);

/* Ends the run and decides pending expectations. `within` fails, as well as every expectation with
 * an `after` later than now; `always` passes, `at_end` is evaluated. A second call changes nothing.
 * After it, nothing is evaluated and no command of the timeline is executed. */
void sim_end(struct sim *sim);

/* The same for a run that a failure has cut short: pending expectations other than `always` are not
 * evaluated. */
void sim_cut(struct sim *sim);
