/* The simulated wire of one channel, in simulated time: bytes in both directions are transmitted at
 * the baud rate. It owns the queues in both directions. All bytes that a driver receives leave
 * through this module, and no later code changes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/wire/line_fault.h"

/* How bytes to the driver are divided into writes. */
enum line_chunks {
    LINE_CHUNKS_FRAME, /* a frame in one write, when its last byte would have arrived */
    LINE_CHUNKS_BYTE,  /* each byte when it arrives (within a step) */
    LINE_CHUNKS_FTDI,  /* 62-byte USB payloads and a 16 ms latency timer */
};

struct line_config {
    uint32_t baud;    /* 0: no transmission time */
    size_t frame_max; /* largest frame to the driver, bytes */
    enum line_chunks chunks;
    bool garble; /* if the driver has a wrong baud rate, both sides receive garbage */
    uint64_t rng_key;
};

struct line_stats {
    uint64_t to_host_bytes, to_host_frames; /* delivered to a connected driver */
    uint64_t from_host_bytes;               /* arrived at the robot */
    uint64_t overruns;                      /* frames refused because the queue was full */
    uint64_t unheard_frames;                /* frames that ended while no driver was connected */
    uint64_t hash;                          /* of all bytes to the driver and their times */
    uint64_t faults[LINE_FAULT_KINDS];      /* bytes, frames or chunks affected by each kind */
    uint64_t fault_overruns;                /* chunks lost because too many bytes were held back */
};

struct line;

/* NULL: out of memory. */
struct line *line_create(const struct line_config *config);
void line_destroy(struct line *line);

/* A driver connected or disconnected. Bytes that it wrote before still arrive, because close() of a
 * real UART drains. Frames of the firmware keep their times and are lost. */
void line_set_host(struct line *line, bool present);

/* The baud rate that the driver set; 0: unknown, treated as correct. */
void line_set_host_baud(struct line *line, uint32_t baud);

uint32_t line_host_baud(const struct line *line);

/* Changes the baud rate of the robot's UART; not 0. Bytes already on the wire keep their times. */
void line_set_baud(struct line *line, uint32_t baud);

/* Whether both sides receive garbage now, because their baud rates differ. */
bool line_is_misread(const struct line *line);

/* Driver to robot: room for more bytes, then the bytes themselves. SIZE is at most the room. */
size_t line_room(const struct line *line);
void line_host_bytes(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us);

/* Takes the bytes whose last bit has reached the robot by NOW_US. Returns their number, at most
 * CAP. */
size_t line_to_robot(struct line *line, uint8_t *out, size_t cap, int64_t now_us);

/* Robot to driver: queues a whole frame. Without room, counts an overrun and returns false. */
bool line_frame(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us);

/* Bytes queued to the driver: frames that are on the wire or wait for it, and chunks that have
 * arrived and were not taken. A frame counts with all its bytes until it ends. */
size_t line_queued(const struct line *line, int64_t now_us);

/* The next chunk that has completely arrived at the driver by NOW_US; false: none. The bytes are
 * valid until the next call on this line. Always false while no driver is connected. */
bool line_to_host(struct line *line, const uint8_t **bytes, size_t *size, int64_t now_us);

/* Errors that the driver's UART has detected since the last call: enum serial_error. */
unsigned line_take_errors(struct line *line);

/* Empties both directions: the cable was unplugged, or the robot lost power. */
void line_reset(struct line *line, int64_t now_us);

/* Sets a fault on one direction; it replaces a fault of the same kind. All bytes of a driver since
 * the last line_to_robot count as one frame. */
void line_set_fault(struct line *line, enum line_way way, enum line_fault_kind kind,
                    const struct line_fault *fault);
/* The active fault of that kind in one direction, or NULL. */
const struct line_fault *line_fault_of(const struct line *line, enum line_way way,
                                       enum line_fault_kind kind, int64_t now_us);
/* Ends all faults. Delayed bytes still arrive at their time; bytes held by a stall arrive now. */
void line_clear_faults(struct line *line);

const struct line_stats *line_stats(const struct line *line);
