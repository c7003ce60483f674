/* The verbs of the program, a file each: arduino.c check.c compare.c ctl.c decode.c describe.c
 * fit.c list.c merge.c new.c replay.c run.c shim.c shot.c stress.c
 * tap.c test.c view.c. A verb turns its
 * arguments into calls of the parts below and owns what it prints. The table of all, and `help`
 * that prints it, are in app/main.c. */
#ifndef PTYBOT_APP_SUBCOMMANDS_SUBCOMMANDS_H
#define PTYBOT_APP_SUBCOMMANDS_SUBCOMMANDS_H

#include "app/cli/arguments.h"

extern const struct verb run_verb, test_verb, replay_verb, decode_verb, ctl_verb, view_verb,
    shot_verb, check_verb, list_verb, describe_verb, shim_verb, tap_verb, compare_verb, fit_verb,
    merge_verb, new_verb, arduino_verb, stress_verb;

#endif
