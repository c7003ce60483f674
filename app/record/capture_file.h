/* `--capture`: all bytes on the wires of a run, as a pcapng file (app/record/capture.h) with one
 * interface per channel. It contains the bytes that robots and drivers received, after faults, at
 * the simulated time of the last byte, and modem lines, baud rates and faults as events. */
#pragma once

#include "app/cli/arguments.h"
#include "base/error.h"
#include "sim/sim.h"

/* --capture, for a subcommand whose options, a struct TAG, have a path, char[PATH_MAX], as
 * MEMBER. */
#define CAPTURE_FLAG_ROW(tag, member)                                                              \
    FLAG_TEXT("capture", "F.pcapng", tag, member, "",                                              \
              "Record all bytes, for Wireshark and `ptybot decode`")

struct capture_file;

/* Creates the file. SIM outlives it. NULL with ERROR. */
struct capture_file *capture_file_open(const char *path, struct sim *sim, struct error *error);

/* Call it after each step, before anything else of that step. */
void capture_file_step(struct capture_file *capture);

/* Writes buffered data. Call it often: a crash of the program loses only data that was not written.
 * A full disk is reported once, and the run continues without its recording. */
void capture_file_visit(struct capture_file *capture);

/* Ends the file. False, with the reason in ERROR, if a part of it could not be written. NULL is
 * allowed. */
bool capture_file_close(struct capture_file *capture, struct error *error);
