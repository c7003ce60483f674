/* Manual pages, from the rows of the subcommands. */
#pragma once

#include <stdio.h>

#include "app/cli/arguments.h"

struct man_texts {
    const char *version;     /* of the program */
    const char *description; /* what the program is, in one line */
    const char *exit_codes;  /* a paragraph */
};

/* Writes ptybot(1), the overview, with the NULL-terminated list SUBCOMMANDS. */
void man_write_overview(const struct subcommand *const *subcommands, const struct man_texts *texts,
                        FILE *out);

/* Writes ptybot-SUBCOMMAND(1). */
void man_write_subcommand(const struct subcommand *subcommand, const struct man_texts *texts,
                          FILE *out);
