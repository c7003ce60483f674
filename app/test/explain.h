/* Why a test may have failed beside what it expected, as diagnoses: refused bytes, what robots were
 * told and made of it, a host that broke down. */
#pragma once

#include "app/test/judgement.h"
#include "app/test/wire_log.h"
#include "sim/sim.h"

/* Adds diagnoses to a judgement whose cases and wires are complete. IS_THOROUGH: also where no
 * expectation has failed. */
void explain(struct judgement *judgement, const struct scene *scene, const struct sim *sim,
             const struct wire_log *log, bool is_thorough);

/* Adds the diagnoses of a host that failed, with what it printed at last, or whose command ended
 * before what it had started (IS_SURVIVED): after the log was read. */
void explain_host(struct judgement *judgement, bool is_survived);
