/* The timeline of a scene: each command is executed once, in the order of the file, before the
 * first step that begins at its time or with its condition true. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/scene/scene.h"
#include "sim/verdict/outcome.h"

/* Parses conditions and checks commands; robots and signals must exist. On an error returns false
 * with file, line and reason. */
bool timeline_create(struct sim *sim, const struct scene *scene, struct error *error);

/* Executes due items, before a step. */
void timeline_run(struct sim *sim);
/* The next due UNIX signal for the driver that was not taken yet; SCENE_INTERRUPT_NONE: none. */
enum scene_interrupt timeline_take_interrupt(struct sim *sim);
/* From now on no command is executed. */
void timeline_end(struct sim *sim);

/* Whether a command with a time remains; commands with a condition may never be executed. */
bool timeline_is_ahead(const struct sim *sim);
/* Whether a command was refused. */
bool timeline_has_failed(const struct sim *sim);

/* Results of the timeline's items: passed means executed, failed means refused, pending means not
 * executed (yet). */
size_t sim_action_count(const struct sim *sim);
struct sim_expectation sim_action(const struct sim *sim, size_t action);

/* Due time of an action; ROBOT_NEVER: it has a condition. */
int64_t timeline_due_us(const struct sim *sim, size_t action);
