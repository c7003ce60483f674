/* The persistent memories of robots, in the files that a scene names. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct storage;

/* Reads the storage files of a scene. A missing file means a fresh memory. A file that is damaged
 * or belongs to another robot type causes a warning and erased memory, all 0xFF. NULL with ERROR if
 * a file cannot be read or is not a storage file (but a pipe, a device, another program's file), or
 * if memory is short. */
struct storage *storage_open(const struct scene *scene, struct error *error);

/* For sim_create: one per robot, in the order of the scene. Valid until storage_close. */
const struct robot_storage *storage_loaded(const struct storage *storage);

/* Writes changed memories, at most four times per second; call it often. Replaces each file as a
 * whole, so that a reader, or a start after a crash, finds either the old or the new file. A failed
 * write causes one warning, and is tried again. */
void storage_visit(struct storage *storage, struct sim *sim, int64_t now_ns);

/* Writes changed memories (unless SIM is NULL) and frees. STORAGE may be NULL. */
void storage_close(struct storage *storage, struct sim *sim);
