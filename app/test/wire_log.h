/* Looks on at the wires of a test: every frame in words goes into a file, and the accounts of all
 * channels are for its report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sim/sim.h"
#include "sim/watch/wire_account.h"

struct wire_log;

/* Begins to look on; the file PATH is made anew and holds a line for each frame, with its
 * simulated time, channel and direction; of more than 16 MiB the beginning and the end. NULL, with
 * the reason in ERROR. */
struct wire_log *wire_log_open(const char *path, struct sim *sim, struct error *error);

/* Keeps the file short: call it now and then, outside of a step. */
void wire_log_poll(struct wire_log *log);

/* Of a channel, by its index in the simulation. */
const struct wire_account *wire_log_account(const struct wire_log *log, size_t channel);

/* Nothing more comes: adds what waited for its end. Call it before the last look at an account. */
void wire_log_end(struct wire_log *log);

/* Before the end of the simulation; NULL is allowed. False, with the reason in ERROR, if the file
 * is not whole. */
bool wire_log_close(struct wire_log *log, struct error *error);
