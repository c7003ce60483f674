/* Subcommands as fuzz programs run them: in this process, up to the exit code, without output. */
#pragma once

#include <stddef.h>

#include "app/cli/arguments.h"

enum { QUIET_PATH = 64 };

/* Runs `ptybot SUBCOMMAND WORDS`, which NULL ends. Returns the exit code, which is one of ptybot.
 */
int run_subcommand_silently(const struct subcommand *subcommand, const char *const words[]);

/* Writes bytes into a file without a name, and its path into PATH. Returns its descriptor, to be
 * closed. */
int temporary_file(const void *bytes, size_t size, char path[QUIET_PATH]);
