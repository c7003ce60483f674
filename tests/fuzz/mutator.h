/* What each mutator shares: libFuzzer's own, and when it is to do it alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"

/* libFuzzer's contract: they change DATA, SIZE bytes of at most MAX, and return the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Whether libFuzzer mutates this time: of half the seeds; with PTYBOT_FUZZ_PLAIN in the environment
 * of all, which shows what the tables add. */
static inline bool mutate_plainly(unsigned seed)
{
    static int is_plain = -1;
    if (is_plain < 0)
        is_plain = getenv("PTYBOT_FUZZ_PLAIN") != NULL;
    return is_plain || rng_u64(seed, 0) % 2 == 0;
}
