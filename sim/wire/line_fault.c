/* Faults of one direction of a wire. */
#include "sim/wire/line_fault.h"

#include <assert.h>
#include <string.h>

#include "base/rng.h"
#include "base/serial_settings.h"

enum {
    GROWTH = 4, /* a frame twice, with inserted bytes; or each byte three times */
    PATTERNS = LINE_RESAMPLE_GROWTH,
};

static const char *const purposes[LINE_WAYS][LINE_FAULT_KINDS] = {
    {"to_host.drop", "to_host.flip", "to_host.duplicate", "to_host.insert", "to_host.delay",
     "to_host.split", "to_host.ftdi", "to_host.stall", "to_host.garbage", "to_host.baud"},
    {"to_robot.drop", "to_robot.flip", "to_robot.duplicate", "to_robot.insert", "to_robot.delay",
     "to_robot.split", "to_robot.ftdi", "to_robot.stall", "to_robot.garbage", "to_robot.baud"},
};

static size_t scratch_size(size_t frame_max)
{
    return frame_max * GROWTH * (1 + PATTERNS);
}

size_t line_faults_room(size_t frame_max, size_t hold)
{
    return LINE_HOLD_CHUNKS * sizeof(struct line_held) + hold + scratch_size(frame_max);
}

void line_faults_init(struct line_faults *faults, uint64_t rng_key_parent, enum line_way way,
                      uint32_t baud, size_t frame_max, size_t hold, uint8_t *room)
{
    for (size_t i = 0; i < LINE_FAULT_KINDS; i++)
        faults->keys[i] = rng_key(rng_key_parent, purposes[way][i]);
    faults->baud = baud;
    faults->hold.chunks = (void *)room;
    faults->hold.bytes = room + LINE_HOLD_CHUNKS * sizeof(struct line_held);
    faults->hold.capacity = hold;
    faults->scratch = faults->hold.bytes + hold;
    faults->scratch_size = scratch_size(frame_max);
}

bool line_fault_is_on(const struct line_faults *faults, enum line_fault_kind kind, int64_t now_us)
{
    return faults->faults[kind].until_us > now_us;
}

bool line_faults_is_busy(const struct line_faults *faults, int64_t now_us)
{
    bool is_busy = faults->hold.count > 0;
    for (int i = 0; i < LINE_FAULT_KINDS; i++)
        is_busy = is_busy || line_fault_is_on(faults, (enum line_fault_kind)i, now_us);
    return is_busy;
}

unsigned line_fault_error(enum line_fault_kind kind)
{
    static const unsigned errors[LINE_FAULT_KINDS] = {
        [LINE_FAULT_DROP] = SERIAL_OVERRUN_ERROR,      [LINE_FAULT_FLIP] = SERIAL_PARITY_ERROR,
        [LINE_FAULT_DUPLICATE] = SERIAL_OVERRUN_ERROR, [LINE_FAULT_INSERT] = SERIAL_FRAMING_ERROR,
        [LINE_FAULT_GARBAGE] = SERIAL_FRAMING_ERROR,   [LINE_FAULT_BAUD] = SERIAL_FRAMING_ERROR,
    };
    return errors[kind];
}

/* ---- Bytes ---- */

static bool strikes(const struct line_faults *faults, enum line_fault_kind kind, uint64_t number)
{
    return rng_uniform(faults->keys[kind], number) < faults->faults[kind].rate;
}

/* A random number that is independent of strikes(). */
static uint64_t chance(const struct line_faults *faults, enum line_fault_kind kind, uint64_t number)
{
    return rng_u64(~faults->keys[kind], number);
}

/* One frame and the parameters for its faults. */
struct passage {
    const struct line_faults *faults;
    uint64_t byte_number, frame_number;
    size_t size;
    int64_t now_us;
    uint64_t *counts;
};

/* Whether a kind affects byte I of the frame: each byte at random or, if RATE is of frames, one
 * random byte of an affected frame. See hits_frame for kinds that affect all bytes of a frame. */
static bool hits(const struct passage *passage, enum line_fault_kind kind, size_t i)
{
    const struct line_faults *faults = passage->faults;
    if (!line_fault_is_on(faults, kind, passage->now_us))
        return false;
    if (!faults->faults[kind].is_by_frame)
        return strikes(faults, kind, passage->byte_number + i);
    return strikes(faults, kind, passage->frame_number) &&
           chance(faults, kind, passage->frame_number) % passage->size == i;
}

