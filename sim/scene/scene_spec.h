/* The tables of a scene's keys, for scene_parse. */
#ifndef PTYBOT_SIM_SCENE_SCENE_SPEC_H
#define PTYBOT_SIM_SCENE_SCENE_SPEC_H

#include <stdbool.h>

#include "sim/scene/scene.h"
#include "sim/scene/scene_fill.h"

/* The key `world` fills a struct scene; each item of a list a struct of its own. */
extern const struct scene_spec scene_pose_spec;  /* fills a struct pose */
extern const struct scene_spec scene_point_spec; /* fills a struct vec2 */
extern const struct scene_spec scene_world_spec;
extern const struct scene_spec scene_dock_spec; /* fills a struct scene_dock */
extern const struct scene_spec scene_lamp_spec; /* fills a struct scene_lamp */
extern const struct scene_spec scene_robot_spec;
extern const struct scene_spec scene_action_spec;
extern const struct scene_spec scene_expectation_spec;

/* The rows of a struct scene_look that is the member AT of a struct OF, and what to do last. */
#define SCENE_LOOK_ROWS(of, at, height)                                                            \
    {.key = "color",                                                                               \
     .type = OPTION_TEXT,                                                                          \
     .offset = offsetof(of, at.color),                                                             \
     .size = SCENE_COLOR_MAX,                                                                      \
     .fallback = ""},                                                                              \
    {                                                                                              \
        .key = "height", .type = OPTION_NUMBER, .offset = offsetof(of, at.height_m), .unit = "m",  \
        .min = 0.001, .max = 100, .fallback = height                                               \
    }
bool scene_look_finish(struct scene_yaml *yaml, const struct scene_at *at, struct scene_look *look);

/* Chosen: a lit room without sun; 1 is a lamp close by. */
#define SCENE_LIGHT "0.1"

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
