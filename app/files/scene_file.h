/* Scenes by name: a file, an installed scene or a robot type becomes a checked scene, with the map
 * and the picture of the floor that it names. Pictures are decoded by image.h. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* WORD is the path of a file, the name of a scene in one of the program's folders (without .yaml),
 * or a robot type; the first that is there counts, and a word with `/` or an ending .yaml is always
 * a path. A body file is a scene of one such robot. A scene that names a shared object is refused
 * unless ALLOWS_CODE: loading it runs what its writer wrote. The caller owns the scene. NULL, with
 * the reason in ERROR. */
struct scene *scene_file_find(const char *word, bool allows_code, struct error *error);

/* Makes the scene again from its sources, which it takes over; reads no file but shared objects,
 * which must be the same still. */
struct scene *scene_file_reopen(struct scene_source *sources, bool allows_code,
                                struct error *error);

/* Reads and checks one file: a regular one of at most SCENE_BYTES_MAX bytes. Loads no code. */
struct scene *scene_file_read(const char *path, struct error *error);

/* Whether the timeline and the expectations of a scene name what there is: sim_check_script, with
 * the rows of the program. */
bool scene_file_check_script(const struct scene *scene, struct error *error);

/* The robot type that WORD names, or that of a body file. Destroy the scene OWN after the last use
 * of the type. NULL: there is no such type; if WORD is another file, with the reason in ERROR. */
const struct robot_type *scene_file_type(const char *word, struct scene **own, struct error *error);
