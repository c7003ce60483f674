/* Mutates conditions with the tables of signals. */
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    return words_mutate(words_condition, words_condition, data, size, max, rng_u64(seed, 1));
}
