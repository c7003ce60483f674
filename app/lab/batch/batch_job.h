/* A process of a batch, which runs some of its tests, and the pipe by which their results come. */
#pragma once

#include "app/lab/batch/batch.h"

/* Starts a process for the tests of a job. If that cannot be, they have ended so. */
void batch_start_job(struct batch *batch, struct job *job);

/* Takes what is in its pipe, and writes whole lines into the file of results. */
void batch_hear(struct batch *batch, struct job *job);
void batch_close_pipe(struct batch *batch, struct job *job);
