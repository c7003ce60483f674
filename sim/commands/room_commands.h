/* Commands of the world: build walls and boxes, take them away, put all back. Those on time belong
 * to whoever runs the simulation (struct run_rows). */
#ifndef PTYBOT_SIM_COMMANDS_ROOM_COMMANDS_H
#define PTYBOT_SIM_COMMANDS_ROOM_COMMANDS_H

#include <stddef.h>

#include "protocols/robot.h"

/* The rows; each runs on a struct sim. */
const struct command_row *sim_world_commands(size_t *count);

#endif
