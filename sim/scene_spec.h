/* The tables of a scene's keys, for scene_parse. */
#ifndef PTYBOT_SIM_SCENE_SPEC_H
#define PTYBOT_SIM_SCENE_SPEC_H

#include <stdbool.h>

#include "sim/scene.h"
#include "sim/scene_fill.h"

/* The key `world` fills a struct scene; each item of a list a struct of its own. */
extern const struct scene_spec scene_pose_spec; /* fills a struct pose */
extern const struct scene_spec scene_world_spec;
extern const struct scene_spec scene_dock_spec; /* fills a struct scene_dock */
extern const struct scene_spec scene_robot_spec;
extern const struct scene_spec scene_action_spec;
extern const struct scene_spec scene_expectation_spec;

/* Whether the key `name` of a mapping, read into NAME, is a letter and then letters, digits and _.
 * WHOSE ("a robot") and HINT stand in the message. */
bool scene_name_check(struct scene_yaml *yaml, const struct scene_at *at, const char *name,
                      const char *whose, const char *hint);

/* The type of that name; else NULL, and ADVICE in words. */
const struct robot_type *scene_robot_type(const char *name, char *advice, size_t size);

/* The link of a robot that the scene gives none: its first channel, on a path named like the robot
 * or on the TCP port that drivers expect. The robot has its name and type. */
void scene_robot_default_link(struct scene_robot *robot);

#endif
