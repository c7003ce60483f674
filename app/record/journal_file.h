/* `--journal`: the journal of a run as a file. */
#pragma once

#include <stdbool.h>

#include "app/cli/arguments.h"
#include "app/files/storage.h"
#include "base/error.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct journal_file;

/* Creates the file, or overwrites an older journal; any other file stays and is an error. Writes
 * the head: the scene with the files that it was read from, the options SETS that were set in it,
 * the memories in STORAGE. SIM has done no step yet and outlives the file; links are opened later.
 * NULL with ERROR. */
struct journal_file *journal_file_open(const char *path, const struct scene *scene,
                                       const struct argument_texts *sets,
                                       const struct storage *storage, struct sim *sim,
                                       struct error *error);

/* Call it after each step, once the links were served. */
void journal_file_step(struct journal_file *journal);

/* Writes what is buffered; call it often: a crash of the program loses no more than that. A full
 * disk is reported once, and the run goes on without its journal. */
void journal_file_visit(struct journal_file *journal);

/* Writes the end of the run and closes the file; call it before anything of the run is closed or
 * saved. False, with the reason, if not all of it could be written. NULL is allowed. */
bool journal_file_close(struct journal_file *journal, struct error *error);
