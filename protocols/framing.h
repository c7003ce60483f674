/* How frames lie in a stream of bytes, as data: one row for each channel and direction feeds the
 * decoder, the dissectors for Wireshark, the window and the documentation. The parsers of the
 * virtual firmwares are their own, since each has its oddities; this is how a bystander reads the
 * line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

/* The end of a frame: of the bytes before it, from check_from on. One byte, of the last two two. */
enum wire_check {
    WIRE_CHECK_NONE,
    WIRE_CHECK_XOR,
    WIRE_CHECK_SUM,
    WIRE_CHECK_SUM_NOT,   /* FF minus their sum */
    WIRE_CHECK_SUM_ZERO,  /* all of them and itself add up to 0 */
    WIRE_CHECK_CRC8,      /* polynomial 4D, from 0, not reflected */
    WIRE_CHECK_SUM_TWICE, /* FF minus their sum, in each of two bytes */
    WIRE_CHECK_CRC16,     /* polynomial 8005, from 0, not reflected; low byte first */
};

/* Frames with this first byte have this size, bytes; and EACH bytes for each one that the byte at
 * COUNT_AT counts, where that is not 0. */
struct wire_first_byte {
    uint8_t byte;
    uint32_t size; /* 0: the end of a list */
    uint8_t count_at, each;
};

enum wire_parts {
    WIRE_PARTS_NONE,  /* a frame is one packet */
    WIRE_PARTS_SIZED, /* several of id, length and body */
    WIRE_PARTS_KNOWN, /* several of id and body, as long as the packet of that id is */
};

/* What is promised once, or again and again: then each shows by its bits that it is one. */
enum wire_repeat {
    WIRE_ONCE,
    WIRE_NODES,    /* bits 0 and 1 of the first byte differ, bit 0 of the second is 1 */
    WIRE_CAPSULES, /* the first bytes are Ax and 5y, where yx is the XOR of all behind them */
};

/* Some answers do not tell by themselves what they are: what came before them does. A frame of this
 * id promises packets to the host that come without head, id or check:
 * - the ones whose ids stand in its bytes from IDS_AT on, ID_COUNT of them (0: up to its end), or
 * - if it begins a series (see wire_framing), packets of its own id. */
struct wire_promise {
    uint8_t id, ids_at, id_count;
    enum wire_repeat repeat; /* of a series. WIRE_ONCE, and IDS_AT 0: the end of a list */
};

/* Part of a frame; see wire_frame_walk. PACKET is NULL for an unknown id. */
typedef void wire_visit(void *user, const struct wire_packet *packet, uint8_t id,
                        const uint8_t *body, size_t size);

struct wire_framing {
    uint8_t head[4], head_size; /* each frame begins with these; 0: no such bytes */
    uint8_t device_at, device;  /* the byte that addresses the robot on a bus; DEVICE_AT 0: none */

    /* How long a frame is: by its length byte, by its first byte, or always the same. */
    uint8_t length_at;               /* index of the length byte; 0: there is none */
    bool has_wide_length;            /* it has 16 bits, little-endian */
    uint16_t length_min, length_max; /* what it may be ... */
    uint8_t length_extra;            /* ... and the bytes of the frame that it leaves out */
    uint8_t long_bit;                /* not 0: frames whose id lacks it end behind their id */
    /* Not NULL: the length has 32 bits, little-endian. Where the upper two are 1, the frame ends
     * before its body and begins a series: bodies of that length, one after the other, until the
     * next series. The frame itself is this packet then, from its length on. */
    const struct wire_packet *series;
    const struct wire_first_byte *sizes; /* NULL: not by this */
    uint32_t size;                       /* 0: not always the same */

    enum wire_check check;
    uint8_t check_from; /* first byte that it covers; the last is the one before it */

    uint8_t stuffed_from; /* not 0: from this byte up to the check, FF FF FD is followed by an FD
                           * that is counted, but no part of the body */

    /* What is inside: an id and a body, or parts. */
    uint8_t id_at, body_at;
    enum wire_parts parts;
    const struct wire_packet *only; /* each frame is this packet, without an id. NULL: by its id */

    /* Bytes outside any frame that are a packet each. */
    const char *singles; /* NULL: there are none */
    const struct wire_packet *single;

    /* Printable lines that end with LF, between frames: what a firmware says beside its protocol.
     * Where the packet has a size: as many bytes of such lines. */
    const struct wire_packet *text; /* NULL: they are noise */

    /* What frames of this direction promise of those to the host that follow. NULL: nothing */
    const struct wire_promise *promises;

    /* No frames: a line of text, or what came at once where it begins with 0x80 or more. */
    const struct wire_packet *line; /* the packet whose body it is; NULL: there are frames */
    bool has_end; /* a line is whole with a CR or LF, what begins with 0x80 or more with a 0 */
};

/* Bytes of the longest frame. */
size_t wire_framing_max(const struct wire_framing *framing);

/* ---- One frame. FRAMING NULL: nothing is known of it. ---- */

#define WIRE_SIZE_UNKNOWN SIZE_MAX /* any: only wire_frame_walk can tell */

/* How long the frame is that BYTES (at least one) begin with, whether it is whole or good; 0: they
 * begin with none, or are too few to tell. So a good frame among other bytes is found in one pass.
 */
size_t wire_frame_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size);

/* Whether these bytes are one whole frame with a good check byte. */
bool wire_frame_is_good(const struct wire_framing *framing, const uint8_t *bytes, size_t size);

/* Calls VISIT for each part of one whole frame, with its packet of PACKETS (NULL-terminated): the
 * one with that id whose size fits, one that repeats up to it, or the first with that id. False:
 * not a good frame. */
