/* One listener's stream of server-sent events, compressed as HTTP's gzip: what is still to be sent
 * is never more than one picture, however slowly it reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "viewer/web/change.h"
#include "viewer/web/slim.h"

struct stream {
    struct change change;
    struct slim_wishes wishes;
    struct snapshot *slim; /* owned; a copy to leave things out of */
    size_t slim_room;
    bool is_zipped;
    bool is_exact; /* what was told last is exact */
    bool is_due;   /* the wishes have changed */
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
void stream_show(struct stream *stream, const struct snapshot *snapshot, bool is_exact,
                 int64_t now_ms);
