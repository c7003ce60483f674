/* The pins of a body file: what each is wired to must be there, and every part that needs a partner
 * has it. */
#pragma once

#include "sim/scene/custom_robot.h"
#include "sim/yaml/scene_yaml.h"

/* Finds what the pins of OWN, whose other tables are as the file has them, belong to, and gives
 * them to its program. False, with place, what was found and what is allowed in the error of YAML.
 */
bool body_take_pins(struct scene_yaml *yaml, const struct scene_at *at, struct custom_robot *own);