static bool hits_frame(const struct passage *passage, enum line_fault_kind kind)
{
    const struct line_faults *faults = passage->faults;
    bool is_hit = line_fault_is_on(faults, kind, passage->now_us) &&
                  faults->faults[kind].is_by_frame && strikes(faults, kind, passage->frame_number);
    passage->counts[kind] += is_hit;
    return is_hit;
}

static bool hits_byte(const struct passage *passage, enum line_fault_kind kind, size_t i)
{
    bool is_whole = (kind == LINE_FAULT_DROP || kind == LINE_FAULT_DUPLICATE) &&
                    passage->faults->faults[kind].is_by_frame;
    bool is_hit = !is_whole && hits(passage, kind, i);
    passage->counts[kind] += is_hit;
    return is_hit;
}

static size_t spoil(const struct passage *passage, const uint8_t *bytes, uint8_t *out)
{
    size_t used = 0;
    for (size_t i = 0; i < passage->size; i++) {
        uint64_t number = passage->byte_number + i;
        uint8_t byte = bytes[i];
        if (hits_byte(passage, LINE_FAULT_DROP, i))
            continue;
        if (hits_byte(passage, LINE_FAULT_FLIP, i))
            byte ^= (uint8_t)(1u << (chance(passage->faults, LINE_FAULT_FLIP, number) >> 32 & 7));
        out[used++] = byte;
        if (hits_byte(passage, LINE_FAULT_DUPLICATE, i))
            out[used++] = byte;
        if (hits_byte(passage, LINE_FAULT_INSERT, i))
            out[used++] =
                (uint8_t)(chance(passage->faults, LINE_FAULT_INSERT, number) >> 32 & 0xff);
    }
    if (hits_frame(passage, LINE_FAULT_DUPLICATE)) {
        memcpy(out + used, out, used);
        used *= 2;
    }
    return used;
}

size_t line_fault_damage(struct line_faults *faults, const uint8_t *bytes, size_t size,
                         uint64_t byte_number, uint64_t frame_number, int64_t now_us,
                         const uint8_t **out, uint64_t *counts)
{
    const struct passage passage = {faults, byte_number, frame_number, size, now_us, counts};
    assert(size * GROWTH * (1 + PATTERNS) <= faults->scratch_size);
    *out = faults->scratch;
    if (hits_frame(&passage, LINE_FAULT_DROP))
        return 0;
    size_t used = spoil(&passage, bytes, faults->scratch);
    uint32_t baud = faults->faults[LINE_FAULT_BAUD].quantity;
    if (!line_fault_is_on(faults, LINE_FAULT_BAUD, now_us) || faults->baud == 0)
        return used;
    counts[LINE_FAULT_BAUD] += used;
    *out = faults->scratch + used;
    return line_resample(faults->scratch, used, faults->baud, baud, faults->scratch + used,
                         faults->scratch_size - used, &faults->baud_errors);
}

/* Level of the line during bit N of a stream of 8N1 bytes; idle before and after. */
static bool level(const uint8_t *bytes, size_t size, uint64_t n)
{
    if (n / 10 >= size)
        return true;
    unsigned bit = (unsigned)(n % 10);
    return bit == 9 || (bit > 0 && (bytes[n / 10] >> (bit - 1) & 1));
}

size_t line_resample(const uint8_t *bytes, size_t size, uint32_t from, uint32_t to, uint8_t *out,
                     size_t cap, unsigned *errors)
{
    // In this unit of time a sent bit lasts 2 x TO, and a bit of the reader 2 x FROM.
    uint64_t sent = UINT64_C(2) * to, bits = (uint64_t)size * 10, n = 0;
    size_t used = 0;
    while (used < cap) {
        // The next falling edge starts a byte.
        while (n < bits && level(bytes, size, n))
            n++;
        if (n >= bits)
            break;
        uint64_t start = n * sent;
        uint8_t byte = 0;
        for (unsigned b = 0; b < 8; b++)
            byte |=
                (uint8_t)(level(bytes, size, (start + (3 + 2 * b) * (uint64_t)from) / sent) << b);
        out[used++] = byte;
        // Continue from the middle of the stop bit; a line that is still low must rise first.
        n = (start + UINT64_C(19) * from) / sent;
        if (!level(bytes, size, n))
            *errors |= byte == 0 ? SERIAL_BREAK | SERIAL_FRAMING_ERROR : SERIAL_FRAMING_ERROR;
        while (n < bits && !level(bytes, size, n))
            n++;
    }
    return used;
}

/* ---- Held bytes: a ring of bytes, and a ring of the chunks that they form ---- */

static struct line_held *chunk_at(struct line_hold *hold, size_t i)
{
    return &hold->chunks[(hold->first + i) % LINE_HOLD_CHUNKS];
}

