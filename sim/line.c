/* The simulated wire: two byte queues paced by the baud rate, and the cutting of frames into the
 * chunks that a host reads. Times are kept in nanoseconds so that pacing does not drift. */
#include "sim/line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "protocols/rng.h"

enum {
    BITS_PER_BYTE = 10,   /* 8N1: start bit, eight data bits, stop bit */
    FROM_HOST_MAX = 4096, /* chosen: what a Linux tty buffers; a host that writes more than the wire
                           * carries is held back by its own write, as on a real UART */
    FRAMES_MAX = 64,      /* chosen: over a second of Kobuki packets, far more than ever waits */
    QUEUE_FRAMES = 4,     /* chosen: room for this many of the largest frames ... */
    QUEUE_MIN = 4096,     /* ... and never less than this */
    FTDI_PAYLOAD = 62, /* data bytes of a 64-byte USB packet of an FT232R, after two status bytes */
};

/* FTDI's default latency timer, ms to ns (FTDI AN232B-04). */
#define FTDI_LATENCY_NS 16000000

struct queued_frame {
    int64_t end_ns; /* when its last bit has arrived at the host */
    size_t size;
};

struct line {
    struct line_config config;
    struct line_stats stats;
    bool is_host;
    uint32_t host_baud;
    int64_t byte_ns;
    uint64_t garbled; /* bytes garbled so far: the counter of the random stream */

    uint8_t from_host[FROM_HOST_MAX];
    size_t from_head, from_size;
    int64_t from_free_ns; /* the wire towards the robot is busy until then */

    uint8_t *to_host; /* ring of queued bytes */
    size_t to_capacity, to_head, to_size;
    struct queued_frame frames[FRAMES_MAX];
    size_t frame_head, frame_count;
    size_t front_taken; /* bytes of the front frame already given out */
    int64_t to_free_ns;
    int64_t ftdi_due_ns;
    uint8_t *chunk; /* what line_to_host handed out last */
};

struct line *line_create(const struct line_config *config)
{
    assert(config->frame_max > 0);
    struct line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    line->config = *config;
    line->stats.hash = RNG_HASH_START;
    line->byte_ns = config->baud ? BITS_PER_BYTE * INT64_C(1000000000) / config->baud : 0;
    line->to_capacity = config->frame_max * QUEUE_FRAMES;
    if (line->to_capacity < QUEUE_MIN)
        line->to_capacity = QUEUE_MIN;
    line->to_host = malloc(line->to_capacity);
    line->chunk = malloc(line->to_capacity);
    if (!line->to_host || !line->chunk) {
        line_destroy(line);
        return NULL;
    }
    return line;
}

void line_destroy(struct line *line)
{
    if (!line)
        return;
    free(line->to_host);
    free(line->chunk);
    free(line);
}

static bool is_garbled(const struct line *line)
{
    return line->config.garble && line->host_baud != 0 && line->host_baud != line->config.baud;
}

/* A receiver at another baud samples the wrong bits: what it reads has nothing to do with what
 * was sent. Approximated byte for byte. */
static void garble(struct line *line, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)rng_u64(line->config.rng_key, line->garbled++);
}

/* ---- Robot to host ---- */

static struct queued_frame *front(struct line *line)
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
        line->frame_head = (line->frame_head + 1) % FRAMES_MAX;
        line->frame_count--;
        line->front_taken = 0;
    }
}

