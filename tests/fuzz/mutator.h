/* Shared by all mutators: the mutator of libFuzzer, and the decision to use only that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"

/* Contract of libFuzzer: both change DATA, SIZE bytes of at most MAX, and return the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Whether to use only libFuzzer's mutator: for half of the seeds; for all if PTYBOT_FUZZ_PLAIN is
 * in the environment, to measure the benefit of the tables. */
static inline bool mutate_plainly(unsigned seed)
{
    static int is_plain = -1;
    if (is_plain < 0)
        is_plain = getenv("PTYBOT_FUZZ_PLAIN") != NULL;
    return is_plain || rng_u64(seed, 0) % 2 == 0;
}
