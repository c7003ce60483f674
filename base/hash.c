#include "base/hash.h"

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u; /* FNV prime, 64 bit */
    return hash;
}
