/* Mutates scenes with the tables of their keys: whole new scenes, lines, values. */
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct dice dice = {.seed = rng_u64(seed, 2)};
    struct writer to = writer_begin((char *)data, max);
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    if (rng_u64(seed, 1) % 4 > 0)
        return words_mutate(words_scene_line, words_value, data, size, max, dice.seed);
    words_scene(&dice, &to);
    return writer_end(&to);
}
