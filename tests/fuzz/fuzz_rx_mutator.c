/* Mutates inputs of fuzz_rx by whole frames of the robot that the input chooses, and as libFuzzer
 * does. */
#include <stdbool.h>

#include "base/rng.h"
#include "protocols/registry.h"
#include "tests/fuzz/frame_maker.h"
#include "tests/fuzz/fuzz_rx.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Where the operation number COUNT begins, or the last one before the end. */
static size_t operation_at(const uint8_t *data, size_t size, uint64_t count)
{
    size_t at = FUZZ_RX_HEAD;
    for (; count > 0 && at < size; count--) {
        uint8_t operation = data[at], kind = operation & FUZZ_RX_KIND;
        size_t next = at + 1;
        if (kind != FUZZ_RX_RUN && kind != FUZZ_RX_HOST && kind != FUZZ_RX_SHAKE)
            next += (operation & FUZZ_RX_COUNT) + 1u;
        if (next > size)
            break;
        at = next;
    }
    return at;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t types;
    const struct robot_type *const *all = registry_types(&types);
    if (size < FUZZ_RX_HEAD || rng_u64(seed, 0) % 2 == 0)
        return LLVMFuzzerMutate(data, size, max);
    const struct robot_type *type = all[data[0] % types];
    bool is_second = type->channel_count > 1 && rng_u64(seed, 1) % 4 == 0;
    uint8_t frame[FRAME_MADE_MAX];
    size_t length = frame_make(type, is_second, WIRE_TO_ROBOT, rng_u64(seed, 2), frame);
    size_t at = operation_at(data, size, rng_u64(seed, 3) % 16);
    for (size_t done = 0; done < length;) {
        size_t part = length - done < FUZZ_RX_COUNT + 1 ? length - done : FUZZ_RX_COUNT + 1;
        uint8_t piece[FUZZ_RX_COUNT + 2] = {
            (uint8_t)((is_second ? FUZZ_RX_SECOND : FUZZ_RX_BYTES) | (part - 1))};
        for (size_t i = 0; i < part; i++)
            piece[i + 1] = frame[done + i];
        size = bytes_insert(data, size, max, at, piece, part + 1);
        at += part + 1;
        done += part;
    }
    const uint8_t run = FUZZ_RX_RUN | (uint8_t)(rng_u64(seed, 4) % 32);
    return bytes_insert(data, size, max, at < size ? at : size, &run, 1);
}
