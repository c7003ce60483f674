/* The simulated wire: the queue to the host, paced by the baud rate, and the cutting of frames into
 * the chunks that a host reads. Times are kept in nanoseconds so that pacing does not drift. */
#include "sim/wire/line_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

enum {
    BITS_PER_BYTE = 10, /* 8N1: start bit, eight data bits, stop bit */
    QUEUE_FRAMES = 4,   /* chosen: room for this many of the largest frames ... */
    QUEUE_MIN = 4096,   /* ... and never less than this */
    FTDI_PAYLOAD = 62, /* data bytes of a 64-byte USB packet of an FT232R, after two status bytes */
    HOLD_MIN = 32768,  /* chosen: eight seconds of Kobuki packets are held back at most */
    CHUNK_MAX = 65536, /* chosen: what a byte link takes at once */
};

/* FTDI's default latency timer, ms to ns (FTDI AN232B-04). */
#define FTDI_LATENCY_NS 16000000

struct line *line_create(const struct line_config *config)
{
    assert(config->frame_max > 0);
    struct line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    line->config = *config;
    line->stats.hash = HASH_START;
    line->byte_ns = config->baud ? BITS_PER_BYTE * INT64_C(1000000000) / config->baud : 0;
    line->to_capacity = config->frame_max * QUEUE_FRAMES;
    if (line->to_capacity < QUEUE_MIN)
        line->to_capacity = QUEUE_MIN;
    line->to_host = malloc(line->to_capacity);
    line->chunk = malloc(line->to_capacity);
    size_t hold = line->to_capacity > HOLD_MIN ? line->to_capacity : HOLD_MIN;
    bool is_made = line_faults_create(&line->faults[LINE_TO_HOST], config->rng_key, LINE_TO_HOST,
                                      config->baud, config->frame_max, hold);
    is_made = line_faults_create(&line->faults[LINE_TO_ROBOT], config->rng_key, LINE_TO_ROBOT,
                                 config->baud, LINE_FROM_HOST_MAX, hold) &&
              is_made;
    if (config->garble) {
        size_t most =
            line->to_capacity > LINE_FROM_HOST_MAX ? line->to_capacity : LINE_FROM_HOST_MAX;
        line->heard_size = most * LINE_RESAMPLE_GROWTH;
        if (line->heard_size > CHUNK_MAX)
            line->heard_size = CHUNK_MAX;
        line->heard = malloc(line->heard_size);
        is_made = is_made && line->heard;
    }
    if (line->to_host && line->chunk && is_made)
        return line;
    line_destroy(line);
    return NULL;
}

void line_destroy(struct line *line)
{
    if (!line)
        return;
    for (int way = 0; way < LINE_WAYS; way++)
        line_faults_destroy(&line->faults[way]);
    free(line->to_host);
    free(line->chunk);
    free(line->heard);
    free(line);
}

/* ---- Robot to host ---- */

static struct line_frame_end *front(struct line *line)
{
    return &line->frames[line->frame_head];
}

/* Removes SIZE bytes from the front frame, and the frame with its last byte. */
static void take(struct line *line, size_t size)
{
    line->to_head = (line->to_head + size) % line->to_capacity;
    line->to_size -= size;
    line->front_taken += size;
    if (line->front_taken == front(line)->size) {
        line->frame_head = (line->frame_head + 1) % LINE_FRAMES_MAX;
        line->frame_count--;
        line->front_taken = 0;
    }
}

/* Bytes of the front frame that have arrived and are not taken. */
static size_t arrived_of_front(struct line *line, int64_t now_ns)
{
    const struct line_frame_end *frame = front(line);
    int64_t left_ns = frame->end_ns - now_ns;
    if (left_ns <= 0)
        return frame->size - line->front_taken;
    size_t missing = (size_t)((left_ns + line->byte_ns - 1) / line->byte_ns);
    return missing + line->front_taken >= frame->size ? 0
                                                      : frame->size - line->front_taken - missing;
}

