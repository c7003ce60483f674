/* The machines and their appearance. */
#pragma once

#include "protocols/robot.h"

/* See robot_type.body. */
void turtlebot3_burger_body(const void *options, struct robot_body *body);
void turtlebot3_waffle_body(const void *options, struct robot_body *body);

extern const struct appearance_list turtlebot3_burger_appearance, turtlebot3_waffle_appearance;
