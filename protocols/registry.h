/* The types of robot that there are. */
#ifndef PTYBOT_PROTOCOLS_REGISTRY_H
#define PTYBOT_PROTOCOLS_REGISTRY_H

#include <stddef.h>

#include "protocols/robot.h"

/* All types, COUNT of them, in the order in which they are listed to people. */
const struct robot_type *const *registry_types(size_t *count);

/* The type named NAME, or NULL. */
const struct robot_type *registry_find(const char *name);

#endif
