/* Mutates inputs of fuzz_rx with whole frames of the chosen robot, with whole operations, and as
 * libFuzzer does. */
#include <string.h>

#include "protocols/registry.h"
#include "tests/fuzz/frames_mutate.h"
#include "tests/fuzz/fuzz_rx.h"
#include "tests/fuzz/mutator.h"

/* Bytes of an operation with its data. */
static size_t operation_size(uint8_t operation)
{
    uint8_t kind = operation & FUZZ_RX_KIND;
    bool is_alone = kind == FUZZ_RX_RUN || kind == FUZZ_RX_HOST || kind == FUZZ_RX_SHAKE;
    return is_alone ? 1 : (operation & FUZZ_RX_COUNT) + 2u;
}

/* The start of operation number COUNT, or of the last one before the end. */
static size_t operation_at(const uint8_t *data, size_t size, uint64_t count)
{
    size_t at = FUZZ_RX_HEAD;
    for (; count > 0 && at < size; count--) {
        size_t next = at + operation_size(data[at]);
        if (next > size)
            break;
        at = next;
    }
    return at;
}

/* Inserts a whole frame, in pieces of the maximum size of an operation, and time for the answer. */
static size_t put_frame(const struct robot_type *type, uint8_t *data, size_t size, size_t max,
                        uint64_t seed)
{
    bool is_second = type->channel_count > 1 && rng_u64(seed, 0) % 4 == 0;
    uint8_t frame[FRAME_MADE_MAX];
    size_t length = frame_make(type, is_second, WIRE_TO_ROBOT, rng_u64(seed, 1), frame);
    size_t at = operation_at(data, size, rng_u64(seed, 2) % 16);
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
    const uint8_t run = FUZZ_RX_RUN | (uint8_t)(rng_u64(seed, 3) % 32);
    return bytes_insert(data, size, max, at < size ? at : size, &run, 1);
}

/* Repeats, moves or removes an operation, or changes a field of its frame. */
static size_t change_operation(const struct robot_type *type, uint8_t *data, size_t size,
                               size_t max, uint64_t seed)
{
    size_t at = operation_at(data, size, rng_u64(seed, 0) % 32);
    size_t to = operation_at(data, size, rng_u64(seed, 1) % 32);
    size_t end = at < size ? at + operation_size(data[at]) : at;
    if (end > size || end == at)
        return size;
    bool is_second = type->channel_count > 1 && (data[at] & FUZZ_RX_KIND) == FUZZ_RX_SECOND;
    const struct frames_line line = {type, is_second, WIRE_TO_ROBOT};
    switch (rng_u64(seed, 2) % 3) {
    case 0:
        return bytes_insert(data, size, max, to, data + at, end - at);
    case 1:
        memmove(data + at, data + end, size - end);
        return size - (end - at);
    default:
        frame_change(&line, data + at + 1, end - at - 1, rng_u64(seed, 3));
        return size;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t types;
    const struct robot_type *const *all = registry_types(&types);
    if (size < FUZZ_RX_HEAD || mutate_plainly(seed))
        return LLVMFuzzerMutate(data, size, max);
    const struct robot_type *type = all[data[0] % types];
    return rng_u64(seed, 1) % 2 ? put_frame(type, data, size, max, rng_u64(seed, 2))
                                : change_operation(type, data, size, max, rng_u64(seed, 2));
}
