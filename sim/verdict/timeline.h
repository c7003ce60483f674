/* The timeline of a scene: each command is run once, before the first step that begins at its time
 * or finds its condition true, in the order of the file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"
#include "sim/verdict/outcome.h"

/* Reads conditions and checks commands, once robots and signals are there. False, with file, line
 * and reason. */
bool timeline_create(struct sim *sim, const struct scene *scene, struct error *error);

/* Does what is due, before a step. */
void timeline_run(struct sim *sim);
/* The next UNIX signal that is due for the driver and was not taken yet; SCENE_INTERRUPT_NONE:
 * none is. */
enum scene_interrupt timeline_take_interrupt(struct sim *sim);
/* No command is run from now on. */
void timeline_end(struct sim *sim);

/* Whether a command at a time is still to come; those on a condition may never come. */
bool timeline_is_ahead(const struct sim *sim);
/* Whether a command was refused. */
bool timeline_has_failed(const struct sim *sim);

/* What the timeline did: passed is done, failed was refused, pending did not come (yet). */
size_t sim_action_count(const struct sim *sim);
void sim_action(const struct sim *sim, size_t action, struct sim_expectation *out);

/* When an action is due by the clock; ROBOT_NEVER: by its condition. */
int64_t timeline_due_us(const struct sim *sim, size_t action);
