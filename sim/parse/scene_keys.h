/* The tables of the keys of a scene file, private to sim/parse: scene_world.c has the keys of the
 * world and its objects, scene_robot.c those of robots, links and mounts, scene_script.c those of
 * timeline and expectations. scene_parse.c combines them. */
#pragma once

#include "sim/yaml/scene_yaml.h"

/* The first one fills a struct scene, the others an item of its lists. */
extern const struct scene_spec scene_world_spec;
extern const struct scene_spec scene_robot_spec;
extern const struct scene_spec scene_action_spec;
extern const struct scene_spec scene_expectation_spec;
extern const struct scene_spec scene_measure_spec;

/* Keys that the world and robots share. */
extern const struct scene_spec scene_pose_spec;  /* fills a struct pose */
extern const struct scene_spec scene_mount_spec; /* fills a struct scene_mount */
/* Whether the key `name` of a mapping, read into NAME, is a letter followed by letters, digits and
 * _. WHOSE ("a robot") and HINT are used in the message. */
bool scene_name_check(struct scene_yaml *yaml, const struct scene_at *at, const char *name,
                      const char *whose, const char *hint);

/* Sets the link of a robot without a link in the scene: its first channel, on a path named like the
 * robot, or on the TCP port that drivers expect. The robot must have its name and type. */
void scene_robot_default_link(struct scene_robot *robot);
