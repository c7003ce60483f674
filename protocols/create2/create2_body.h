/* The machine, and what it looks like. */
#pragma once

#include "protocols/robot.h"

extern const struct robot_body create2_body;
extern const struct appearance_list create2_appearance;
