/* How frames lie in a stream of bytes, as data: one row for each channel and direction feeds the
 * decoder, the dissectors for Wireshark and the documentation. The parsers of the virtual firmwares
 * are their own, since each has its oddities; this is how a bystander reads the line. */
#ifndef PTYBOT_PROTOCOLS_FRAMING_H
#define PTYBOT_PROTOCOLS_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

enum wire_check { WIRE_CHECK_NONE, WIRE_CHECK_XOR, WIRE_CHECK_SUM }; /* the last byte of a frame */

/* Frames with this first byte have this size, bytes. */
struct wire_first_byte {
    uint8_t byte;
    uint32_t size; /* 0: the end of a list */
};

struct wire_framing {
    uint8_t head[2], head_size; /* each frame begins with these; 0: no such bytes */

    /* How long a frame is: by its length byte, by its first byte, or always the same. */
    uint8_t length_at;                   /* index of the length byte; 0: there is none */
    uint8_t length_min, length_max;      /* what it may be ... */
    uint8_t length_extra;                /* ... and the bytes of the frame that it leaves out */
    const struct wire_first_byte *sizes; /* NULL: not by this */
    uint32_t size;                       /* 0: not always the same */

    enum wire_check check;
    uint8_t check_from; /* first byte that it covers; the last is the one before it */

    /* What is inside: an id and a body, or several parts of id, length and body each. */
    uint8_t id_at, body_at;
    bool has_parts;

    /* Bytes outside any frame that are a packet each. */
    const char *singles; /* NULL: there are none */
    const struct wire_packet *single;

    /* No frames: a line of text, or what came at once where it begins with 0x80 or more. */
    const struct wire_packet *line; /* the packet whose body it is; NULL: there are frames */
};

/* Bytes of the longest frame. */
size_t wire_framing_max(const struct wire_framing *framing);

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
    int64_t time_ns; /* when its last byte came */
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
};

/* Takes memory for runs of up to RUN_MAX bytes. False where there is none. */
bool wire_splitter_open(struct wire_splitter *splitter, const struct wire_framing *framing,
                        size_t run_max);
void wire_splitter_close(struct wire_splitter *splitter);

/* Adds bytes that came at once; pieces are taken before the next ones are added. */
void wire_splitter_push(struct wire_splitter *splitter, const uint8_t *bytes, size_t size,
                        int64_t time_ns);

/* The next piece. Its bytes are valid until the next push. IS_END: nothing more will come, so that
 * what is held is handed out. */
bool wire_splitter_next(struct wire_splitter *splitter, bool is_end, struct wire_piece *piece);

/* What a kind is called: "frame", "bad checksum" ... */
const char *wire_piece_name(enum wire_piece_kind kind);

#endif
