/* `--log`: all signals of a run as CSV. */
#pragma once

#include "app/cli/arguments.h"
#include "base/error.h"
#include "sim/sim.h"

#define SIGNAL_LOG_PERIOD_US 20000 /* chosen: the period of the robots' own reports, 50 Hz */

/* --log, for a subcommand whose options, a struct TAG, have a path, char[PATH_MAX], as MEMBER. */
#define LOG_FLAG_ROW(tag, member)                                                                  \
    FLAG_TEXT("log", "F.csv", tag, member, "",                                                     \
              "Write all signals, one row per 20 ms of simulated time")

struct signal_log;

/* Creates the file, and writes a header line of names and a first row. NULL with ERROR. SIM
 * outlives it. If the file is a pipe, waits until it has a reader, and later until it accepts data,
 * but not after the end of the run was requested. */
struct signal_log *signal_log_open(const char *path, struct sim *sim, struct error *error);

/* Writes a row if one is due; call it after each step. */
void signal_log_step(struct signal_log *log);

/* Ends the file. False, with the reason in ERROR, if a part could not be written. NULL is
 * allowed. */
bool signal_log_close(struct signal_log *log, struct error *error);
