/* The simulated wire: queues in both directions, limited by the baud rate, and the division of
 * frames into the chunks that a driver reads. Times are in nanoseconds, so that transmission times
 * do not drift. */
#include "sim/wire/line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

enum {
    BITS_PER_BYTE = 10, /* 8N1: start bit, eight data bits, stop bit */
    QUEUE_FRAMES = 4,   /* chosen: room for this many of the largest frames ... */
    QUEUE_MIN = 4096,   /* ... but at least this */
    FTDI_PAYLOAD = 62, /* data bytes of a 64-byte USB packet of an FT232R, after two status bytes */
    HOLD_MIN = 32768,  /* chosen: at most eight seconds of Kobuki packets are held back */
    CHUNK_MAX = 65536, /* chosen: the amount that a byte link accepts at once */
    FRAMES_MAX = 64,   /* chosen: over a second of Kobuki packets, far more than ever wait */
    /* Chosen: the buffer size of a Linux tty. A driver that writes more than the wire can transmit
     * is blocked by its own write, as on a real UART. */
    FROM_HOST_MAX = 4096,
    /* Chosen: first position in its ring, so that a few commands are just before the struct, and a
     * packet just after it. A line with little traffic thus uses two memory pages. */
    FROM_HOST_START = FROM_HOST_MAX - 256,
    STEP_US = 1000, /* bytes that a fault held back enter the wire at most one step in the past */
};

/* FTDI's default latency timer, ms to ns (FTDI AN232B-04). */
#define FTDI_LATENCY_NS 16000000

struct frame_end {
    int64_t end_ns; /* time when its last bit has arrived at the driver */
    size_t size;
};

struct line {
    struct line_config config;
    struct line_stats stats;
    bool is_host;
    uint32_t host_baud;
    int64_t byte_ns;

    uint8_t *from_host; /* a ring of FROM_HOST_MAX bytes */
    size_t from_head, from_size;
    int64_t from_free_ns; /* the wire towards the robot is busy until then */

    uint8_t *to_host; /* a ring of queued bytes */
    size_t to_capacity, to_head, to_size;
    struct frame_end frames[FRAMES_MAX];
    size_t frame_head, frame_count;
    size_t front_taken; /* bytes of the front frame that were already taken */
    int64_t to_free_ns;
    int64_t ftdi_due_ns;
    const uint8_t *chunk; /* the last chunk taken, in TO_HOST or in WHOLE */
    uint8_t *whole;       /* room for a chunk of TO_CAPACITY bytes */
    uint8_t *heard; /* bytes as read by a receiver with another baud rate; NULL: the baud rate is
                       not checked */
    size_t heard_size;

    struct line_faults faults[LINE_WAYS];
    bool is_faulty[LINE_WAYS];        /* the bytes in this direction are passed to the faults */
    unsigned errors;                  /* of faults, returned by line_take_errors */
    uint64_t sent_bytes, sent_frames; /* by the firmware, including refused ones */
    uint64_t host_bytes, host_frames; /* by the driver; a frame: all bytes of a step */
    bool has_host_frame;              /* a frame has begun */
    uint8_t *host_frame; /* FROM_HOST_MAX bytes: the frame, if faults need it as a whole */
    size_t host_frame_size;
    int64_t host_frame_us;
};

/* Sizes of the buffers of a line. */
struct rooms {
    size_t queue, hold, heard, faults[LINE_WAYS];
};

static struct rooms rooms_of(const struct line_config *config)
{
    struct rooms rooms = {.queue = config->frame_max * QUEUE_FRAMES};
    if (rooms.queue < QUEUE_MIN)
        rooms.queue = QUEUE_MIN;
    rooms.hold = rooms.queue > HOLD_MIN ? rooms.queue : HOLD_MIN;
    if (config->garble) {
        size_t most = rooms.queue > FROM_HOST_MAX ? rooms.queue : FROM_HOST_MAX;
        rooms.heard =
            most * LINE_RESAMPLE_GROWTH < CHUNK_MAX ? most * LINE_RESAMPLE_GROWTH : CHUNK_MAX;
    }
    rooms.faults[LINE_TO_HOST] = line_faults_room(config->frame_max, rooms.hold);
    rooms.faults[LINE_TO_ROBOT] = line_faults_room(FROM_HOST_MAX, rooms.hold);
    return rooms;
}

