/* Streams cut into frames by a row of data. */
#include "protocols/framing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_YET = -1, NO_FRAME = 0 };

size_t wire_framing_max(const struct wire_framing *framing)
{
    size_t most = framing->size;
    if (framing->length_at > 0)
        most = (size_t)framing->length_max + framing->length_extra;
    for (size_t i = 0; framing->sizes && framing->sizes[i].size > 0; i++)
        most = framing->sizes[i].size > most ? framing->sizes[i].size : most;
    return most;
}

const char *wire_piece_name(enum wire_piece_kind kind)
{
    static const char *const names[WIRE_PIECE_KINDS] = {
        [WIRE_PIECE_FRAME] = "frame",           [WIRE_PIECE_BAD_CHECK] = "bad checksum",
        [WIRE_PIECE_BAD_LENGTH] = "bad length", [WIRE_PIECE_NOISE] = "noise",
        [WIRE_PIECE_CUT] = "cut off",
    };
    return names[kind];
}

/* ---- What bytes may be ---- */

static size_t size_by_first(const struct wire_framing *framing, uint8_t byte)
{
    for (size_t i = 0; framing->sizes[i].size > 0; i++)
        if (framing->sizes[i].byte == byte)
            return framing->sizes[i].size;
    return 0;
}

/* Whether a frame may begin here, as far as the bytes go. */
static bool may_begin(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    size_t head = framing->head_size < size ? framing->head_size : size;
    if (memcmp(bytes, framing->head, head) != 0)
        return false;
    return !framing->sizes || size_by_first(framing, bytes[0]) > 0;
}

/* Size of the frame that begins here. NOT_YET: too few bytes; NO_FRAME: its length is impossible.
 */
static long frame_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (framing->sizes)
        return (long)size_by_first(framing, bytes[0]);
    if (framing->length_at == 0)
        return (long)framing->size;
    if (size <= framing->length_at)
        return NOT_YET;
    uint8_t length = bytes[framing->length_at];
    if (length < framing->length_min || length > framing->length_max)
        return NO_FRAME;
    return (long)length + framing->length_extra;
}

static bool is_check_good(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    size_t covered = size - 1 - framing->check_from;
    switch (framing->check) {
    case WIRE_CHECK_XOR:
        return wire_xor(bytes + framing->check_from, covered) == bytes[size - 1];
    case WIRE_CHECK_SUM:
        return wire_sum(bytes + framing->check_from, covered) == bytes[size - 1];
    case WIRE_CHECK_NONE:
        break;
    }
    return true;
}

/* Bytes from FROM on, up to SIZE, that begin no frame. */
static size_t search(const struct wire_framing *framing, const uint8_t *bytes, size_t from,
                     size_t size)
{
    while (from < size && !may_begin(framing, bytes + from, size - from))
        from++;
    return from;
}

/* ---- The stream ---- */

bool wire_splitter_open(struct wire_splitter *splitter, const struct wire_framing *framing,
                        size_t run_max)
{
    // A frame that is not whole yet is shorter than the longest one.
    size_t room = run_max + (framing ? wire_framing_max(framing) : 0);
    *splitter = (struct wire_splitter){.framing = framing, .room = room, .held = malloc(room)};
    return splitter->held;
}

void wire_splitter_close(struct wire_splitter *splitter)
{
    free(splitter->held);
}

void wire_splitter_push(struct wire_splitter *splitter, const uint8_t *bytes, size_t size,
                        int64_t time_ns)
{
    size_t left = splitter->used - splitter->at;
    memmove(splitter->held, splitter->held + splitter->at, left);
    // A line of text may be longer than any bound: then its beginning is gone.
    if (left > splitter->room - size)
        left = 0;
    memcpy(splitter->held + left, bytes, size);
    splitter->at = 0;
    splitter->used = left + size;
    splitter->old = left;
    splitter->is_old_over = time_ns - splitter->time_ns > WIRE_SILENCE_NS;
    splitter->before_ns = splitter->time_ns;
    splitter->time_ns = time_ns;
}

