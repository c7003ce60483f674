/* The simulated wire of one channel, in simulated time: what a firmware sends leaves at the baud
 * rate, and what a host writes arrives at it. It owns the queues in both directions. Everything
 * that a host receives comes out here, so the bytes of a run are decided here and nowhere later. */
#ifndef PTYBOT_SIM_WIRE_LINE_H
#define PTYBOT_SIM_WIRE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/wire/line_fault.h"

/* How bytes to the host are cut into writes. */
enum line_chunks {
    LINE_CHUNKS_FRAME, /* a frame in one write, when its last byte would have arrived */
    LINE_CHUNKS_BYTE,  /* each byte when it arrives (within a step) */
    LINE_CHUNKS_FTDI,  /* 62-byte USB payloads and a 16 ms latency timer */
};

struct line_config {
    uint32_t baud;    /* 0: no pacing */
    size_t frame_max; /* largest frame to the host, bytes */
    enum line_chunks chunks;
    bool garble; /* with a wrong baud at the host both sides read garbage */
    uint64_t rng_key;
};

struct line_stats {
    uint64_t to_host_bytes, to_host_frames; /* handed to a present host */
    uint64_t from_host_bytes;               /* arrived at the robot */
    uint64_t overruns;                      /* frames refused because the queue was full */
    uint64_t unheard_frames;                /* ended while no host was there */
    uint64_t hash;                          /* of all bytes to the host and their times */
    uint64_t faults[LINE_FAULT_KINDS];      /* bytes, frames or chunks that each kind hit */
    uint64_t fault_overruns;                /* chunks lost because too much was held back */
};

struct line;

/* NULL where memory is short. */
struct line *line_create(const struct line_config *config);
void line_destroy(struct line *line);

/* A host came or went. What it wrote before it left still arrives, as on a real UART, whose close
 * drains; frames of the firmware keep their times, and nobody hears them. */
void line_set_host(struct line *line, bool present);

/* The baud that the host set; 0: unknown, treated as right. */
void line_set_host_baud(struct line *line, uint32_t baud);

uint32_t line_host_baud(const struct line *line);

/* The robot's UART goes on at another baud, not 0. What is on the wire already keeps its times. */
void line_set_baud(struct line *line, uint32_t baud);

/* Whether both sides read garbage now, since their bauds differ. */
bool line_is_misread(const struct line *line);

/* Host to robot: room for more bytes, then the bytes themselves. SIZE is at most the room. */
size_t line_room(const struct line *line);
void line_host_bytes(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us);

/* Takes the bytes whose last bit has reached the robot by NOW_US. Returns how many, at most CAP. */
size_t line_to_robot(struct line *line, uint8_t *out, size_t cap, int64_t now_us);

/* Robot to host: queues a whole frame. Where there is no room, counts it and returns false. */
bool line_frame(struct line *line, const uint8_t *bytes, size_t size, int64_t now_us);

/* Bytes queued towards the host: of frames that are on the wire or wait for it, and of chunks
 * that have arrived and were not taken. A frame counts whole until it ends. */
size_t line_queued(const struct line *line, int64_t now_us);

/* The next chunk that has wholly arrived at the host by NOW, or false. The bytes stay valid until
 * the next call on this line. Nothing comes out while no host is there. */
bool line_to_host(struct line *line, const uint8_t **bytes, size_t *size, int64_t now_us);

/* What the host's UART has found wrong with what came since the last call: enum serial_error. */
unsigned line_take_errors(struct line *line);

/* Empties both directions: the cable was pulled, or the robot's power cut. */
void line_reset(struct line *line, int64_t now_us);

/* Puts a fault on one direction, in place of one of its kind there. Of a host's bytes, all
 * that came since the last line_to_robot is one frame. */
void line_set_fault(struct line *line, enum line_way way, enum line_fault_kind kind,
                    const struct line_fault *fault);
/* The fault of that kind that is on in one direction, or NULL. */
const struct line_fault *line_fault_of(const struct line *line, enum line_way way,
                                       enum line_fault_kind kind, int64_t now_us);
/* Ends all faults. What they hold back still comes at its time; what a stall holds comes now. */
void line_clear_faults(struct line *line);

const struct line_stats *line_stats(const struct line *line);

#endif