static size_t aligned(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static uint8_t *take_room(uint8_t **at, size_t size)
{
    uint8_t *room = *at;
    *at += aligned(size);
    return room;
}

struct line *line_create(const struct line_config *config)
{
    assert(config->frame_max > 0);
    const struct rooms rooms = rooms_of(config);
    // One allocation for all, because most of it is used with faults only: unused pages take no
    // physical memory.
    uint8_t *from_host =
        calloc(1, aligned(sizeof(struct line)) + 2 * aligned(rooms.queue) +
                      2 * aligned(FROM_HOST_MAX) + aligned(rooms.heard) +
                      aligned(rooms.faults[LINE_TO_HOST]) + aligned(rooms.faults[LINE_TO_ROBOT]));
    if (!from_host)
        return NULL;
    struct line *line = (struct line *)(from_host + aligned(FROM_HOST_MAX));
    uint8_t *at = (uint8_t *)line + aligned(sizeof *line);
    line->from_host = from_host;
    line->from_head = FROM_HOST_START;
    line->config = *config;
    line->stats.hash = HASH_START;
    line->byte_ns = config->baud ? BITS_PER_BYTE * INT64_C(1000000000) / config->baud : 0;
    line->to_capacity = rooms.queue;
    line->to_host = take_room(&at, rooms.queue);
    line->whole = take_room(&at, rooms.queue);
    line->host_frame = take_room(&at, FROM_HOST_MAX);
    line->heard_size = rooms.heard;
    line->heard = rooms.heard ? take_room(&at, rooms.heard) : NULL;
    for (int way = 0; way < LINE_WAYS; way++)
        line_faults_init(&line->faults[way], config->rng_key, (enum line_way)way, config->baud,
                         way == LINE_TO_HOST ? config->frame_max : FROM_HOST_MAX, rooms.hold,
                         take_room(&at, rooms.faults[way]));
    return line;
}

void line_destroy(struct line *line)
{
    if (line)
        free(line->from_host);
}

bool line_is_misread(const struct line *line)
{
    uint32_t robot = line->config.baud, host = line->host_baud;
    return line->heard && robot != 0 && host != 0 && host != robot;
}

/* The bytes that a receiver reads with a baud rate other than the sender's. OUT is valid until the
 * next call. It is BYTES if the baud rates are equal or not checked. Returns the size. */
static size_t misread(struct line *line, enum line_way way, const uint8_t *bytes, size_t size,
                      const uint8_t **out)
{
    uint32_t robot = line->config.baud, host = line->host_baud;
    *out = bytes;
    if (!line_is_misread(line))
        return size;
    *out = line->heard;
    return line_resample(bytes, size, way == LINE_TO_HOST ? robot : host,
                         way == LINE_TO_HOST ? host : robot, line->heard, line->heard_size,
                         &line->faults[way].baud_errors);
}

/* ---- Robot to driver ---- */

/* Stores the UART errors of the faults that occurred since BEFORE. */
static void note_errors(struct line *line, const uint64_t before[LINE_FAULT_KINDS])
{
    for (int kind = 0; kind < LINE_FAULT_KINDS; kind++)
        if (line->stats.faults[kind] != before[kind])
            line->errors |= line_fault_error((enum line_fault_kind)kind);
}

unsigned line_take_errors(struct line *line)
{
    unsigned errors = line->errors | line->faults[LINE_TO_HOST].baud_errors;
    line->errors = line->faults[LINE_TO_HOST].baud_errors = 0;
    return errors;
}

static struct frame_end *front(struct line *line)
{
    return &line->frames[line->frame_head];
}

/* Removes SIZE bytes from the front frame. When its last byte is removed, the frame is removed
 * too. */
static void take(struct line *line, size_t size)
{
    line->to_size -= size;
    // An empty ring starts at its first byte again, so that few of its memory pages are ever used.
    line->to_head = line->to_size ? (line->to_head + size) % line->to_capacity : 0;
    line->front_taken += size;
    if (line->front_taken == front(line)->size) {
        line->frame_head = (line->frame_head + 1) % FRAMES_MAX;
        line->frame_count--;
        line->front_taken = 0;
    }
}

/* Bytes of the front frame that have arrived and have not been taken. */
static size_t arrived_of_front(struct line *line, int64_t now_ns)
{
    const struct frame_end *frame = front(line);
    int64_t left_ns = frame->end_ns - now_ns;
    if (left_ns <= 0)
        return frame->size - line->front_taken;
    size_t missing = (size_t)((left_ns + line->byte_ns - 1) / line->byte_ns);
    return missing + line->front_taken >= frame->size ? 0
                                                      : frame->size - line->front_taken - missing;
}

/* Frames that ended while no driver was connected are lost. */
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
    if (line->is_faulty[LINE_TO_HOST]) {
        uint64_t before[LINE_FAULT_KINDS];
        memcpy(before, line->stats.faults, sizeof before);
        size = line_fault_damage(&line->faults[LINE_TO_HOST], bytes, size, byte_number,
                                 frame_number, now_us, &bytes, line->stats.faults);
        note_errors(line, before);
    }
    if (size == 0)
        return true;
    if (!line->is_host)
        discard_unheard(line, now_ns);
    if (line->frame_count == FRAMES_MAX || line->to_capacity - line->to_size < size) {
        line->stats.overruns++;
        return false;
    }

    // Append to the queue, in two parts if the ring wraps.
    size_t tail = (line->to_head + line->to_size) % line->to_capacity;
    size_t straight = line->to_capacity - tail < size ? line->to_capacity - tail : size;
    memcpy(line->to_host + tail, bytes, straight);
    memcpy(line->to_host, bytes + straight, size - straight);
    line->to_size += size;

    // The frame starts when the wire is free, and needs the transmission time of its bytes.
    if (line->to_free_ns < now_ns)
        line->to_free_ns = now_ns;
    line->to_free_ns += (int64_t)size * line->byte_ns;
    size_t slot = (line->frame_head + line->frame_count++) % FRAMES_MAX;
    line->frames[slot] = (struct frame_end){.end_ns = line->to_free_ns, .size = size};
    return true;
}