bool wire_frame_walk(const struct wire_framing *framing, const struct wire_packet *const *packets,
                     enum wire_direction direction, const uint8_t *frame, size_t size,
                     wire_visit *visit, void *user);

/* Where in a list the packets of each id are, for those who walk millions of frames. */
struct wire_index {
    struct {
        uint16_t from, end; /* equal: there is none */
    } of[2][UINT8_MAX + 1]; /* by enum wire_direction and id */
};
void wire_index_make(struct wire_index *index, const struct wire_packet *const *packets);

/* wire_frame_walk by an index of PACKETS, of what wire_splitter_next has called a frame: its check
 * is not looked at again. */
bool wire_index_walk(const struct wire_index *index, const struct wire_framing *framing,
                     const struct wire_packet *const *packets, enum wire_direction direction,
                     const uint8_t *frame, size_t size, wire_visit *visit, void *user);

/* The same for the bytes of a packet to the host that was promised (struct wire_piece). */
bool wire_promised_walk(const struct wire_framing *framing,
                        const struct wire_packet *const *packets, uint16_t promised,
                        const uint8_t *bytes, size_t size, wire_visit *visit, void *user);

/* As struct wire_piece has it, of a packet to the host that comes in series alone; else 0. */
uint16_t wire_promised_as(const struct wire_framing *framing, const struct wire_packet *packet);

enum { WIRE_WRAP_MAX = 10 };

/* The other way: writes one frame that carries PACKET with this body into OUT, which has room for
 * WIRE_WRAP_MAX bytes more than the body (where it is stuffed, for a third of it more), and may
 * hold it already. Returns its size; 0: no such frame carries the packet. */
size_t wire_frame_wrap(const struct wire_framing *framing, const struct wire_packet *packet,
                       const uint8_t *body, size_t size, uint8_t *out);

/* ---- What is promised on a line, to be fed with all frames of both directions. All zero is the
 * start. ---- */

enum { WIRE_PROMISES_MAX = 128 }; /* chosen: two requests of all that a robot has */

struct wire_promises {
    int64_t at_ns; /* when the last promise was made or kept */
    bool is_asked; /* a frame has gone to the robot since the last frame to the host */
    uint8_t count;
    struct wire_promised {
        uint32_t size;
        uint8_t id;
        enum wire_repeat repeat;
    } queue[WIRE_PROMISES_MAX]; /* the next one first */
};

/* A whole frame has passed. FRAMING is that of its direction. Promises that nobody has kept for
 * WIRE_SILENCE_NS are forgotten with the next request. */
void wire_promises_note(struct wire_promises *promises, const struct wire_framing *framing,
                        const struct wire_packet *const *packets, enum wire_direction direction,
                        const uint8_t *frame, size_t size, int64_t now_ns);

/* Bytes that a robot has sent at once: cuts off what was promised, else takes them as one frame,
 * and notes it. SIZE becomes that of the piece. Returns wire_piece.promised. */
uint16_t wire_promises_cut(struct wire_promises *promises, const struct wire_framing *framing,
                           const struct wire_packet *const *packets, const uint8_t *bytes,
                           size_t *size, int64_t now_ns);

/* ---- A stream, piece by piece ---- */

enum wire_piece_kind {
    WIRE_PIECE_FRAME,
    WIRE_PIECE_BAD_CHECK,  /* a whole frame but for its check byte, up to where another may begin */
    WIRE_PIECE_BAD_LENGTH, /* the head of a frame with an impossible length */
    WIRE_PIECE_NOISE,      /* bytes that belong to no frame */
    WIRE_PIECE_CUT,        /* the beginning of a frame, then silence */
    WIRE_PIECE_KINDS,
};

struct wire_piece {
    enum wire_piece_kind kind;
    const uint8_t *bytes;
    size_t size;
    int64_t time_ns;   /* when its last byte came */
    uint16_t promised; /* not 0: no frame, but the body of the packet of this id + 1 */
};

/* Chosen: bytes whose frame is not whole after this long are none. */
#define WIRE_SILENCE_NS INT64_C(200000000)

/* Cuts a stream into frames and what is no frame; each byte is in one piece. */
struct wire_splitter {
    const struct wire_framing *framing; /* NULL: each run of bytes is a frame */
    uint8_t *held;                      /* what belongs to no piece yet */
    size_t room, used, at;
    int64_t time_ns, before_ns; /* of the last bytes, and of those before them */
    size_t old;                 /* held bytes that came before the last */
    bool is_old_over;           /* they were followed by silence */

    enum wire_direction direction;  /* these by wire_splitter_join */
    struct wire_promises *promises; /* NULL: none are known */
    const struct wire_packet *const *packets;
};

/* Takes memory for runs of up to RUN_MAX bytes. False where there is none. */
bool wire_splitter_open(struct wire_splitter *splitter, const struct wire_framing *framing,
                        size_t run_max);
/* Lets the splitters of both directions of a line share what is promised. PACKETS: NULL-terminated;
 * both outlive the splitter. */
void wire_splitter_join(struct wire_splitter *splitter, enum wire_direction direction,
                        struct wire_promises *promises, const struct wire_packet *const *packets);
void wire_splitter_close(struct wire_splitter *splitter);

/* Adds bytes that came at once; pieces are taken before the next ones are added. */
void wire_splitter_push(struct wire_splitter *splitter, const uint8_t *bytes, size_t size,
                        int64_t time_ns);

/* The next piece. Its bytes are valid until the next push. IS_END: nothing more will come, so that
 * what is held is handed out. */
bool wire_splitter_next(struct wire_splitter *splitter, bool is_end, struct wire_piece *piece);

/* What a kind is called: "frame", "bad checksum" ... */
const char *wire_piece_name(enum wire_piece_kind kind);
