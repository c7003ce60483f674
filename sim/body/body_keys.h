/* The table of a body file's keys, private to sim/body. It is used to fill a struct custom_robot
 * from a file, and to write a file from one. */
#pragma once

#include "sim/scene/custom_robot.h"
#include "sim/yaml/scene_yaml.h"

/* Without a finish function: custom_robot_parse checks conditions that involve several keys. */
extern const struct scene_part body_parts[];
extern const size_t body_part_count;

extern const struct scene_spec body_program_spec; /* fills a struct robot_program */

/* Reports an error in KEY of item number ITEM of a list of the file. Returns false. */
bool body_fail_item(struct scene_yaml *yaml, const struct scene_at *at, const char *list,
                    size_t item, const char *key, const char *sentence);

/* Finds the owners of the pins of OWN and stores the pins in its program. The other tables of OWN
 * must have been read. On an error returns false; the error of YAML has the place, the value found
 * and the allowed values. */
bool body_take_pins(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own);