/* Bytes of the front frame that have arrived and are not taken. */
static size_t arrived_of_front(struct line *line, int64_t now_ns)
{
    const struct queued_frame *frame = front(line);
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
    if (!line->is_host)
        discard_unheard(line, now_ns);
    if (line->frame_count == FRAMES_MAX || line->to_capacity - line->to_size < size) {
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
    size_t slot = (line->frame_head + line->frame_count++) % FRAMES_MAX;
    line->frames[slot] = (struct queued_frame){.end_ns = line->to_free_ns, .size = size};
    return true;
}

size_t line_queued(const struct line *line, int64_t now_us)
{
    if (line->is_host)
        return line->to_size;
    // Unheard frames are thrown away late: count only what is still on its way.
    size_t size = 0;
    for (size_t i = 0; i < line->frame_count; i++) {
        const struct queued_frame *frame = &line->frames[(line->frame_head + i) % FRAMES_MAX];
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
        const struct queued_frame *frame = &line->frames[(line->frame_head + i) % FRAMES_MAX];
        if (frame->end_ns > now_ns)
            return size + (i == 0 ? arrived_of_front(line, now_ns) : 0);
        size += frame->size - (i == 0 ? line->front_taken : 0);
    }
    return size;
}

/* An FTDI chip sends a USB packet when it is full, or what there is when its timer fires. */
static size_t gather_ftdi(struct line *line, int64_t now_ns)
{
    size_t arrived = arrived_in_all(line, now_ns);
    if (arrived < FTDI_PAYLOAD) {
        if (now_ns < line->ftdi_due_ns)
            return 0;
        line->ftdi_due_ns += FTDI_LATENCY_NS;
        if (line->ftdi_due_ns <= now_ns)
            line->ftdi_due_ns = now_ns + FTDI_LATENCY_NS;
        return gather(line, FTDI_PAYLOAD, now_ns);
    }
    line->ftdi_due_ns = now_ns + FTDI_LATENCY_NS;
    return gather(line, FTDI_PAYLOAD, now_ns);
}

static size_t next_chunk(struct line *line, int64_t now_ns)
{
    switch (line->config.chunks) {
    case LINE_CHUNKS_BYTE:
        return gather(line, 1, now_ns);
    case LINE_CHUNKS_FTDI:
        return gather_ftdi(line, now_ns);
    case LINE_CHUNKS_FRAME:
        break;
    }
    if (line->frame_count == 0 || front(line)->end_ns > now_ns)
        return 0;
    return gather(line, front(line)->size - line->front_taken, now_ns);
}

bool line_to_host(struct line *line, const uint8_t **bytes, size_t *size, int64_t now_us)
{
    if (!line->is_host) {
        discard_unheard(line, now_us * 1000);
        return false;
    }
    *size = next_chunk(line, now_us * 1000);
    if (*size == 0)
        return false;
    if (is_garbled(line))
        garble(line, line->chunk, *size);
    *bytes = line->chunk;
    line->stats.to_host_bytes += *size;
    line->stats.hash = rng_hash(line->stats.hash, &now_us, sizeof now_us);
    line->stats.hash = rng_hash(line->stats.hash, line->chunk, *size);
    return true;
}

/* ---- Host to robot ---- */

size_t line_room(const struct line *line)
{
    return FROM_HOST_MAX - line->from_size;
}

void line_host_bytes(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    assert(size <= line_room(line));
    if (line->from_size == 0 && line->from_free_ns < now_us * 1000)
        line->from_free_ns = now_us * 1000;
    for (size_t i = 0; i < size; i++)
        line->from_host[(line->from_head + line->from_size + i) % FROM_HOST_MAX] = bytes[i];
    line->from_size += size;
}

size_t line_to_robot(struct line *line, uint8_t *out, size_t cap, int64_t now_us)
{
    size_t size = 0;
    while (size < cap && line->from_size > 0 &&
           line->from_free_ns + line->byte_ns <= now_us * 1000) {
        line->from_free_ns += line->byte_ns;
        out[size++] = line->from_host[line->from_head];
        line->from_head = (line->from_head + 1) % FROM_HOST_MAX;
        line->from_size--;
    }
    if (is_garbled(line))
        garble(line, out, size);
    line->stats.from_host_bytes += size;
    return size;
}

/* ---- Both ---- */

void line_set_host(struct line *line, bool present)
{
    line->is_host = present;
}

void line_set_host_baud(struct line *line, uint32_t baud)
{
    line->host_baud = baud;
}

void line_reset(struct line *line, int64_t now_us)
{
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