/* What has ended while nobody listened is gone. */
static void discard_unheard(struct line *line, int64_t now_ns)
{
    while (line->frame_count > 0 && front(line)->end_ns <= now_ns) {
        take(line, front(line)->size - line->front_taken);
        line->stats.unheard_frames++;
    }
}

bool line_frame(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    assert(size > 0 && size <= line->config.frame_max);
    int64_t now_ns = now_us * 1000;
    uint64_t byte_number = line->sent_bytes, frame_number = line->sent_frames++;
    line->sent_bytes += size;
    if (line->is_faulty[LINE_TO_HOST])
        size = line_fault_damage(&line->faults[LINE_TO_HOST], bytes, size, byte_number,
                                 frame_number, now_us, &bytes, line->stats.faults);
    if (size == 0)
        return true;
    if (!line->is_host)
        discard_unheard(line, now_ns);
    if (line->frame_count == LINE_FRAMES_MAX || line->to_capacity - line->to_size < size) {
        line->stats.overruns++;
        return false;
    }

    // Copy behind the queue, in two parts where the ring wraps.
    size_t tail = (line->to_head + line->to_size) % line->to_capacity;
    size_t straight = line->to_capacity - tail < size ? line->to_capacity - tail : size;
    memcpy(line->to_host + tail, bytes, straight);
    memcpy(line->to_host, bytes + straight, size - straight);
    line->to_size += size;

    // The frame starts when the wire is free and takes its bytes' time.
    if (line->to_free_ns < now_ns)
        line->to_free_ns = now_ns;
    line->to_free_ns += (int64_t)size * line->byte_ns;
    size_t slot = (line->frame_head + line->frame_count++) % LINE_FRAMES_MAX;
    line->frames[slot] = (struct line_frame_end){.end_ns = line->to_free_ns, .size = size};
    return true;
}

size_t line_queued(const struct line *line, int64_t now_us)
{
    if (line->is_host)
        return line->to_size;
    // Unheard frames are thrown away late: count only what is still on its way.
    size_t size = 0;
    for (size_t i = 0; i < line->frame_count; i++) {
        const struct line_frame_end *frame =
            &line->frames[(line->frame_head + i) % LINE_FRAMES_MAX];
        if (frame->end_ns > now_us * 1000)
            size += frame->size;
    }
    return size;
}

/* Moves up to MOST arrived bytes, over frame borders, into the chunk. */
static size_t gather(struct line *line, size_t most, int64_t now_ns)
{
    size_t size = 0;
    while (size < most && line->frame_count > 0) {
        size_t part = arrived_of_front(line, now_ns);
        if (part == 0)
            break;
        if (part > most - size)
            part = most - size;
        bool ends = part + line->front_taken == front(line)->size;
        for (size_t i = 0; i < part; i++)
            line->chunk[size + i] = line->to_host[(line->to_head + i) % line->to_capacity];
        size += part;
        take(line, part);
        line->stats.to_host_frames += ends;
    }
    return size;
}

static size_t arrived_in_all(struct line *line, int64_t now_ns)
{
    size_t size = 0;
    for (size_t i = 0; i < line->frame_count; i++) {
        const struct line_frame_end *frame =
            &line->frames[(line->frame_head + i) % LINE_FRAMES_MAX];
        if (frame->end_ns > now_ns)
            return size + (i == 0 ? arrived_of_front(line, now_ns) : 0);
        size += frame->size - (i == 0 ? line->front_taken : 0);
    }
    return size;
}

/* An FTDI chip sends a USB packet when it is full, or what there is when its timer fires. */
static size_t gather_ftdi(struct line *line, int64_t latency_ns, int64_t now_ns)
{
    size_t arrived = arrived_in_all(line, now_ns);
    if (arrived < FTDI_PAYLOAD) {
        if (now_ns < line->ftdi_due_ns)
            return 0;
        line->ftdi_due_ns += latency_ns;
        if (line->ftdi_due_ns <= now_ns)
            line->ftdi_due_ns = now_ns + latency_ns;
        return gather(line, FTDI_PAYLOAD, now_ns);
    }
    line->ftdi_due_ns = now_ns + latency_ns;
    return gather(line, FTDI_PAYLOAD, now_ns);
}

