/* All bytes that hosts send to a robot as one stream, in one piece or many. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/support/golden.h"
#include "tests/support/robot_rig.h"
#include "tests/support/tested_types.h"

struct stream {
    const struct robot_type *type;
    unsigned channel;
    uint8_t *bytes; /* of stream_of */
    size_t size, frames;
};

/* The bytes that a host sends on a channel: all golden frames. A process accepts any bytes and gets
 * every byte value more than once. NULL: no bytes. The caller frees it. */
static inline uint8_t *stream_of(const struct robot_type *type, unsigned channel, size_t *size,
                                 size_t *frames)
{
    enum { BYTES = 600 };
    if (!type->program)
        return golden_stream(type, channel, WIRE_TO_ROBOT, size, frames);
    uint8_t *bytes = malloc(BYTES);
    for (size_t i = 0; bytes && i < BYTES; i++)
        bytes[i] = (uint8_t)(7 * i + channel);
    *size = BYTES;
    if (frames)
        *frames = 0;
    return bytes;
}

static inline void for_every_stream(void (*check)(const struct stream *stream))
{
    size_t count;
    const struct robot_type *const *types = tested_types(&count);
    size_t streams = 0, listeners = 0;
    for (size_t i = 0; i < count; i++) {
        struct stream stream = {.type = types[i]};
        bool listens = false;
        for (size_t k = 0; types[i]->packets[k]; k++)
            listens = listens || types[i]->packets[k]->direction == WIRE_TO_ROBOT;
        listeners += listens;
        for (; stream.channel < types[i]->channel_count; stream.channel++) {
            stream.bytes = stream_of(types[i], stream.channel, &stream.size, &stream.frames);
            if (stream.bytes) {
                check(&stream);
                streams++;
            }
            free(stream.bytes);
        }
    }
    assert_true(listeners > 0 && streams >= listeners);
}

static inline void assert_sound(const struct robot_rig *rig)
{
    if (rig->broken[0] != '\0')
        fail_msg("%s: %s", rig->type->name, rig->broken);
}

/* Feeds the stream in pieces that end at each position for which IS_CUT returns true. */
static inline void feed(struct robot_rig *rig, const struct stream *stream,
                        bool (*is_cut)(uint64_t seed, size_t at), uint64_t seed)
{
    size_t start = 0;
    for (size_t at = 1; at <= stream->size; at++) {
        if (at == stream->size || is_cut(seed, at)) {
            rig_rx(rig, stream->channel, stream->bytes + start, at - start);
            start = at;
        }
    }
}

static inline bool cut_nowhere(uint64_t seed, size_t at)
{
    (void)seed, (void)at;
    return false;
}

static inline bool cut_at_random(uint64_t seed, size_t at)
{
    return rng_u64(seed, at) % 5 == 0;
}
