/* The registry: every kind of robot, one line each. */
#ifndef PTYBOT_PROTOCOLS_REGISTRY_H
#define PTYBOT_PROTOCOLS_REGISTRY_H

#include <stddef.h>

#include "protocols/robot.h"

/* All types, in the order of the registry. */
const struct robot_type *const *robot_types(size_t *count);

/* The type with that name, or NULL. */
const struct robot_type *robot_type_find(const char *name);

/* Reads a signal row from a state, in the row's unit. */
double robot_signal(const struct signal_row *row, const void *state);

#endif
