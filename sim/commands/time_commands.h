/* Commands on time: pause, step, speed; the owner of the clock obeys what they leave in the pace.
 * And the table of all commands of the world. */
#ifndef PTYBOT_SIM_COMMANDS_TIME_COMMANDS_H
#define PTYBOT_SIM_COMMANDS_TIME_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "protocols/robot.h"

/* The rows; each runs on a struct sim. */
const struct command_row *sim_world_commands(size_t *count);

/* Whether a row of the world's commands acts on time only, which is no matter of the simulation's.
 */
bool time_commands_has(const struct command_row *row);

#endif