/* Appends a chunk that is due at DUE_US, but not before earlier chunks. False: no room, and nothing
 * is stored. */
static bool hold_push(struct line_hold *hold, const uint8_t *bytes, size_t size, int64_t due_us)
{
    if (size == 0)
        return true;
    if (hold->capacity - hold->size < size)
        return false;
    size_t tail = (hold->head + hold->size) % hold->capacity;
    size_t straight = hold->capacity - tail < size ? hold->capacity - tail : size;
    memcpy(hold->bytes + tail, bytes, straight);
    memcpy(hold->bytes, bytes + straight, size - straight);
    hold->size += size;

    struct line_held *last = hold->count > 0 ? chunk_at(hold, hold->count - 1) : NULL;
    if (last && due_us < last->due_us)
        due_us = last->due_us;
    if (hold->count == LINE_HOLD_CHUNKS) {
        last->size += size;
        last->due_us = due_us;
    } else {
        *chunk_at(hold, hold->count++) = (struct line_held){.due_us = due_us, .size = size};
    }
    return true;
}

/* Takes up to MOST bytes of the first chunk, if it is due. Returns their number; DUE_US: its due
 * time. */
static size_t hold_pop(struct line_hold *hold, uint8_t *out, size_t most, int64_t now_us,
                       int64_t *due_us)
{
    struct line_held *chunk = chunk_at(hold, 0);
    if (hold->count == 0 || chunk->due_us > now_us)
        return 0;
    size_t size = chunk->size < most ? chunk->size : most;
    size_t straight = hold->capacity - hold->head < size ? hold->capacity - hold->head : size;
    memcpy(out, hold->bytes + hold->head, straight);
    memcpy(out + straight, hold->bytes, size - straight);
    hold->head = (hold->head + size) % hold->capacity;
    hold->size -= size;
    *due_us = chunk->due_us;
    chunk->size -= size;
    if (chunk->size == 0) {
        hold->first = (hold->first + 1) % LINE_HOLD_CHUNKS;
        hold->count--;
    }
    return size;
}

/* ---- Time ---- */

bool line_fault_hold(struct line_faults *faults, const uint8_t *bytes, size_t size, int64_t at_us,
                     int64_t now_us, uint64_t *counts)
{
    uint64_t number = faults->chunk++;
    const struct line_fault *delay = &faults->faults[LINE_FAULT_DELAY];
    const struct line_fault *split = &faults->faults[LINE_FAULT_SPLIT];
    if (size == 0)
        return true;
    counts[LINE_FAULT_STALL] += line_fault_is_on(faults, LINE_FAULT_STALL, now_us);
    if (line_fault_is_on(faults, LINE_FAULT_DELAY, now_us) &&
        strikes(faults, LINE_FAULT_DELAY, number)) {
        at_us += delay->span_us;
        counts[LINE_FAULT_DELAY]++;
    }
    size_t first = size;
    if (size > 1 && line_fault_is_on(faults, LINE_FAULT_SPLIT, now_us) &&
        strikes(faults, LINE_FAULT_SPLIT, number)) {
        first = 1 + (size_t)(chance(faults, LINE_FAULT_SPLIT, number) % (size - 1));
        counts[LINE_FAULT_SPLIT]++;
    }
    return hold_push(&faults->hold, bytes, first, at_us) &&
           hold_push(&faults->hold, bytes + first, size - first, at_us + split->span_us);
}

size_t line_fault_pass(struct line_faults *faults, uint8_t *out, size_t most, int64_t now_us,
                       int64_t *due_us)
{
    if (line_fault_is_on(faults, LINE_FAULT_STALL, now_us))
        return 0;
    return hold_pop(&faults->hold, out, most, now_us, due_us);
}

void line_fault_drop_held(struct line_faults *faults)
{
    faults->hold.size = faults->hold.count = 0;
}

void line_fault_greet(struct line_faults *faults, int64_t now_us, uint64_t *counts)
{
    if (faults->has_greeted)
        return;
    faults->has_greeted = true;
    if (!line_fault_is_on(faults, LINE_FAULT_GARBAGE, now_us))
        return;
    uint8_t bytes[64];
    for (size_t left = faults->faults[LINE_FAULT_GARBAGE].quantity; left > 0;) {
        size_t size = left < sizeof bytes ? left : sizeof bytes;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)rng_u64(faults->keys[LINE_FAULT_GARBAGE], faults->garbage++);
        if (!hold_push(&faults->hold, bytes, size, now_us))
            return;
        counts[LINE_FAULT_GARBAGE] += size;
        left -= size;
    }
}
