/* The machine that the options describe, and what it looks like from above. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_BODY_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_BODY_H

#include "protocols/robot.h"

/* See robot_type.body. */
void kobuki_body(const void *options, struct robot_body *body);

extern const struct appearance_list kobuki_appearance;

#endif
