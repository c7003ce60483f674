/* Scenes from the bytes of YAML files, scenes of one robot, and changes of a scene by the texts of
 * --set and --link. scene_set.c has the changes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/scene/scene.h"

/* Parses and checks. NAME names the file in messages. Where SIZE exceeds SCENE_BYTES_MAX the bytes
 * are not read. NULL, with `name:line:column: key: what was found; what is allowed` in
 * ERROR, for anything that is not a scene. A scene with a map is checked by scene_map_apply. */
struct scene *scene_parse(const char *bytes, size_t size, const char *name, struct error *error);

/* The same with types that files have made, which the scene takes over, also where it fails. */
struct scene *scene_parse_own(const char *bytes, size_t size, const char *name,
                              struct custom_robot *own, struct error *error);

/* The words after `type:` that mean files, COUNT of them, each once; the caller frees them. NULL
 * and 0 where there are none, or where the bytes are no scene: scene_parse reports why. */
struct scene_type_word *scene_type_words(const char *bytes, size_t size, size_t *count);

/* Whether bytes are a body file rather than a scene: they have the key `body`, and neither `world`
 * nor `robots`. */
bool scene_is_body(const char *bytes, size_t size);

/* A scene of one robot of a type in the middle of an empty walled room, reached at a path (or port)
 * named like the type. NULL: there is no such type. */
struct scene *scene_of_type(const char *type_name, struct error *error);

/* The same of TYPE, which outlives the scene. NULL: memory is short. */
struct scene *scene_of_robot(const struct robot_type *type);

/* The same of a type that a file has made, which the scene takes over. */
struct scene *scene_of_custom(struct custom_robot *own, struct error *error);

/* Changes one thing, as `--set` writes it: ROBOT.OPTION=VALUE; ROBOT.pose=X,Y,HEADING (m, degrees);
 * do=COMMAND adds one to the timeline, at 0 s; at=S do=COMMAND and at=S signal=SIGTERM add one at S
 * seconds; skip=N leaves out what stands there as number N,
 * from 0 on. On failure nothing has changed. */
bool scene_set(struct scene *scene, const char *assignment, struct error *error);

/* Gives one link another kind and address, as `--link ROBOT[.CHANNEL]=[CARRIER:]ADDRESS` writes
 * it; link_kind_split finds the kind where none is written. Without a channel it is that of the
 * robot's only link, else its first. A channel without a link gets one. On failure nothing has
 * changed. */
bool scene_link_set(struct scene *scene, const char *assignment, struct error *error);
