/* Faults of one direction of a wire: bytes lost, changed, doubled, added, read at a wrong baud, and
 * frames that come late, in pieces or not at all for a while. Which byte is hit is a pure function
 * of the key, the kind and the byte's number, so one fault does not change what another hits.
 * Pacing is done by the line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum line_fault_kind {
    LINE_FAULT_DROP,
    LINE_FAULT_FLIP,      /* one bit */
    LINE_FAULT_DUPLICATE, /* a byte, or a frame, twice */
    LINE_FAULT_INSERT,    /* a random byte */
    LINE_FAULT_DELAY,     /* a frame comes late, and so does all behind it */
    LINE_FAULT_SPLIT,     /* a frame in two pieces with a gap */
    LINE_FAULT_FTDI,      /* to the host: as LINE_CHUNKS_FTDI cuts it */
    LINE_FAULT_STALL,     /* nothing passes until it ends, then all */
    LINE_FAULT_GARBAGE,   /* random bytes as soon as a host comes */
    LINE_FAULT_BAUD,      /* read at another baud */
    LINE_FAULT_KINDS,
};

/* What a UART reports of bytes that such a fault hit, an enum serial_error; 0: nothing. Chosen: of
 * bits turned over an even number would pass the parity, and none of our robots uses it. */
unsigned line_fault_error(enum line_fault_kind kind);

enum line_way { LINE_TO_HOST, LINE_TO_ROBOT, LINE_WAYS };

/* What one kind does from now on. Each kind uses the members that it needs. */
struct line_fault {
    double rate;       /* of bytes or frames, 0..1 */
    bool is_by_frame;  /* RATE is of frames: the whole frame, or one byte of it, is hit */
    int64_t until_us;  /* over from then on */
    int64_t span_us;   /* delay, gap or latency */
    uint32_t quantity; /* bytes of garbage, or the baud at which the bytes are read */
};

/* Chosen: ten seconds of Kobuki packets; further ones are joined to the last. */
enum { LINE_HOLD_CHUNKS = 512 };

/* Chunks of bytes that wait for their time, in order. */
struct line_hold {
    uint8_t *bytes; /* ring */
    size_t capacity, head, size;
    struct line_held {
        int64_t due_us;
        size_t size;
    } * chunks; /* LINE_HOLD_CHUNKS */
    size_t first, count;
};

struct line_faults {
    struct line_fault faults[LINE_FAULT_KINDS];
    uint64_t keys[LINE_FAULT_KINDS];
    uint64_t chunk, garbage; /* numbers of chunks timed and bytes made up so far */
    bool has_greeted;        /* the present host had its garbage */
    uint32_t baud;           /* of the wire; 0: none */
    unsigned baud_errors; /* enum serial_error of what was read at a wrong baud, for the caller */
    struct line_hold hold;
    uint8_t *scratch; /* a frame and what becomes of it */
    size_t scratch_size;
};

/* FRAME_MAX: bytes of the largest frame; HOLD: bytes to be held back at most. Its room is the
 * caller's, line_faults_room bytes aligned as malloc does it, and not touched before a fault is on.
 */
size_t line_faults_room(size_t frame_max, size_t hold);
void line_faults_init(struct line_faults *faults, uint64_t rng_key, enum line_way way,
                      uint32_t baud, size_t frame_max, size_t hold, uint8_t *room);

bool line_fault_is_on(const struct line_faults *faults, enum line_fault_kind kind, int64_t now_us);

/* Whether bytes must pass through here: a fault is on, or bytes are held. */
bool line_faults_is_busy(const struct line_faults *faults, int64_t now_us);

/* Applies the faults to a frame. BYTE_NUMBER and FRAME_NUMBER count what was sent before it, in
 * this direction since the start. Returns the new size; OUT is valid until the next call. COUNTS
 * (LINE_FAULT_KINDS) grow by what was hit. */
size_t line_fault_damage(struct line_faults *faults, const uint8_t *bytes, size_t size,
                         uint64_t byte_number, uint64_t frame_number, int64_t now_us,
                         const uint8_t **out, uint64_t *counts);

/* Holds a chunk from AT_US on for as long as the faults say. False: the hold is full, and bytes of
 * the chunk are lost. */
bool line_fault_hold(struct line_faults *faults, const uint8_t *bytes, size_t size, int64_t at_us,
                     int64_t now_us, uint64_t *counts);

/* Takes up to MOST bytes of the first chunk, if it is due by NOW_US. DUE_US: when it was. Returns
 * how many. */
size_t line_fault_pass(struct line_faults *faults, uint8_t *out, size_t most, int64_t now_us,
                       int64_t *due_us);

/* Throws away what is held. */
void line_fault_drop_held(struct line_faults *faults);

/* Garbage for a host that has just come, held like a chunk. Does nothing on later calls. */
void line_fault_greet(struct line_faults *faults, int64_t now_us, uint64_t *counts);

/* A faster reader finds fewer start bits than this in the ten bits of a byte. */
enum { LINE_RESAMPLE_GROWTH = 6 };

/* What a UART at TO baud reads of bytes sent at FROM baud, 8N1, from an idle line to an idle line.
 * Bytes with a wrong stop bit are kept, as Linux keeps them by default; ERRORS (enum serial_error)
 * then gets what the UART reports. Returns the size, at most CAP. */
size_t line_resample(const uint8_t *bytes, size_t size, uint32_t from, uint32_t to, uint8_t *out,
                     size_t cap, unsigned *errors);
