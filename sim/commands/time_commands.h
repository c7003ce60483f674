/* Commands on time: pause, step, speed; the owner of the clock obeys what they leave in the pace.
 * And the table of all commands of the world. */
#ifndef PTYBOT_SIM_COMMANDS_TIME_COMMANDS_H
#define PTYBOT_SIM_COMMANDS_TIME_COMMANDS_H

#include <stddef.h>

#include "protocols/robot.h"

/* The rows; each runs on a struct sim. */
const struct command_row *sim_world_commands(size_t *count);

#endif
