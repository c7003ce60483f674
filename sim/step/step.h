/* One step of a simulation. It uses no clock, file or descriptor: the caller provides input bytes,
 * reads output bytes and calls sim_step. All randomness comes from the scene's seed, so the same
 * inputs at the same steps give the same bytes. */
#pragma once

#include <stdint.h>

struct sim;

/* One step of SIM_STEP_US. Allocates nothing. */
void sim_step(struct sim *sim);

/* Hash of the whole state that determines the future: bodies, firmware, wires. */
uint64_t sim_hash(const struct sim *sim);
