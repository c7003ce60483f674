/* The machine that the options describe, and what it looks like from above. */
#pragma once

#include "protocols/robot.h"

/* See robot_type.body. */
void kobuki_body(const void *options, struct robot_body *body);

extern const struct appearance_list kobuki_appearance;
