/* Runs subcommands in fuzz programs: in this process, up to the exit code, without output. */
#pragma once

#include <stddef.h>

#include "app/cli/arguments.h"

enum { QUIET_PATH = 64 };

/* Runs `ptybot SUBCOMMAND WORDS`; WORDS ends with NULL. Returns its exit code, which is one of
 * ptybot's exit codes. */
int run_subcommand_silently(const struct subcommand *subcommand, const char *const words[]);

/* Writes bytes into an anonymous file, and its path into PATH. Returns its descriptor, which the
 * caller closes. */
int temporary_file(const void *bytes, size_t size, char path[QUIET_PATH]);