static bool hand_out(struct wire_splitter *splitter, enum wire_piece_kind kind, size_t size,
                     struct wire_piece *piece)
{
    bool is_old = splitter->at + size <= splitter->old;
    *piece = (struct wire_piece){.kind = kind,
                                 .bytes = splitter->held + splitter->at,
                                 .size = size,
                                 .time_ns = is_old ? splitter->before_ns : splitter->time_ns};
    splitter->at += size;
    return true;
}

/* A line of text with its end, or all that there is. */
static bool next_line(struct wire_splitter *splitter, bool is_over, size_t size,
                      struct wire_piece *piece)
{
    const uint8_t *bytes = splitter->held + splitter->at;
    if (bytes[0] >= 0x80)
        return hand_out(splitter, WIRE_PIECE_FRAME, size, piece);
    size_t end = 0;
    while (end < size && bytes[end] != '\r' && bytes[end] != '\n')
        end++;
    while (end < size && (bytes[end] == '\r' || bytes[end] == '\n'))
        end++;
    bool is_whole = end > 0 && (bytes[end - 1] == '\r' || bytes[end - 1] == '\n');
    return (is_whole || is_over) && hand_out(splitter, WIRE_PIECE_FRAME, end, piece);
}

static bool is_single(const struct wire_framing *framing, uint8_t byte)
{
    return framing->singles && byte != 0 && strchr(framing->singles, byte);
}

/* Bytes at the front that begin no frame. */
static bool next_noise(struct wire_splitter *splitter, size_t size, struct wire_piece *piece)
{
    const struct wire_framing *framing = splitter->framing;
    const uint8_t *bytes = splitter->held + splitter->at;
    if (is_single(framing, bytes[0]))
        return hand_out(splitter, WIRE_PIECE_FRAME, 1, piece);
    size_t end = 1;
    while (end < size && !may_begin(framing, bytes + end, size - end) &&
           !is_single(framing, bytes[end]))
        end++;
    return hand_out(splitter, WIRE_PIECE_NOISE, end, piece);
}

/* The next piece of the first SIZE bytes held. IS_OVER: no more will join them. */
static bool next_of(struct wire_splitter *splitter, size_t size, bool is_over,
                    struct wire_piece *piece)
{
    const struct wire_framing *framing = splitter->framing;
    const uint8_t *bytes = splitter->held + splitter->at;
    if (!framing)
        return hand_out(splitter, WIRE_PIECE_FRAME, size, piece);
    if (framing->line)
        return next_line(splitter, is_over, size, piece);
    if (!may_begin(framing, bytes, size))
        return next_noise(splitter, size, piece);
    long whole = size < framing->head_size ? NOT_YET : frame_size(framing, bytes, size);
    if (whole == NO_FRAME)
        return hand_out(splitter, WIRE_PIECE_BAD_LENGTH,
                        search(framing, bytes, 1, framing->length_at + 1u), piece);
    if (whole == NOT_YET || (size_t)whole > size)
        return is_over &&
               hand_out(splitter, WIRE_PIECE_CUT, search(framing, bytes, 1, size), piece);
    if (is_check_good(framing, bytes, (size_t)whole))
        return hand_out(splitter, WIRE_PIECE_FRAME, (size_t)whole, piece);
    return hand_out(splitter, WIRE_PIECE_BAD_CHECK, search(framing, bytes, 1, (size_t)whole),
                    piece);
}

bool wire_splitter_next(struct wire_splitter *splitter, bool is_end, struct wire_piece *piece)
{
    // What was held before a silence stands alone.
    if (splitter->is_old_over && splitter->at < splitter->old)
        return next_of(splitter, splitter->old - splitter->at, true, piece);
    return splitter->at < splitter->used &&
           next_of(splitter, splitter->used - splitter->at, is_end, piece);
}
