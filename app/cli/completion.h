/* Completion for shells, from the rows of the subcommands. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "app/cli/arguments.h"

enum { COMPLETION_NONE, COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };

/* Their words by these numbers, NULL-terminated. */
extern const char *const completion_shells[];

/* Writes the script of SHELL for VERBS, a list that NULL ends. What it offers beyond subcommands,
 * flags and choices (scenes, robots, and signals and commands of what runs) it asks `ptybot list`
 * for. */
void completion_write(int32_t shell, const struct subcommand *const *subcommands, FILE *out);
