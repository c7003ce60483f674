/* The types of robot that there are. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "protocols/robot.h"

/* All types, COUNT of them, in the order in which they are listed to people. */
const struct robot_type *const *registry_types(size_t *count);

/* The type named NAME, or NULL. */
const struct robot_type *registry_find(const char *name);

/* Fills NAMES with the names of all types, and a NULL after them. */
void registry_names(const char *names[static TEXT_WORDS_MAX]);

/* The type that passes on what a firmware in another process says, of which a body file makes its
 * own; NULL: this build has none. */
const struct robot_type *registry_process(void);