size_t line_queued(const struct line *line, int64_t now_us)
{
    if (line->is_host)
        return line->to_size;
    // Lost frames are discarded later, so count only frames that are still being transmitted.
    size_t size = 0;
    for (size_t i = 0; i < line->frame_count; i++) {
        const struct frame_end *frame = &line->frames[(line->frame_head + i) % FRAMES_MAX];
        if (frame->end_ns > now_us * 1000)
            size += frame->size;
    }
    return size;
}

/* Takes up to MOST arrived bytes as the chunk, across frames. */
static size_t gather(struct line *line, size_t most, int64_t now_ns)
{
    size_t size = 0, from = line->to_head;
    while (size < most && line->frame_count > 0) {
        size_t part = arrived_of_front(line, now_ns);
        if (part == 0)
            break;
        if (part > most - size)
            part = most - size;
        bool ends = part + line->front_taken == front(line)->size;
        size += part;
        take(line, part);
        line->stats.to_host_frames += ends;
    }
    // The bytes stay in the ring; they are copied only if the ring wraps.
    line->chunk = line->to_host + from;
    size_t straight = line->to_capacity - from;
    if (size > straight) {
        memcpy(line->whole, line->to_host + from, straight);
        memcpy(line->whole + straight, line->to_host, size - straight);
        line->chunk = line->whole;
    }
    return size;
}

static size_t arrived_in_all(struct line *line, int64_t now_ns)
{
    size_t size = 0;
    for (size_t i = 0; i < line->frame_count; i++) {
        const struct frame_end *frame = &line->frames[(line->frame_head + i) % FRAMES_MAX];
        if (frame->end_ns > now_ns)
            return size + (i == 0 ? arrived_of_front(line, now_ns) : 0);
        size += frame->size - (i == 0 ? line->front_taken : 0);
    }
    return size;
}

/* An FTDI chip sends a USB packet when the packet is full or its timer expires. */
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

/* The next chunk after the faults, which may hold arrived bytes back. */
static size_t next_faulty(struct line *line, int64_t now_us)
{
    struct line_faults *faults = &line->faults[LINE_TO_HOST];
    uint64_t *counts = line->stats.faults, before[LINE_FAULT_KINDS];
    int64_t due_us;
    memcpy(before, counts, sizeof before);
    line_fault_greet(faults, now_us, counts);
    note_errors(line, before);
    for (size_t size; (size = next_chunk(line, now_us * 1000)) > 0;) {
        counts[LINE_FAULT_FTDI] += line_fault_is_on(faults, LINE_FAULT_FTDI, now_us);
        line->stats.fault_overruns +=
            !line_fault_hold(faults, line->chunk, size, now_us, now_us, counts);
    }
    size_t most = line->to_capacity < CHUNK_MAX ? line->to_capacity : CHUNK_MAX;
    size_t size = line_fault_pass(faults, line->whole, most, now_us, &due_us);
    line->chunk = line->whole;
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
    *size = misread(line, LINE_TO_HOST, line->chunk, *size, bytes);
    line->stats.to_host_bytes += *size;
    line->stats.hash = hash_bytes(line->stats.hash, &now_us, sizeof now_us);
    line->stats.hash = hash_bytes(line->stats.hash, *bytes, *size);
    return true;
}

/* ---- Driver to robot ---- */

size_t line_room(const struct line *line)
{
    size_t used = line->from_size + line->host_frame_size + line->faults[LINE_TO_ROBOT].hold.size;
    return used < FROM_HOST_MAX ? FROM_HOST_MAX - used : 0;
}

/* Puts bytes on the wire to the robot. */
static void send_to_robot(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    if (line->from_size == 0 && line->from_free_ns < now_us * 1000)
        line->from_free_ns = now_us * 1000;
    for (size_t i = 0; i < size; i++)
        line->from_host[(line->from_head + line->from_size + i) % FROM_HOST_MAX] = bytes[i];
    line->from_size += size;
}

