/* The structure of frames in a byte stream, as data. One row per channel and direction feeds the
 * decoder, the dissectors for Wireshark, the window and the documentation. The virtual firmwares do
 * not use these rows: each has its own parser, because each protocol has its own quirks. The rows
 * describe the line as an observer reads it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

/* Checksum at the end of a frame. It covers the bytes from check_from up to itself. It has one
 * byte, in the last two kinds two bytes. */
enum wire_check {
    WIRE_CHECK_NONE,
    WIRE_CHECK_XOR,
    WIRE_CHECK_SUM,
    WIRE_CHECK_SUM_NOT,   /* FF minus the sum */
    WIRE_CHECK_SUM_ZERO,  /* the covered bytes and the checksum add up to 0 */
    WIRE_CHECK_CRC8,      /* polynomial 4D, from 0, not reflected */
    WIRE_CHECK_SUM_TWICE, /* FF minus the sum, in each of two bytes */
    WIRE_CHECK_CRC16,     /* polynomial 8005, from 0, not reflected; low byte first */
};

/* A frame with the first byte BYTE has SIZE bytes. If COUNT_AT is not 0, it has EACH more bytes for
 * each unit of the number in the byte at COUNT_AT. */
struct wire_first_byte {
    uint8_t byte;
    uint32_t size; /* 0: the end of a list */
    uint8_t count_at, each;
};

enum wire_parts {
    WIRE_PARTS_NONE,  /* a frame is one packet */
    WIRE_PARTS_SIZED, /* several parts of id, length and body */
    WIRE_PARTS_KNOWN, /* several parts of id and body; the size of the body is that of the packet
                       * with this id */
};

/* Whether a packet is promised once or as a series. The packets of a series have marker bits. */
enum wire_repeat {
    WIRE_ONCE,
    WIRE_NODES,    /* bits 0 and 1 of the first byte differ, bit 0 of the second is 1 */
    WIRE_CAPSULES, /* the first bytes are Ax and 5y; yx is the XOR of all later bytes */
};

/* Some answers do not identify themselves: their meaning follows from an earlier frame. A frame
 * with this id promises packets to the host that come without head, id and checksum:
 * - the packets whose ids are in its bytes from IDS_AT on; ID_COUNT ids (0: up to the end), or
 * - packets of the frame's own id, if the frame begins a series (see wire_framing). */
struct wire_promise {
    uint8_t id, ids_at, id_count;
    enum wire_repeat repeat; /* of a series. A row with WIRE_ONCE and IDS_AT 0 ends a list */
};

/* Part of a frame; see wire_frame_walk. PACKET is NULL for an unknown id. */
typedef void wire_visit(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size);

struct wire_framing {
    uint8_t head[4], head_size; /* each frame begins with these; 0: no such bytes */
    uint8_t device_at, device;  /* position and value of the byte that addresses the robot on a
                                 * bus; DEVICE_AT 0: none */

    /* Length of a frame: from its length byte, from its first byte, or constant. */
    uint8_t length_at;               /* index of the length byte; 0: none */
    bool has_wide_length;            /* it has 16 bits, little-endian */
    uint16_t length_min, length_max; /* allowed values of the length ... */
    uint8_t length_extra;            /* ... and the number of bytes of the frame that it does not
                                      * count */
    uint8_t long_bit;                /* not 0: a frame whose id does not have this bit ends after
                                      * its id */
    /* Not NULL: the length has 32 bits, little-endian. If its upper two bits have the value 1 (bit
     * 30), the frame ends before its body and begins a series: bodies of that length follow each
     * other until the next series begins. The frame itself is then this packet, whose body begins
     * at the length. */
    const struct wire_packet *series;
    const struct wire_first_byte *sizes; /* NULL: the length does not depend on the first byte */
    uint32_t size;                       /* size of every frame; 0: not constant */

    enum wire_check check;
    uint8_t check_from; /* first byte that the checksum covers; the last is the byte before the
                         * checksum */

    uint8_t stuffed_from; /* not 0: from this byte up to the checksum, FF FF FD is followed by an
                           * FD that the length counts, but that is not part of the body */

