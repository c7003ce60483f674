/* Random inputs for a run of three robots, which are called kobuki, board (a diff_board) and alone.
 * They come from a host that does anything, and from commands. */
#pragma once

#include <stdint.h>

#include "sim/sim.h"

/* Channels of the first two robots, which can have hosts. */
enum { PLAYBACK_INPUT_CHANNELS = 2 };

/* Gives one random input or none. SEED and COUNTER determine the input; increments COUNTER. */
void playback_input_anything(struct sim *sim, uint64_t seed, uint64_t *counter);
