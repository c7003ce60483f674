/* Inputs at random for a run of the robots kobuki, board (a diff_board) and alone: a host that does
 * anything, and commands. */
#pragma once

#include <stdint.h>

#include "sim/sim.h"

/* Of the first two robots, which hosts may have. */
enum { PLAYBACK_INPUT_CHANNELS = 2 };

/* One input, or none: the one of that number under a seed; counts. */
void playback_input_anything(struct sim *sim, uint64_t seed, uint64_t *counter);
