/* `--journal`: the journal of a run as a file. */
#pragma once

#include <stdbool.h>

#include "app/cli/arguments.h"
#include "app/files/storage.h"
#include "base/error.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct journal_file;

/* Creates the file, or overwrites an older journal; any other existing file is an error and stays.
 * Writes the head: the scene with the files that it was read from, the options SETS that change it,
 * and the memories in STORAGE. SIM has not run a step yet and outlives the file; links are opened
 * later. NULL with ERROR. */
struct journal_file *journal_file_open(const char *path, const struct scene *scene,
                                       const struct argument_texts *sets,
                                       const struct storage *storage, struct sim *sim,
                                       struct error *error);

/* Call it after each step, once the links were served. */
void journal_file_step(struct journal_file *journal);

/* Writes buffered data. Call it often: a crash of the program loses only data that was not written.
 * A full disk is reported once, and the run continues without its journal. */
void journal_file_visit(struct journal_file *journal);

/* Writes the end of the run and closes the file. Call it before any part of the run is closed or
 * saved. False, with the reason in ERROR, if a part could not be written. NULL is allowed. */
bool journal_file_close(struct journal_file *journal, struct error *error);
