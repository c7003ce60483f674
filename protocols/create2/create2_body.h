/* The machine, and what it looks like. */
#ifndef PTYBOT_PROTOCOLS_CREATE2_CREATE2_BODY_H
#define PTYBOT_PROTOCOLS_CREATE2_CREATE2_BODY_H

#include "protocols/robot.h"

/* OPTIONS is a struct create2_options. */
void create2_body(const void *options, struct robot_body *body);

extern const struct appearance_list create2_appearance;

#endif
