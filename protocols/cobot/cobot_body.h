/* The machine that the options describe, and what it looks like from above. */
#pragma once

#include "protocols/robot.h"

/* See robot_type.body. */
void cobot_body(const void *chosen, struct robot_body *body);

extern const struct appearance_list cobot_appearance;