void line_host_bytes(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us)
{
    assert(size <= line_room(line));
    line->host_frames += !line->has_host_frame;
    line->has_host_frame = true;
    line->host_bytes += size;
    if (!line->is_faulty[LINE_TO_ROBOT]) {
        send_to_robot(line, bytes, size, now_us);
        return;
    }
    if (line->host_frame_size == 0)
        line->host_frame_us = now_us;
    memcpy(line->host_frame + line->host_frame_size, bytes, size);
    line->host_frame_size += size;
}

/* Passes the driver's bytes to the faults, then puts their output on the wire. */
static void pass_faults(struct line *line, int64_t now_us)
{
    struct line_faults *faults = &line->faults[LINE_TO_ROBOT];
    uint64_t *counts = line->stats.faults;
    const uint8_t *bytes;
    uint8_t part[256];
    line_fault_greet(faults, now_us, counts);
    if (line->host_frame_size > 0) {
        size_t size = line_fault_damage(faults, line->host_frame, line->host_frame_size,
                                        line->host_bytes - line->host_frame_size,
                                        line->host_frames - 1, now_us, &bytes, counts);
        line->stats.fault_overruns +=
            !line_fault_hold(faults, bytes, size, line->host_frame_us, now_us, counts);
        line->host_frame_size = 0;
    }
    for (;;) {
        size_t room = FROM_HOST_MAX - line->from_size;
        int64_t due_us;
        size_t size =
            line_fault_pass(faults, part, room < sizeof part ? room : sizeof part, now_us, &due_us);
        if (size == 0)
            break;
        send_to_robot(line, part, size, due_us > now_us - STEP_US ? due_us : now_us - STEP_US);
    }
    line->is_faulty[LINE_TO_ROBOT] = line_faults_is_busy(faults, now_us);
}

size_t line_to_robot(struct line *line, uint8_t *out, size_t cap, int64_t now_us)
{
    size_t size = 0;
    if (line->is_faulty[LINE_TO_ROBOT])
        pass_faults(line, now_us);
    line->has_host_frame = false;
    while (size < cap && line->from_size > 0 &&
           line->from_free_ns + line->byte_ns <= now_us * 1000) {
        line->from_free_ns += line->byte_ns;
        out[size++] = line->from_host[line->from_head];
        line->from_size--;
        line->from_head = line->from_size ? (line->from_head + 1) % FROM_HOST_MAX : FROM_HOST_START;
    }
    if (size == 0)
        return 0; /* as in nearly all steps */
    const uint8_t *heard;
    size_t heard_size = misread(line, LINE_TO_ROBOT, out, size, &heard);
    if (heard != out) {
        size = heard_size < cap ? heard_size : cap; // like a receiver that overruns
        memcpy(out, heard, size);
    }
    line->stats.from_host_bytes += size;
    return size;
}

/* ---- Both directions ---- */

void line_set_host(struct line *line, bool present)
{
    line->is_host = present;
    for (int way = 0; way < LINE_WAYS; way++)
        line->faults[way].has_greeted = !present || !line->is_faulty[way];
    if (!present)
        line_fault_drop_held(&line->faults[LINE_TO_HOST]);
}

void line_set_baud(struct line *line, uint32_t baud)
{
    line->config.baud = baud;
    line->byte_ns = BITS_PER_BYTE * INT64_C(1000000000) / baud;
    for (int way = 0; way < LINE_WAYS; way++)
        line->faults[way].baud = baud;
}

void line_set_host_baud(struct line *line, uint32_t baud)
{
    line->host_baud = baud;
}

uint32_t line_host_baud(const struct line *line)
{
    return line->host_baud;
}

void line_set_fault(struct line *line, enum line_way way, enum line_fault_kind kind,
                    const struct line_fault *fault)
{
    if (!line->is_faulty[way])
        line->faults[way].has_greeted = true; // a host that is there came before the fault
    line->faults[way].faults[kind] = *fault;
    line->is_faulty[way] = true;
}

const struct line_fault *line_fault_of(const struct line *line, enum line_way way,
                                       enum line_fault_kind kind, int64_t now_us)
{
    const struct line_faults *faults = &line->faults[way];
    return line_fault_is_on(faults, kind, now_us) ? &faults->faults[kind] : NULL;
}

void line_clear_faults(struct line *line)
{
    for (int way = 0; way < LINE_WAYS; way++)
        memset(line->faults[way].faults, 0, sizeof line->faults[way].faults);
}

void line_reset(struct line *line, int64_t now_us)
{
    for (int way = 0; way < LINE_WAYS; way++)
        line_fault_drop_held(&line->faults[way]);
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
