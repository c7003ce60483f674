/* A simulation made from a scene: a world, the robots in it and their wires. */
#ifndef PTYBOT_SIM_STEP_CREATE_H
#define PTYBOT_SIM_STEP_CREATE_H

#include <stdbool.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

struct sim;

/* Builds a simulation from a checked scene. SCENE stays the caller's and must outlive the
 * simulation, and what it says of the world must not change until then: the simulation copies
 * nothing of it. Several simulations may share one scene. STORAGE is the saved memory of the
 * robots, in the order of the scene (NULL: all fresh), and is not kept. NULL and ERROR where memory
 * is short. */
struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       struct error *error);
void sim_destroy(struct sim *sim);

/* Whether the timeline and the expectations of a scene name signals and commands that its robots
 * have. Cheap: builds no world. */
bool sim_check_script(const struct scene *scene, struct error *error);

#endif