static size_t next_chunk(struct line *line, int64_t now_ns)
{
    const struct line_faults *faults = &line->faults[LINE_TO_HOST];
    if (line->is_faulty[LINE_TO_HOST] && line_fault_is_on(faults, LINE_FAULT_FTDI, now_ns / 1000))
        return gather_ftdi(line, faults->faults[LINE_FAULT_FTDI].span_us * 1000, now_ns);
    switch (line->config.chunks) {
    case LINE_CHUNKS_BYTE:
        return gather(line, 1, now_ns);
    case LINE_CHUNKS_FTDI:
        return gather_ftdi(line, FTDI_LATENCY_NS, now_ns);
    case LINE_CHUNKS_FRAME:
        break;
    }
    if (line->frame_count == 0 || front(line)->end_ns > now_ns)
        return 0;
    return gather(line, front(line)->size - line->front_taken, now_ns);
}

/* The next chunk after the faults: all that has arrived is held for as long as they want. */
static size_t next_faulty(struct line *line, int64_t now_us)
{
    struct line_faults *faults = &line->faults[LINE_TO_HOST];
    uint64_t *counts = line->stats.faults;
    int64_t due_us;
    line_fault_greet(faults, now_us, counts);
    for (size_t size; (size = next_chunk(line, now_us * 1000)) > 0;) {
        counts[LINE_FAULT_FTDI] += line_fault_is_on(faults, LINE_FAULT_FTDI, now_us);
        line->stats.fault_overruns +=
            !line_fault_hold(faults, line->chunk, size, now_us, now_us, counts);
    }
    size_t most = line->to_capacity < CHUNK_MAX ? line->to_capacity : CHUNK_MAX;
    size_t size = line_fault_pass(faults, line->chunk, most, now_us, &due_us);
    if (size == 0)
        line->is_faulty[LINE_TO_HOST] = line_faults_is_busy(faults, now_us);
    return size;
}

bool line_to_host(struct line *line, const uint8_t **bytes, size_t *size, int64_t now_us)
{
    if (!line->is_host) {
        discard_unheard(line, now_us * 1000);
        return false;
    }
    *size =
        line->is_faulty[LINE_TO_HOST] ? next_faulty(line, now_us) : next_chunk(line, now_us * 1000);
    if (*size == 0)
        return false;
    *size = line_misread(line, LINE_TO_HOST, line->chunk, *size, bytes);
    line->stats.to_host_bytes += *size;
    line->stats.hash = hash_bytes(line->stats.hash, &now_us, sizeof now_us);
    line->stats.hash = hash_bytes(line->stats.hash, *bytes, *size);
    return true;
}

/* ---- Both ---- */

void line_set_host(struct line *line, bool present)
{
    line->is_host = present;
    for (int way = 0; way < LINE_WAYS; way++)
        line->faults[way].has_greeted = !present || !line->is_faulty[way];
    if (!present)
        line_hold_clear(&line->faults[LINE_TO_HOST].hold);
}

void line_set_host_baud(struct line *line, uint32_t baud)
{
    line->host_baud = baud;
}

void line_set_fault(struct line *line, enum line_way way, enum line_fault_kind kind,
                    const struct line_fault *fault)
{
    if (!line->is_faulty[way])
        line->faults[way].has_greeted = true; // whoever is there has come before
    line->faults[way].faults[kind] = *fault;
    line->is_faulty[way] = true;
}

void line_clear_faults(struct line *line)
{
    for (int way = 0; way < LINE_WAYS; way++)
        memset(line->faults[way].faults, 0, sizeof line->faults[way].faults);
}

void line_reset(struct line *line, int64_t now_us)
{
    for (int way = 0; way < LINE_WAYS; way++)
        line_hold_clear(&line->faults[way].hold);
    line->host_frame_size = 0;
    line->from_size = 0;
    line->to_size = 0;
    line->frame_count = 0;
    line->front_taken = 0;
    line->to_free_ns = now_us * 1000;
}

const struct line_stats *line_stats(const struct line *line)
{
    return &line->stats;
}
