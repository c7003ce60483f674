/* `--journal`: the journal of a run as a file. */
#ifndef PTYBOT_APP_RECORD_JOURNAL_FILE_H
#define PTYBOT_APP_RECORD_JOURNAL_FILE_H

#include <stdbool.h>

#include "app/cli/arguments.h"
#include "app/io/storage.h"
#include "base/error.h"
#include "sim/scene/scene.h"
#include "sim/sim.h"

struct journal_file;

/* Creates the file, or writes over an older journal; what is no journal stays. Writes the head: the
 * scene with the files that it was read from, the options SETS that were set in it, the memories in
 * STORAGE. SIM has done no step yet and outlives the file; links are opened later. NULL with ERROR.
 */
struct journal_file *journal_file_open(const char *path, const struct scene *scene,
                                       const struct argument_texts *sets,
                                       const struct storage *storage, struct sim *sim,
                                       struct error *error);

/* After each step, when the links were served. */
void journal_file_step(struct journal_file *journal);

/* Hands to the kernel what waits; call it often: a crash of the program loses no more than that.
 * Where the disk is full, that is told once, and the run goes on without its journal. */
void journal_file_visit(struct journal_file *journal);

/* Writes the end of the run and ends the file; before anything of the run is closed or saved.
 * False, with the reason, if not all of it could be written. NULL is allowed. */
bool journal_file_close(struct journal_file *journal, struct error *error);

#endif
