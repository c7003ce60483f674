/* Mutates inputs whose first byte chooses robot, channel and direction, as those of fuzz_framer and
 * fuzz_framing, by whole frames of that line, and as libFuzzer does. */
#include "base/rng.h"
#include "protocols/registry.h"
#include "tests/fuzz/frame_maker.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    if (size < 2 || rng_u64(seed, 0) % 2 == 0)
        return LLVMFuzzerMutate(data, size, max);
    const struct robot_type *type = types[data[0] / 8 % count];
    uint8_t frame[FRAME_MADE_MAX];
    size_t length = frame_make(type, (unsigned)(data[0] / 2 % type->channel_count),
                               data[0] % 2 ? WIRE_TO_HOST : WIRE_TO_ROBOT, rng_u64(seed, 1), frame);
    size_t at = 2 + (size_t)(rng_u64(seed, 2) % (size - 1));
    return bytes_insert(data, size, max, at, frame, length);
}
