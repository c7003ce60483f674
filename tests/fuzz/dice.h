/* Random numbers for one generated object, in a fixed order. */
#pragma once

#include <stdint.h>

#include "base/rng.h"

struct dice {
    uint64_t seed, count;
};

/* From 0 to SIDES - 1; SIDES is not 0. */
static inline uint64_t roll(struct dice *dice, uint64_t sides)
{
    return rng_u64(dice->seed, dice->count++) % sides;
}
