/* Commands of the world: build walls and boxes, take them away, put all back. Those on time belong
 * to whoever runs the simulation (struct run_rows). */
#pragma once

#include <stddef.h>

#include "protocols/robot.h"

/* The rows; each runs on a struct sim. */
const struct command_row *sim_world_commands(size_t *count);
