/* The machine, and what it looks like. */
#pragma once

#include "protocols/robot.h"

/* OPTIONS is a struct create2_options. */
void create2_body(const void *options, struct robot_body *body);

extern const struct appearance_list create2_appearance;
