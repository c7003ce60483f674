/* Counter-based random numbers: a value is a pure function of a key and a counter. There is no
 * hidden state, so a run is reproducible, and the noise of one robot never changes that of
 * another. */
#pragma once

#include <stdint.h>

/* Derives a key from a parent key (or the scene's seed) and a name: a robot, then a purpose. */
uint64_t rng_key(uint64_t parent, const char *name);

/* Value number COUNTER of stream KEY: 64 uniform bits. */
uint64_t rng_u64(uint64_t key, uint64_t counter);

/* Uniform in [0, 1). */
double rng_uniform(uint64_t key, uint64_t counter);

/* Mean 0 and standard deviation 1, approximated by the sum of twelve uniforms (range -6..6). This
 * needs no logarithm or cosine, so every compiler and libc gives the same bits. */
double rng_normal(uint64_t key, uint64_t counter);
