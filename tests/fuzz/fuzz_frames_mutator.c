/* Mutates inputs whose first byte chooses robot, channel and direction, as in fuzz_framer and
 * fuzz_framing, with frames of that line, and as libFuzzer does. */
#include "protocols/registry.h"
#include "tests/fuzz/frames_mutate.h"
#include "tests/fuzz/mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    enum { HEAD = 2 };
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    if (size < HEAD || mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    const struct robot_type *type = types[data[0] / 8 % count];
    const struct frames_line line = {type, (unsigned)(data[0] / 2 % type->channel_count),
                                     data[0] % 2 ? WIRE_TO_HOST : WIRE_TO_ROBOT};
    return HEAD + frames_mutate(&line, data + HEAD, size - HEAD, max - HEAD, rng_u64(seed, 1));
}