    /* Contents: an id and a body, or parts. */
    uint8_t id_at, body_at;
    enum wire_parts parts;
    const struct wire_packet *only; /* every frame is this packet, without an id. NULL: the id
                                     * selects the packet */

    /* Bytes outside frames; each is a packet. */
    const char *singles; /* NULL: there are none */
    const struct wire_packet *single;

    /* Printable lines between frames, which end with LF: output of the firmware that is not part of
     * its protocol. If the packet has a size, a text is that many bytes of lines. */
    const struct wire_packet *text; /* NULL: such lines are noise */

    /* Packets to the host that frames of this direction promise. NULL: none */
    const struct wire_promise *promises;

    /* A channel without frames: it carries lines of text, or binary data if the first byte is 0x80
     * or more; binary data is the bytes that arrive at once. */
    const struct wire_packet *line; /* the packet that has a line as its body; NULL: the channel
                                     * has frames */
    bool has_end; /* a complete line ends with CR or LF, complete binary data with a 0 */
};

/* Bytes of the longest frame. */
size_t wire_framing_max(const struct wire_framing *framing);

/* ---- One frame. FRAMING may be NULL: the format is unknown. ---- */

#define WIRE_SIZE_UNKNOWN SIZE_MAX /* any: only wire_frame_walk can tell */

/* Size of the frame that begins with BYTES (at least one byte), even if it is incomplete or its
 * checksum is wrong. 0: BYTES do not begin a frame, or are too few to decide. Because this does not
 * check the frame, a search for good frames among other bytes takes one pass. */
size_t wire_frame_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size);

/* Whether BYTES are one complete frame with a good checksum. */
bool wire_frame_is_good(const struct wire_framing *framing, const uint8_t *bytes, size_t size);

/* Calls VISIT for each part of a complete frame, with its packet from PACKETS (NULL-terminated).
 * Order of preference among packets with the part's id: one of the same size, one whose repeated
 * elements fill that size, the first one. False: not a good frame. */
bool wire_frame_walk(const struct wire_framing *framing, const struct wire_packet *const *packets,
                     enum wire_direction direction, const uint8_t *frame, size_t size,
                     wire_visit *visit, void *user);

/* For each id, the range of its packets in a list. It speeds up readers of millions of frames. */
struct wire_index {
    struct {
        uint16_t from, end; /* equal: no packet */
    } of[2][UINT8_MAX + 1]; /* by enum wire_direction and id */
};
void wire_index_make(struct wire_index *index, const struct wire_packet *const *packets);

/* wire_frame_walk with an index of PACKETS. FRAME comes from wire_splitter_next, so its checksum is
 * not verified again. */
bool wire_index_walk(const struct wire_index *index, const struct wire_framing *framing,
                     const struct wire_packet *const *packets, enum wire_direction direction,
                     const uint8_t *frame, size_t size, wire_visit *visit, void *user);

/* The same for the bytes of a promised packet to the host. PROMISED: see struct wire_piece. */
bool wire_promised_walk(const struct wire_framing *framing,
                        const struct wire_packet *const *packets, uint16_t promised,
                        const uint8_t *bytes, size_t size, wire_visit *visit, void *user);

/* The value of wire_piece.promised for a packet to the host that occurs only in series; 0 for other
 * packets. */
uint16_t wire_promised_as(const struct wire_framing *framing, const struct wire_packet *packet);

enum { WIRE_WRAP_MAX = 10 };

/* The reverse: writes a frame that carries PACKET with BODY into OUT. OUT has room for
 * WIRE_WRAP_MAX bytes more than the body, plus a third of the body if the frame is stuffed. OUT may
 * already contain the body. Returns the size of the frame; 0: no frame of this format carries the
 * packet. */
size_t wire_frame_wrap(const struct wire_framing *framing, const struct wire_packet *packet,
                       const uint8_t *body, size_t size, uint8_t *out);

/* ---- Promised packets of a line. The caller passes all frames of both directions. All zero is the
 * initial state. ---- */

