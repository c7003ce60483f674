/* Help of a subcommand in 80 columns. */
#pragma once

#include <stdio.h>

#include "app/cli/arguments.h"

/* Writes summary, usage, description and flags of SUBCOMMAND; a group of shared flags has its title
 * as heading. Lines that start with a blank (examples) are not wrapped. */
void help_write(const struct subcommand *subcommand, FILE *out);

enum { HELP_NOTE_SIZE = 1024 };

/* The note of a flag, with allowed values and default. Returns TEXT. */
const char *help_note(const struct flag_row *row, char text[static HELP_NOTE_SIZE]);

/* Writes a heading after an empty line; bold on a terminal. */
void help_heading(const char *text, FILE *out);

/* Writes NAME and TEXT, which starts in column COLUMN and is wrapped there. */
void help_write_row(const char *name, const char *text, int column, FILE *out);
