/* Counter-based random numbers. A value is a pure function of key and counter: Salmon and others,
 * "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Not cryptographically secure. */
#include "base/rng.h"

#include <string.h>

#include "base/hash.h"

/* Odd integer nearest to 2^64 / golden ratio: spreads consecutive counters over all bits. Steele,
 * Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static const uint64_t RNG_GAMMA = 0x9e3779b97f4a7c15u;

/* Separates the values that make up a normal number from those of rng_u64 with the same key.
 * Chosen: the text "normal". */
static const uint64_t RNG_NORMAL_SALT = 0x6e6f726d616cu;

/* The finalizer of SplitMix64 (same paper): David Stafford's variant 13 of the finalizer of
 * MurmurHash3. */
static uint64_t rng_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t rng_key(uint64_t parent, const char *name)
{
    uint64_t named = hash_bytes(HASH_START, name, strlen(name));
    return rng_mix(named ^ rng_mix(parent + RNG_GAMMA));
}

/* The counter is mixed before it is combined with the key: with a plain sum, all keys would run
 * through the same sequence from different starting points. */
uint64_t rng_u64(uint64_t key, uint64_t counter)
{
    return rng_mix(key ^ rng_mix((counter + 1) * RNG_GAMMA));
}

double rng_uniform(uint64_t key, uint64_t counter)
{
    return (double)(rng_u64(key, counter) >> 11) * 0x1p-53;
}

double rng_normal(uint64_t key, uint64_t counter)
{
    /* Three values hold twelve uniforms of 16 bits; their sum is an exact integer. */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t value = rng_u64(key ^ RNG_NORMAL_SALT, counter * 3 + i);
        for (int shift = 0; shift < 64; shift += 16)
            sum += value >> shift & 0xffff;
    }
    /* Each uniform represents the middle of its interval of 1/65536. The twelve halves make the
     * mean exactly 0. */
    return ((double)sum + 6.0) * 0x1p-16 - 6.0;
}