enum { WIRE_PROMISES_MAX = 128 }; /* chosen: two requests for all packets of a robot */

struct wire_promises {
    int64_t at_ns; /* time of the last promise that was made or kept */
    bool is_asked; /* a frame went to the robot after the last frame to the host */
    uint8_t count;
    struct wire_promised {
        uint32_t size;
        uint8_t id;
        enum wire_repeat repeat;
    } queue[WIRE_PROMISES_MAX]; /* the next one first */
};

/* Records a complete frame. FRAMING: the format of its direction. A request drops all promises
 * except a series if no promise was made or kept within WIRE_SILENCE_NS. */
void wire_promises_note(struct wire_promises *promises, const struct wire_framing *framing,
                        const struct wire_packet *const *packets, enum wire_direction direction,
                        const uint8_t *frame, size_t size, int64_t now_ns);

/* Takes bytes that the robot sent at once. If they begin with a promised packet, cuts off that
 * packet; otherwise takes all of them as one frame and records it. Sets SIZE to the size of the
 * piece. Returns the value of wire_piece.promised. */
uint16_t wire_promises_cut(struct wire_promises *promises, const struct wire_framing *framing,
                           const struct wire_packet *const *packets, const uint8_t *bytes,
                           size_t *size, int64_t now_ns);

/* ---- A stream in pieces ---- */

enum wire_piece_kind {
    WIRE_PIECE_FRAME,
    WIRE_PIECE_BAD_CHECK,  /* a complete frame with a wrong checksum, up to a possible begin of
                            * the next frame */
    WIRE_PIECE_BAD_LENGTH, /* the head of a frame with an impossible length */
    WIRE_PIECE_NOISE,      /* bytes outside frames */
    WIRE_PIECE_CUT,        /* the beginning of a frame, followed by silence */
    WIRE_PIECE_KINDS,
};

struct wire_piece {
    enum wire_piece_kind kind;
    const uint8_t *bytes;
    size_t size;
    int64_t time_ns;   /* time of its last byte */
    uint16_t promised; /* not 0: not a frame, but the body of the packet with this id + 1 */
};

/* Chosen: if the bytes of an incomplete frame get older than this, they are not a frame. */
#define WIRE_SILENCE_NS INT64_C(200000000)

/* Splits a stream into frames and other bytes. Each byte is in exactly one piece. */
struct wire_splitter {
    const struct wire_framing *framing; /* NULL: each run of bytes is a frame */
    uint8_t *held;                      /* bytes that are not yet in a piece */
    size_t room, used, at;
    int64_t time_ns, before_ns; /* time of the last push, and of the push before */
    size_t old;                 /* bytes in HELD from before the last push */
    bool is_old_over;           /* silence followed the old bytes */

    enum wire_direction direction;  /* set by wire_splitter_join, like the next two */
    struct wire_promises *promises; /* NULL: promises are not tracked */
    const struct wire_packet *const *packets;
};

/* Allocates memory for pushes of up to RUN_MAX bytes. False: out of memory. */
bool wire_splitter_open(struct wire_splitter *splitter, const struct wire_framing *framing,
                        size_t run_max);
/* Makes the splitters of both directions of a line share their promises. PACKETS is
 * NULL-terminated. PROMISES and PACKETS outlive the splitter. */
void wire_splitter_join(struct wire_splitter *splitter, enum wire_direction direction,
                        struct wire_promises *promises, const struct wire_packet *const *packets);
void wire_splitter_close(struct wire_splitter *splitter);

/* Adds bytes that arrived at once. The caller takes all pieces before it adds the next bytes. */
void wire_splitter_push(struct wire_splitter *splitter, const uint8_t *bytes, size_t size,
                        int64_t time_ns);

/* The next piece. Its bytes are valid until the next push. IS_END: the stream has ended, so the
 * remaining bytes are returned too. */
bool wire_splitter_next(struct wire_splitter *splitter, bool is_end, struct wire_piece *piece);

/* Name of a kind for users: "frame", "bad checksum" ... */
const char *wire_piece_name(enum wire_piece_kind kind);
