/* Commands: the text `TARGET.COMMAND key=value ...`, where TARGET is a robot's name or `world`.
 * They are found in the tables of the world, of every robot and of the robot's type, with typed
 * arguments. Commands and bytes are the only inputs of the simulation. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct scene;
struct sim;
struct sim_robot;

enum { COMMAND_TEXT_MAX = 512 }; /* with NUL */

/* Source of a command. */
enum command_origin {
    COMMAND_OUTSIDE, /* a user or a test */
    COMMAND_SCENE,   /* the scene itself; it gives the command again when the run is repeated */
    COMMAND_INPUT,   /* a journal */
};

/* The state that is known before the start, for the check functions of commands. */
struct command_setup {
    const struct scene *scene;
    const struct sim_robot *robot; /* its name, type, options, body; NULL: the world */
};

/* Executes a command. Returns false with the reason if it is refused; then nothing has changed. */
bool command_do(struct sim *sim, const char *text, enum command_origin origin, struct error *error);

/* Executes a command from outside the simulation. */
bool sim_do(struct sim *sim, const char *text, struct error *error);

/* Whether a command could work at some time: its target, command and arguments exist, and some
 * state of this scene could allow them. It may still be refused when it is executed. */
bool sim_check_do(struct sim *sim, const char *text, struct error *error);
