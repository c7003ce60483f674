/* Commands: `TARGET.COMMAND key=value ...` in words, where TARGET is a robot's name or `world`.
 * They are found in the tables of the world, of every robot and of the robot's type, with typed
 * arguments. There is no other way in, besides bytes. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct scene;
struct sim;
struct sim_robot;

enum { COMMAND_TEXT_MAX = 512 }; /* with NUL */

/* Who gives a command. */
enum command_origin {
    COMMAND_OUTSIDE, /* a person or a test */
    COMMAND_SCENE,   /* the scene itself: it gives it again when the run is repeated */
    COMMAND_INPUT,   /* a journal */
};

/* What is known before the start: what the checks of the rows in this folder may look at. */
struct command_setup {
    const struct scene *scene;
    const struct sim_robot *robot; /* its name, type, options, body; NULL: the world's command */
};

/* Runs one command. False, with the reason, where it is refused; then nothing has changed. */
bool command_do(struct sim *sim, const char *text, enum command_origin origin, struct error *error);

/* Runs one command that comes from outside. */
bool sim_do(struct sim *sim, const char *text, struct error *error);

/* Whether a command could work at some time: it names a target, a command and arguments that exist
 * and that some state of this scene could allow. When it is run it may still be refused. */
bool sim_check_do(struct sim *sim, const char *text, struct error *error);
