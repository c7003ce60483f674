/* Mutates lines of commands with the tables of commands. */
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"

static void line(struct dice *dice, struct writer *to)
{
    if (roll(dice, 4)) {
        words_command(dice, to);
        return;
    }
    writer_char(to, '@');
    writer_decimal(to, (int64_t)roll(dice, 100), 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    if (mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    return words_mutate(line, words_value, data, size, max, rng_u64(seed, 1));
}
