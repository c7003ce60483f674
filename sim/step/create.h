/* A simulation made from a scene: a world, the robots in it and their wires. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

struct sim;
struct run_rows; /* sim/state/robots.h */

/* Builds a simulation from a checked scene. SCENE stays the caller's and must outlive the
 * simulation, and what it says of the world must not change until then: the simulation copies
 * nothing of it. Several simulations may share one scene. STORAGE is the saved memory of the
 * robots, in the order of the scene (NULL: all fresh), and is not kept. ROWS are copied (NULL:
 * none); what they point to outlives the simulation. NULL and ERROR where memory is short. */
struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       const struct run_rows *rows, struct error *error);
void sim_destroy(struct sim *sim);

/* Whether the timeline and the expectations of a scene name signals and commands that its robots
 * and ROWS (NULL: none) have, and whether what a program of one's own shows and takes hides
 * nothing that every robot has; their state is not looked at. Cheap: builds no world. */
bool sim_check_script(const struct scene *scene, const struct run_rows *rows, struct error *error);
