/* The robots' memories that survive, in the files that a scene names. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct storage;

/* Reads the files of a scene. A file that does not exist is a fresh memory; one that is spoiled
 * or another robot type's gives a warning and erased memory, all 0xFF. NULL with ERROR if a file
 * cannot be read or is no storage file (a pipe, a device, another program's), or memory is short.
 */
struct storage *storage_open(const struct scene *scene, struct error *error);

/* For sim_create: one a robot, in the order of the scene. Valid until storage_close. */
const struct robot_storage *storage_loaded(const struct storage *storage);

/* Writes what has changed, at most four times a second; call it often. Each file is replaced as a
 * whole, so that a reader, or a start after a crash, finds the old or the new one. What cannot be
 * written gives one warning and is tried again. */
void storage_visit(struct storage *storage, struct sim *sim, int64_t now_ns);

/* Writes what has changed (unless SIM is NULL) and frees. NULL is allowed. */
void storage_close(struct storage *storage, struct sim *sim);
