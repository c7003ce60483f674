/* One listener's stream of server-sent events, compressed as HTTP's gzip: what is still to be sent
 * is never more than one picture, however slowly it reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "sim/watch/snapshot.h"

/* ---- A snapshot without what a page neither draws nor has asked for. What moves is rounded to
 * what can be seen, so that few bytes change. ---- */

enum { SLIM_ROBOTS_MAX = 1024 }; /* chosen: more robots than a scene holds are never asked for */

/* Robots of which a page shows all: signals, frames, counters, camera. */
struct slim_wishes {
    uint32_t robots[SLIM_ROBOTS_MAX / 32]; /* as bits */
};

/* Changes SNAPSHOT, a copy. IS_EXACT: nothing is rounded, as for a picture of a run that stands. */
void slim_snapshot(struct snapshot *snapshot, const struct slim_wishes *wishes, bool is_exact);

/* ---- What has changed since the last snapshot, in few bytes ---- */

/* What one listener was told. All zero: nothing yet. */
struct change {
    uint8_t *reported; /* owned; ROOM bytes, of which SIZE are a snapshot */
    size_t size, room;
    uint64_t generation;
    uint8_t *bytes; /* owned; the change, not yet as text */
    size_t byte_count, byte_room;
    bool is_short;
};

/* A byte as two bytes of UTF-8: U+0100 to U+01FF, which need no escape in an event and which
 * compress as well as the byte. */
static inline void change_utf8(uint8_t byte, char out[2])
{
    out[0] = (char)(0xC4 | byte >> 6);
    out[1] = (char)(0x80 | (byte & 0x3F));
}

void change_free(struct change *change);

/* Makes CHANGE->bytes lead from what was told to SIZE bytes of SNAPSHOT, and remembers those. A
 * change is:
 *     size of the snapshot,
 *     number of moves, each: to, from, count (bytes within the snapshot; may overlap),
 *     and then, to its end: bytes that stay, count, and COUNT new bytes;
 * all numbers as LEB128. It is whole, IS_WHOLE, if it leads from zeros. False: memory is short,
 * and nothing was told. */
bool change_make(struct change *change, const struct snapshot *snapshot, size_t size,
                 bool *is_whole);

/* ---- The stream ---- */

struct stream {
    struct change change;
    struct slim_wishes wishes;
    struct snapshot *slim; /* owned; a copy to leave things out of */
    size_t slim_room;
    bool is_zipped;
    bool is_due; /* the wishes have changed */
    z_stream zip;
    char *out; /* owned; to be sent from OUT_AT to OUT_SIZE */
    size_t out_size, out_at, out_room;
    char *text; /* owned; an event before it is compressed */
    size_t text_size, text_room;
    int64_t said_ms; /* when something was told last */
};

/* False: memory is short. */
bool stream_open(struct stream *stream, bool is_zipped);
void stream_close(struct stream *stream);

/* Whether all that was told has been taken. */
bool stream_is_taken(const struct stream *stream);

/* Hands out what is to be sent, at most SIZE bytes. */
size_t stream_take(struct stream *stream, char *bytes, size_t size);

/* Tells an event; DATA is one line. */
void stream_say(struct stream *stream, const char *event, const char *data, int64_t now_ms);

/* Reports what has changed up to this snapshot. Call it only when all is taken. */
void stream_show(struct stream *stream, const struct snapshot *snapshot, int64_t now_ms);
