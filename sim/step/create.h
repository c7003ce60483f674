/* A simulation made from a scene: a world, the robots in it and their wires. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "protocols/robot.h"
#include "sim/scene/scene.h"

struct sim;
struct run_rows; /* sim/state/robots.h */

/* Creates a simulation from a checked scene. The caller keeps the ownership of SCENE, which must
 * outlive the simulation. The simulation copies nothing of its world, so that must not change
 * meanwhile. Several simulations may share one scene. STORAGE is the saved memory of the robots, in
 * the order of the scene (NULL: all empty), and is not needed afterwards. ROWS are copied (NULL:
 * none); the objects that they point to must outlive the simulation. Returns NULL and sets ERROR if
 * memory is short. */
struct sim *sim_create(const struct scene *scene, const struct robot_storage *storage,
                       const struct run_rows *rows, struct error *error);
void sim_destroy(struct sim *sim);

/* Checks that the timeline and the expectations of a scene name existing signals and commands of
 * its robots and ROWS (NULL: none). Also checks that signals and commands of a firmware program do
 * not hide those of every robot. Does not check states. Cheap: creates no world. */
bool sim_check_script(const struct scene *scene, const struct run_rows *rows, struct error *error);
