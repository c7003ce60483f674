/* What one step of a simulation does. It knows no clock, file or descriptor: whoever owns those
 * feeds bytes in, takes bytes out and calls sim_step. All randomness comes from the scene's seed,
 * so the same inputs at the same steps give the same bytes. */
#pragma once

#include <stdint.h>

struct sim;

/* One step of SIM_STEP_US. Allocates nothing. */
void sim_step(struct sim *sim);

/* Continues a hash over everything that decides the future: bodies, firmware, wires. */
uint64_t sim_hash(const struct sim *sim);
