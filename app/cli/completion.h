/* Completion for shells, from the rows of the subcommands. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "app/cli/arguments.h"

enum { COMPLETION_NONE, COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };

/* Names of the shells, indexed by these numbers, NULL-terminated. */
extern const char *const completion_shells[];

/* Writes the completion script of SHELL for SUBCOMMANDS, a NULL-terminated list. The script
 * completes subcommands, flags and choices itself. For scenes, robots, and signals and commands of
 * a run it calls `ptybot list`. */
void completion_write(int32_t shell, const struct subcommand *const *subcommands, FILE *out);
