/* The file of results of a batch: its plan, the lines that come, and those of a run before it. */
#pragma once

#include "app/lab/batch/batch.h"

/* Opens the file, if one is wanted, and with --resume takes what is in it. False, with the reason
 * in ERROR and the exit code in BATCH. */
bool batch_open_results(struct batch *batch, struct error *error);

/* Writes whole lines; what cannot be written is reported in BATCH. */
void batch_append(struct batch *batch, const char *line, size_t size);
