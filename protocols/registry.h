/* The built-in robot types. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "protocols/robot.h"

/* All types in the order of `ptybot list robots`. Sets COUNT to their number. */
const struct robot_type *const *registry_types(size_t *count);

/* The type named NAME, or NULL. */
const struct robot_type *registry_find(const char *name);

/* Fills NAMES with the names of all types, followed by NULL. */
void registry_names(const char *names[static TEXT_WORDS_MAX]);

/* The type whose firmware is a separate process. Each body file makes its own type from it. NULL:
 * this build does not have it. */
const struct robot_type *registry_process(void);
