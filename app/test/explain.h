/* Diagnoses: reasons for the failure of a test, in addition to its expectations. They cover refused
 * bytes, the commands that robots received and their effect, and a failed host. */
#pragma once

#include "app/test/judgement.h"
#include "app/test/wire_log.h"
#include "sim/sim.h"

/* Adds diagnoses to a judgement that has all cases and wires. IS_THOROUGH: also explains robots if
 * no expectation has failed. */
void explain(struct judgement *judgement, const struct scene *scene, const struct sim *sim,
             const struct wire_log *log, bool is_thorough);

/* Adds the diagnosis of a failed host, with the last line that it printed. IS_SURVIVED: a process
 * that the host command started was still running when the command ended. Call it after the log was
 * read. */
void explain_host(struct judgement *judgement, bool is_survived);
