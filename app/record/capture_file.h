/* `--capture`: all that the wires of a run carry, as a pcapng file (app/capture). An interface a
 * channel; what robots and hosts received, after faults, at the simulated time of its last byte;
 * modem lines, bauds and faults as events. */
#pragma once

#include "app/cli/arguments.h"
#include "base/error.h"
#include "sim/sim.h"

/* --capture, for a subcommand whose options, a struct TAG, have a path, char[PATH_MAX], as MEMBER.
 */
#define CAPTURE_FLAG_ROW(tag, member)                                                              \
    FLAG_TEXT("capture", "F.pcapng", tag, member, "",                                              \
              "Record all bytes, for Wireshark and `ptybot decode`")

struct capture_file;

/* Creates the file. SIM outlives it. NULL with ERROR. */
struct capture_file *capture_file_open(const char *path, struct sim *sim, struct error *error);

/* Call it after each step, before anything else of that step. */
void capture_file_step(struct capture_file *capture);

/* Writes what is buffered; call it often: a crash of the program loses no more than that. A full
 * disk is reported once, and the run goes on without its recording. */
void capture_file_visit(struct capture_file *capture);

/* Ends the file. False, with the reason, if not all of it could be written. NULL is allowed. */
bool capture_file_close(struct capture_file *capture, struct error *error);
