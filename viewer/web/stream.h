/* One listener's stream of server-sent events, compressed as gzip. The stream buffers at most one
 * picture, however slowly the listener reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "sim/watch/snapshot.h"

/* ---- Snapshots without data that a page neither draws nor has requested. Poses are rounded to the
 * visible precision, so that few bytes change. ---- */

enum { SLIM_ROBOTS_MAX = 1024 }; /* chosen: more robots than a scene can have */

/* Robots that a page shows completely: signals, frames, counters, camera. */
struct slim_wishes {
    uint32_t robots[SLIM_ROBOTS_MAX / 32]; /* as bits */
};

/* Changes SNAPSHOT, a copy. IS_EXACT: without rounding, for a paused run. */
void slim_snapshot(struct snapshot *snapshot, const struct slim_wishes *wishes, bool is_exact);

/* ---- Changes since the last snapshot, in few bytes ---- */

/* The state that a listener knows. All zero: nothing was sent yet. */
struct change {
    uint8_t *reported; /* owned; ROOM bytes; the first SIZE are a snapshot */
    size_t size, room;
    uint64_t generation;
    uint8_t *bytes; /* owned; the change in binary form */
    size_t byte_count, byte_room;
    bool is_short;
};

/* A byte as two bytes of UTF-8: U+0100 to U+01FF, which need no escape in an event and compress as
 * well as the byte. */
static inline void change_utf8(uint8_t byte, char out[2])
{
    out[0] = (char)(0xC4 | byte >> 6);
    out[1] = (char)(0x80 | (byte & 0x3F));
}

void change_free(struct change *change);

/* Makes CHANGE->bytes, which leads from the known state to SIZE bytes of SNAPSHOT, and stores those
 * as known. A change is:
 *     size of the snapshot,
 *     number of moves, each: to, from, count (bytes within the snapshot; may overlap),
 *     and then, to its end: number of equal bytes, count, and COUNT new bytes;
 * all numbers as LEB128. IS_WHOLE: the change leads from zeros. False: no memory, and the known
 * state is unchanged. */
bool change_make(struct change *change, const struct snapshot *snapshot, size_t size,
                 bool *is_whole);

/* ---- The stream ---- */

struct stream {
    struct change change;
    struct slim_wishes wishes;
    struct snapshot *slim; /* owned; a copy with less data */
    size_t slim_room;
    bool is_zipped;
    bool is_due; /* the wishes have changed */
    z_stream zip;
    char *out; /* owned; to be sent from OUT_AT to OUT_SIZE */
    size_t out_size, out_at, out_room;
    char *text; /* owned; an event before compression */
    size_t text_size, text_room;
    int64_t said_ms; /* time of the last event */
};

/* False: no memory. */
bool stream_open(struct stream *stream, bool is_zipped);
void stream_close(struct stream *stream);

/* Whether all data was taken. */
bool stream_is_taken(const struct stream *stream);

/* Copies data to be sent to BYTES, at most SIZE bytes. Returns their number. */
size_t stream_take(struct stream *stream, char *bytes, size_t size);

/* Sends an event; DATA is one line. */
void stream_say(struct stream *stream, const char *event, const char *data, int64_t now_ms);

/* Sends the changes up to this snapshot. Call it only if all data was taken. */
void stream_show(struct stream *stream, const struct snapshot *snapshot, int64_t now_ms);
