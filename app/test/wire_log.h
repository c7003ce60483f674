/* Observes the wires of a test. Writes every decoded frame to a file, and collects the accounts of
 * all channels for the report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/sim.h"
#include "sim/watch/wire_account.h"

struct wire_log;

/* Begins to observe. Creates or empties the file PATH and writes a line for each frame, with its
 * simulated time, channel and direction. If the file exceeds 16 MiB, it keeps the beginning and the
 * end. NULL, with the reason in ERROR. */
struct wire_log *wire_log_open(const char *path, struct sim *sim, struct error *error);

/* Limits the size of the file. Call it regularly, outside of a step. */
void wire_log_poll(struct wire_log *log);

/* The account of a channel, by its index in the simulation. */
const struct wire_account *wire_log_account(const struct wire_log *log, size_t channel);

/* Ends the observation and adds incomplete frames. Call it before the last use of an account. */
void wire_log_end(struct wire_log *log);

/* Call it before the end of the simulation. LOG may be NULL. False, with the reason in ERROR, if
 * the file is incomplete. */
bool wire_log_close(struct wire_log *log, struct error *error);
