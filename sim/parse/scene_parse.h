/* Scenes from the bytes of YAML files, scenes of one robot, and changes of a scene by the texts of
 * --set and --link. scene_set.c has the changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* Parses and checks a scene. NAME is the file name for messages. If SIZE exceeds SCENE_BYTES_MAX,
 * the bytes are not read. On an error returns NULL and sets ERROR to `name:line:column: key: the
 * value found; the allowed values`. A scene with a map is checked by scene_map_apply. */
struct scene *scene_parse(const char *bytes, size_t size, const char *name, struct error *error);

/* The same with robot types that were made from files. The scene takes their ownership, even if
 * parsing fails. */
struct scene *scene_parse_own(const char *bytes, size_t size, const char *name,
                              struct custom_robot *own, struct error *error);

/* The words after `type:` that are file names, COUNT of them, each once; the caller frees them.
 * NULL and 0 if there are none, or if the bytes are not a scene: scene_parse reports the reason. */
struct scene_type_word *scene_type_words(const char *bytes, size_t size, size_t *count);

/* Whether the bytes are a body file rather than a scene: they have the key `body`, and neither
 * `world` nor `robots`. */
bool scene_is_body(const char *bytes, size_t size);

/* A scene with one robot of a type in the middle of an empty walled room. Its path (or port) is
 * named like the type. NULL: there is no such type. */
struct scene *scene_of_type(const char *type_name, struct error *error);

/* The same for TYPE, which must outlive the scene. NULL: out of memory. */
struct scene *scene_of_robot(const struct robot_type *type);

/* The same for a type that was made from a file. The scene takes its ownership. */
struct scene *scene_of_custom(struct custom_robot *own, struct error *error);

/* Applies one change in the syntax of `--set`: ROBOT.OPTION=VALUE; ROBOT.pose=X,Y,HEADING (m,
 * degrees); do=COMMAND adds a command to the timeline at 0 s; at=S do=COMMAND and at=S
 * signal=SIGTERM add an entry at S seconds; skip=N disables entry number N of the timeline, counted
 * from 0. On failure nothing has changed. */
bool scene_set(struct scene *scene, const char *assignment, struct error *error);

/* Changes kind and address of a link, in the syntax of `--link
 * ROBOT[.CHANNEL]=[TRANSPORT:]ADDRESS`; link_kind_split derives the kind if none is given. Without
 * a channel the change applies to the robot's only link, or to its first channel. A channel without
 * a link gets one. On failure nothing has changed. */
bool scene_link_set(struct scene *scene, const char *assignment, struct error *error);
