/* Events as text, and their compression. */
#include "viewer/web/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool stream_open(struct stream *stream, bool is_zipped)
{
    *stream = (struct stream){.is_zipped = is_zipped};
    // 16 + 15: a header of gzip, as browsers take it; 1 is the fastest, and these are small.
    return !is_zipped ||
           deflateInit2(&stream->zip, 4, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

void stream_close(struct stream *stream)
{
    if (stream->is_zipped)
        deflateEnd(&stream->zip);
    change_free(&stream->change);
    free(stream->slim);
    free(stream->out);
    free(stream->text);
    *stream = (struct stream){0};
}

bool stream_is_taken(const struct stream *stream)
{
    return stream->out_at == stream->out_size;
}

size_t stream_take(struct stream *stream, char *bytes, size_t size)
{
    size_t left = stream->out_size - stream->out_at;
    size_t taken = left < size ? left : size;
    memcpy(bytes, stream->out + stream->out_at, taken);
    stream->out_at += taken;
    return taken;
}

/* ---- Texts ---- */

static void put(struct stream *stream, const char *text, size_t size)
{
    if (!array_reserve(&stream->text, &stream->text_room, stream->text_size + size, 1))
        return;
    memcpy(stream->text + stream->text_size, text, size);
    stream->text_size += size;
}

static void put_bytes(struct stream *stream, const uint8_t *bytes, size_t count)
{
    if (!array_reserve(&stream->text, &stream->text_room, stream->text_size + 2 * count, 1))
        return;
    for (size_t i = 0; i < count; i++, stream->text_size += 2)
        change_utf8(bytes[i], stream->text + stream->text_size);
}

/* Adds the text to what is to be sent. */
static void send_text(struct stream *stream)
{
    if (stream_is_taken(stream))
        stream->out_at = stream->out_size = 0;
    size_t most =
        stream->is_zipped ? deflateBound(&stream->zip, stream->text_size) + 64 : stream->text_size;
    if (!array_reserve(&stream->out, &stream->out_room, stream->out_size + most, 1))
        return;
    char *end = stream->out + stream->out_size;
    if (!stream->is_zipped) {
        memcpy(end, stream->text, stream->text_size);
        stream->out_size += stream->text_size;
        return;
    }
    stream->zip.next_in = (Bytef *)stream->text;
    stream->zip.avail_in = (uInt)stream->text_size;
    stream->zip.next_out = (Bytef *)end;
    stream->zip.avail_out = (uInt)most;
    deflate(&stream->zip, Z_SYNC_FLUSH);
    stream->out_size += most - stream->zip.avail_out;
}

static void begin(struct stream *stream, const char *event)
{
    stream->text_size = 0;
    put(stream, "event: ", 7);
    put(stream, event, strlen(event));
    put(stream, "\ndata: ", 7);
}

static void end(struct stream *stream, int64_t now_ms)
{
    put(stream, "\n\n", 2);
    send_text(stream);
    stream->said_ms = now_ms;
}

void stream_say(struct stream *stream, const char *event, const char *data, int64_t now_ms)
{
    begin(stream, event);
    put(stream, data, strlen(data));
    end(stream, now_ms);
}

/* ---- Snapshots ---- */

void stream_show(struct stream *stream, const struct snapshot *snapshot, bool is_exact,
                 int64_t now_ms)
{
    size_t size = (size_t)snapshot->size;
    bool is_whole;
    if (size > stream->slim_room) {
        struct snapshot *larger = aligned_alloc(16, (2 * size + 15) & ~(size_t)15);
        if (!larger)
            return;
        free(stream->slim);
        stream->slim = larger;
        stream->slim_room = 2 * size;
    }
    memcpy(stream->slim, snapshot, size);
    slim_snapshot(stream->slim, &stream->wishes, is_exact);
    stream->is_exact = is_exact;
    stream->is_due = false;
    if (!change_make(&stream->change, stream->slim, size, &is_whole))
        return;
    begin(stream, is_whole ? "whole" : "change");
    put_bytes(stream, stream->change.bytes, stream->change.byte_count);
    end(stream, now_ms);
}
