/* The machine that the options describe, and what it looks like from above. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_BODY_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_BODY_H

#include "protocols/robot.h"

/* See robot_type.body. */
void cobot_body(const void *chosen, struct robot_body *body);

extern const struct appearance_list cobot_appearance;

#endif
