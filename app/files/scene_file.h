/* Finds scenes by name: converts a file, an installed scene or a robot type to a checked scene,
 * with its map and its floor picture. image.h decodes the pictures. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* WORD is the path of a file, the name of a scene in one of the program's folders (without .yaml),
 * or a robot type, searched in this order. A word with `/` or with the ending .yaml is always a
 * path. A body file counts as a scene with one such robot. A scene that names a shared object is
 * rejected unless ALLOWS_CODE: loading the object runs its code. The caller owns the scene. NULL,
 * with the reason in ERROR. */
struct scene *scene_file_find(const char *word, bool allows_code, struct error *error);

/* Creates a scene again from its sources, which it takes over. Reads no files except shared
 * objects, which must be unchanged. */
struct scene *scene_file_reopen(struct scene_source *sources, bool allows_code,
                                struct error *error);

/* Whether WORD is the name of an installed scene or robot type. */
bool scene_file_is_name(const char *word);

/* Whether the file is the body of a robot, not a scene. */
bool scene_file_is_body(const char *path);

/* Reads and checks one regular file of at most SCENE_BYTES_MAX bytes. Loads no code. */
struct scene *scene_file_read(const char *path, struct error *error);

/* Whether everything exists that the timeline and the expectations of a scene name: calls
 * sim_check_script with the rows of the program. */
bool scene_file_check_script(const struct scene *scene, struct error *error);

/* The robot type that WORD names, or that of a body file. Destroy the scene OWN after the last use
 * of the type. NULL: there is no such type. If WORD is another file, ERROR has the reason. */
const struct robot_type *scene_file_type(const char *word, struct scene **own, struct error *error);
