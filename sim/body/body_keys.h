/* The table of a body file's keys, private to sim/scene: reading fills a struct custom_robot by it,
 * printing writes one. */
#pragma once

#include "sim/scene/custom_robot.h"
#include "sim/yaml/scene_yaml.h"

/* Without a finish function: what must hold between keys is checked by custom_robot.c. */
extern const struct scene_part body_parts[];
extern const size_t body_part_count;

extern const struct scene_spec body_program_spec; /* fills a struct robot_program */

/* Says what is wrong with KEY of item number ITEM of a list of the file. Returns false. */
bool body_fail_item(struct scene_yaml *yaml, const struct scene_at *at, const char *list,
                    size_t item, const char *key, const char *sentence);

/* Finds what the pins of OWN, whose other tables are as the file has them, belong to, and gives
 * them to its program. False, with place, what was found and what is allowed in the error of YAML.
 */
bool body_take_pins(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own);
