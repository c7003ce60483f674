/* The subcommands of the program, one file each: arduino.c check.c compare.c ctl.c decode.c
 * describe.c fit.c list.c merge.c new.c replay.c run.c shim.c shot.c stress.c tap.c test.c view.c.
 * A subcommand converts its arguments to calls of other parts, and prints the output. The table of
 * all subcommands, and `help`, which prints it, are in app/main.c. */
#pragma once

#include "app/cli/arguments.h"

extern const struct subcommand run_subcommand, test_subcommand, replay_subcommand,
    decode_subcommand, ctl_subcommand, view_subcommand, shot_subcommand, check_subcommand,
    list_subcommand, describe_subcommand, shim_subcommand, tap_subcommand, compare_subcommand,
    fit_subcommand, merge_subcommand, new_subcommand, arduino_subcommand, stress_subcommand;
