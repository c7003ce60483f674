/* Splits streams into frames as the rows of data describe them. */
#include "protocols/framing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_YET = -1, NO_FRAME = 0 };

enum { TEXT_MAX = 160 }; /* of a line between frames; chosen: a longer line is noise */

size_t wire_framing_max(const struct wire_framing *framing)
{
    size_t most = framing->text ? TEXT_MAX + 2 : 0;
    most = framing->size > most ? framing->size : most;
    size_t by_length = (size_t)framing->length_max + framing->length_extra;
    if (framing->length_at > 0 && by_length > most)
        most = by_length;
    for (size_t i = 0; framing->sizes && framing->sizes[i].size > 0; i++) {
        const struct wire_first_byte *row = &framing->sizes[i];
        size_t size = row->size + (row->count_at > 0 ? (size_t)row->each * UINT8_MAX : 0);
        most = size > most ? size : most;
    }
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

/* ---- The meaning of bytes ---- */

static const struct wire_first_byte *row_of(const struct wire_framing *framing, uint8_t byte)
{
    for (size_t i = 0; framing->sizes[i].size > 0; i++)
        if (framing->sizes[i].byte == byte)
            return &framing->sizes[i];
    return NULL;
}

/* Whether BYTES can be the beginning of a frame. */
static bool may_begin(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < framing->head_size && i < size; i++) // shorter than a call of memcmp
        if (bytes[i] != framing->head[i])
            return false;
    return !framing->sizes || row_of(framing, bytes[0]);
}

static bool is_single(const struct wire_framing *framing, uint8_t byte)
{
    return framing->singles && byte != 0 && strchr(framing->singles, byte);
}

static bool is_text(const struct wire_framing *framing, uint8_t byte)
{
    return framing->text && byte >= ' ' && byte <= '~';
}

/* Number of bytes at the front that can belong to a text. If a text is one line, its line end is
 * not counted. */
static size_t text_run(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    size_t lines = framing->text->size, most = lines > 0 ? lines : TEXT_MAX, end = 0;
    while (
        end < size && end < most &&
        (is_text(framing, bytes[end]) || (lines > 0 && (bytes[end] == '\r' || bytes[end] == '\n'))))
        end++;
    return end;
}

/* Size of the text that begins here, including its end. 0: incomplete, or not a text. */
static size_t text_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    size_t end = text_run(framing, bytes, size), lines = framing->text->size;
    if (lines > 0)
        return end == lines ? end : 0;
    end += end < size && bytes[end] == '\r';
    return end < size && bytes[end] == '\n' ? end + 1 : 0;
}

/* Whether the frame ends after its id. */
static bool is_bare(const struct wire_framing *framing, const uint8_t *bytes)
{
    return framing->long_bit != 0 && !(bytes[framing->id_at] & framing->long_bit);
}

/* The length field of frames that may begin a series; its bit 30 is SERIES. */
static uint32_t long_length(const struct wire_framing *framing, const uint8_t *bytes)
{
    const uint8_t *at = bytes + framing->length_at;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

enum { SERIES = 1 << 30 };

static bool begins_series(const struct wire_framing *framing, const uint8_t *bytes)
{
    return framing->series && (long_length(framing, bytes) & SERIES);
}

static long long_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (size < framing->length_at + 4u)
        return NOT_YET;
    uint32_t word = long_length(framing, bytes), length = word & ~(uint32_t)SERIES;
    if (length < framing->length_min || length > framing->length_max)
        return NO_FRAME;
    return framing->length_extra + (word & SERIES ? 0 : (long)length);
}

/* Size of the frame that begins here. NOT_YET: too few bytes. NO_FRAME: the length is
 * impossible. */
static long frame_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (framing->sizes) {
        const struct wire_first_byte *row = row_of(framing, bytes[0]);
        if (row->count_at >= size)
            return NOT_YET;
        return (long)row->size + (row->count_at > 0 ? row->each * bytes[row->count_at] : 0);
    }
    if (framing->series)
        return long_size(framing, bytes, size);
    if (framing->long_bit != 0 && size <= framing->id_at)
        return NOT_YET;
    if (is_bare(framing, bytes))
        return framing->id_at + 1;
    if (framing->length_at == 0)
        return (long)framing->size;
    if (size <= framing->length_at + (size_t)framing->has_wide_length)
        return NOT_YET;
    unsigned length = bytes[framing->length_at];
    if (framing->has_wide_length)
        length |= (unsigned)bytes[framing->length_at + 1] << 8;
    if (length < framing->length_min || length > framing->length_max)
        return NO_FRAME;
    return (long)length + framing->length_extra;
}

/* Size of the checksum after the body, in bytes. */
static size_t check_size(const struct wire_framing *framing, const uint8_t *bytes)
{
    if (framing->check == WIRE_CHECK_NONE || is_bare(framing, bytes))
        return 0;
    return framing->check >= WIRE_CHECK_SUM_TWICE ? 2 : 1;
}

/* The correct checksum of a frame. */
static uint16_t check_of(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    const uint8_t *from = bytes + framing->check_from;
    size_t covered = size - check_size(framing, bytes) - framing->check_from;
    switch (framing->check) {
    case WIRE_CHECK_XOR:
        return wire_xor(from, covered);
    case WIRE_CHECK_SUM:
        return wire_sum(from, covered);
    case WIRE_CHECK_SUM_NOT:
        return (uint8_t)~wire_sum(from, covered);
    case WIRE_CHECK_SUM_ZERO:
        return (uint8_t)-wire_sum(from, covered);
    case WIRE_CHECK_CRC8:
        return wire_crc8(from, covered);
    case WIRE_CHECK_SUM_TWICE:
        return (uint16_t)((0xFF - wire_sum(from, covered)) * 0x101);
    case WIRE_CHECK_CRC16:
        return wire_crc16(from, covered);
    case WIRE_CHECK_NONE:
        break;
    }
    return 0;
}

static bool is_check_good(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    size_t check = check_size(framing, bytes);
    unsigned low = bytes[size - (check == 2 ? 2 : 1)], high = check == 2 ? bytes[size - 1] : 0;
    return check == 0 || check_of(framing, bytes, size) == (low | high << 8);
}

/* Index of the first byte from FROM on that may begin a frame; SIZE: none. */
static size_t search(const struct wire_framing *framing, const uint8_t *bytes, size_t from,
                     size_t size)
{
    while (from < size && !may_begin(framing, bytes + from, size - from))
        from++;
    return from;
}

/* ---- One frame ---- */

size_t wire_frame_size(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (!framing || framing->line)
        return WIRE_SIZE_UNKNOWN;
    if (is_single(framing, bytes[0]))
        return 1;
    if (is_text(framing, bytes[0]))
        return text_size(framing, bytes, size);
    if (size < framing->head_size || !may_begin(framing, bytes, size))
        return 0;
    long whole = frame_size(framing, bytes, size);
    return whole > 0 ? (size_t)whole : 0;
}

bool wire_frame_is_good(const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (!framing || size == 0)
        return false;
    if (!framing->line)
        return size == wire_frame_size(framing, bytes, size) &&
               (is_single(framing, bytes[0]) || is_text(framing, bytes[0]) ||
                is_check_good(framing, bytes, size));
    uint8_t last = bytes[size - 1];
    if (!framing->has_end)
        return true;
    if (bytes[0] >= 0x80)
        return size > 1 && last == 0;
    return bytes[0] > ' ' && (last == '\r' || last == '\n');
}

/* The packets of a type, and the range of each id in that list. */
struct catalog {
    const struct wire_packet *const *packets;
    const struct wire_index *index; /* NULL: linear search */
};

static const struct wire_packet *find_in(const struct catalog *in, enum wire_direction direction,
                                         uint8_t id, size_t size)
{
    const struct wire_packet *found = NULL;
    size_t at = in->index ? in->index->of[direction][id].from : 0;
    size_t end = in->index ? in->index->of[direction][id].end : SIZE_MAX;
    for (; at < end && in->packets[at]; at++) {
        const struct wire_packet *packet = in->packets[at];
        if (packet->direction != direction || packet->id != id || packet->has_no_id)
            continue;
        if (packet->size == size)
            return packet;
        bool is_open = packet->repeat && size > packet->size;
        found = found && !is_open ? found : packet;
    }
    return found;
}

static const struct wire_packet *find_packet(const struct wire_packet *const *packets,
                                             enum wire_direction direction, uint8_t id, size_t size)
{
    return find_in(&(struct catalog){packets, NULL}, direction, id, size);
}

void wire_index_make(struct wire_index *index, const struct wire_packet *const *packets)
{
    *index = (struct wire_index){0};
    for (size_t i = 0; packets[i] && i < UINT16_MAX; i++) {
        const struct wire_packet *packet = packets[i];
        bool is_first = index->of[packet->direction][packet->id].end == 0;
        if (packet->has_no_id)
            continue;
        if (is_first)
            index->of[packet->direction][packet->id].from = (uint16_t)i;
        index->of[packet->direction][packet->id].end = (uint16_t)(i + 1);
    }
}

enum { PARTS_MAX = UINT8_MAX + 1 }; /* of a frame whose length is one byte */

struct part {
    const struct wire_packet *packet;
    const uint8_t *bytes; /* begins with its id */
    size_t head, body;
};

/* Finds the part at the front of BYTES. False: it is not complete, or its id is unknown and has no
 * size. */
static bool find_part(const struct wire_framing *framing, const struct catalog *in,
                      enum wire_direction direction, const uint8_t *bytes, size_t size,
                      struct part *part)
{
    bool is_sized = framing->parts == WIRE_PARTS_SIZED;
    size_t head = is_sized ? 2 : 1;
    if (size < head)
        return false;
    const struct wire_packet *packet = find_in(in, direction, bytes[0], is_sized ? bytes[1] : 0);
    if (!is_sized && !packet)
        return false;
    *part = (struct part){packet, bytes, head, is_sized ? bytes[1] : packet->size};
    return part->body <= size - head;
}

/* Calls VISIT for the parts of a payload. False: a part is incomplete, and VISIT was not called. */
static bool walk_parts(const struct wire_framing *framing, const struct catalog *in,
                       enum wire_direction direction, const uint8_t *bytes, size_t size,
                       wire_visit *visit, void *user)
{
    struct part parts[PARTS_MAX];
    size_t count = 0;
    for (size_t at = 0; at < size; count++) {
        if (count == PARTS_MAX ||
            !find_part(framing, in, direction, bytes + at, size - at, &parts[count]))
            return false;
        at += parts[count].head + parts[count].body;
    }
    for (size_t i = 0; i < count; i++)
        visit(user, parts[i].packet, parts[i].bytes[0], parts[i].bytes + parts[i].head,
              parts[i].body);
    return true;
}

enum { STUFFED_MAX = 2048 }; /* of a stuffed frame; chosen: more than any framing allows */

/* wire_frame_walk of a good frame. */
static bool walk(const struct wire_framing *framing, const struct catalog *in,
                 enum wire_direction direction, const uint8_t *frame, size_t size,
                 wire_visit *visit, void *user)
{
    const struct wire_packet *bare = framing->line                  ? framing->line
                                     : is_single(framing, frame[0]) ? framing->single
                                     : is_text(framing, frame[0])   ? framing->text
                                                                    : NULL;
    if (bare) {
        visit(user, bare, bare->id, frame, size);
        return true;
    }
    size_t end = size - check_size(framing, frame);
    uint8_t plain[STUFFED_MAX];
    size_t from = framing->stuffed_from;
    if (from > 0 && end <= sizeof plain && wire_is_stuffed(frame + from, end - from)) {
        memcpy(plain, frame, from);
        end = from + wire_unstuff(frame + from, end - from, plain + from);
        frame = plain;
    }
    if (begins_series(framing, frame)) {
        visit(user, framing->series, framing->series->id, frame + framing->length_at,
              end - framing->length_at);
        return true;
    }
    size_t at = is_bare(framing, frame) ? end : framing->body_at;
    assert(at <= end);
    if (framing->parts != WIRE_PARTS_NONE)
        return walk_parts(framing, in, direction, frame + at, end - at, visit, user);
    const struct wire_packet *packet = framing->only;
    uint8_t id = packet ? packet->id : frame[framing->id_at];
    if (!packet)
        packet = find_in(in, direction, id, end - at);
    visit(user, packet, id, frame + at, end - at);
    return true;
}

bool wire_frame_walk(const struct wire_framing *framing, const struct wire_packet *const *packets,
                     enum wire_direction direction, const uint8_t *frame, size_t size,
                     wire_visit *visit, void *user)
{
    return wire_frame_is_good(framing, frame, size) &&
           walk(framing, &(struct catalog){packets, NULL}, direction, frame, size, visit, user);
}

bool wire_index_walk(const struct wire_index *index, const struct wire_framing *framing,
                     const struct wire_packet *const *packets, enum wire_direction direction,
                     const uint8_t *frame, size_t size, wire_visit *visit, void *user)
{
    // The splitter accepts a line of text without its line end, so lines are checked here.
    bool is_one = framing && (!framing->line || wire_frame_is_good(framing, frame, size));
    return is_one &&
           walk(framing, &(struct catalog){packets, index}, direction, frame, size, visit, user);
}

/* ---- Series ---- */

static enum wire_repeat repeat_of(const struct wire_framing *framing, uint8_t id)
{
    const struct wire_promise *row = framing ? framing->promises : NULL;
    for (; row && (row->ids_at > 0 || row->repeat != WIRE_ONCE); row++)
        if (row->id == id)
            return row->repeat;
    return WIRE_ONCE;
}

/* Whether BYTES can be the beginning of a packet of a series. */
static bool may_repeat(enum wire_repeat repeat, const uint8_t *bytes, size_t size)
{
    if (repeat == WIRE_NODES)
        return ((bytes[0] ^ bytes[0] >> 1) & 1) && (size < 2 || (bytes[1] & 1));
    return repeat == WIRE_CAPSULES && bytes[0] >> 4 == 0xA && (size < 2 || bytes[1] >> 4 == 0x5);
}

/* SIZE is at least 2. */
static bool is_repeat_good(enum wire_repeat repeat, const uint8_t *bytes, size_t size)
{
    return may_repeat(repeat, bytes, size) &&
           (repeat != WIRE_CAPSULES ||
            wire_xor(bytes + 2, size - 2) == ((bytes[0] & 0x0F) | (bytes[1] & 0x0F) << 4));
}

static void seal_capsule(uint8_t *bytes, size_t size)
{
    uint8_t sum = wire_xor(bytes + 2, size - 2);
    bytes[0] = (uint8_t)(0xA0 | (sum & 0x0F));
    bytes[1] = (uint8_t)(0x50 | sum >> 4);
}

uint16_t wire_promised_as(const struct wire_framing *framing, const struct wire_packet *packet)
{
    bool is_one = packet->direction == WIRE_TO_HOST && !packet->has_no_id &&
                  repeat_of(framing, packet->id) != WIRE_ONCE;
    return is_one ? (uint16_t)(packet->id + 1) : 0;
}

/* ---- Writing ---- */

/* Writes all bytes before the body, which begins at AT. */
static void put_head(const struct wire_framing *framing, const struct wire_packet *packet,
                     size_t body, size_t at, uint8_t *out)
{
    memset(out, 0, at);
    memcpy(out, framing->head, framing->head_size);
    if (framing->device_at > 0)
        out[framing->device_at] = framing->device;
    if (framing->parts == WIRE_PARTS_NONE) {
        if (!framing->only && packet != framing->series)
            out[framing->id_at] = packet->id;
        return;
    }
    out[framing->body_at] = packet->id;
    if (framing->parts == WIRE_PARTS_SIZED)
        out[framing->body_at + 1] = (uint8_t)body;
}

/* Whether the packet is sent without anything before its body. */
static bool is_alone(const struct wire_framing *framing, const struct wire_packet *packet)
{
    return packet == framing->line || packet == framing->single || packet == framing->text ||
           wire_promised_as(framing, packet) != 0;
}

/* Whether frames of this format carry the packet. */
static bool is_carried(const struct wire_framing *framing, const struct wire_packet *packet)
{
    if (is_alone(framing, packet) || packet == framing->series)
        return true;
    return packet->has_no_id ? packet == framing->only : !framing->line;
}

static size_t body_at(const struct wire_framing *framing, const struct wire_packet *packet,
                      bool ends_here)
{
    if (is_alone(framing, packet))
        return 0;
    if (packet == framing->series)
        return framing->length_at;
    if (ends_here)
        return framing->id_at + 1u;
    return framing->body_at + (framing->parts == WIRE_PARTS_SIZED   ? 2u
                               : framing->parts == WIRE_PARTS_KNOWN ? 1u
                                                                    : 0u);
}

size_t wire_frame_wrap(const struct wire_framing *framing, const struct wire_packet *packet,
                       const uint8_t *body, size_t size, uint8_t *out)
{
    if (!framing || !is_carried(framing, packet))
        return 0;
    bool ends_here = framing->long_bit != 0 && !(packet->id & framing->long_bit);
    size_t at = body_at(framing, packet, ends_here);
    if (size > 0)
        memmove(out + at, body, size);
    if (is_alone(framing, packet)) {
        if (repeat_of(framing, packet->id) == WIRE_CAPSULES && wire_promised_as(framing, packet))
            seal_capsule(out, size);
        return size;
    }
    put_head(framing, packet, size, at, out);
    if (ends_here)
        return at;
    size_t end = at + size, from = framing->stuffed_from;
    if (from > 0)
        end = from + wire_stuff(out + from, end - from);
    size_t check = check_size(framing, out), whole = end + check;
    if (framing->length_at > 0 && packet != framing->series) {
        out[framing->length_at] = (uint8_t)(whole - framing->length_extra);
        if (framing->has_wide_length)
            out[framing->length_at + 1] = (uint8_t)((whole - framing->length_extra) >> 8);
    }
    uint16_t sum = check > 0 ? check_of(framing, out, whole) : 0;
    for (size_t i = 0; i < check; i++)
        out[end + i] = (uint8_t)(sum >> 8 * i);
    return whole;
}

/* ---- Promises ---- */

/* Whether the packet can have a body of this size. */
static bool has_size(const struct wire_packet *packet, size_t size)
{
    return packet && (packet->size == size || (packet->repeat && size > packet->size));
}

bool wire_promised_walk(const struct wire_framing *framing,
                        const struct wire_packet *const *packets, uint16_t promised,
                        const uint8_t *bytes, size_t size, wire_visit *visit, void *user)
{
    uint8_t id = (uint8_t)(promised - 1);
    enum wire_repeat repeat = repeat_of(framing, id);
    const struct wire_packet *packet = find_packet(packets, WIRE_TO_HOST, id, size);
    if (!has_size(packet, size) ||
        (repeat != WIRE_ONCE && (size < 2 || !is_repeat_good(repeat, bytes, size))))
        return false;
    visit(user, packet, id, bytes, size);
    return true;
}

static void promise(struct wire_promises *promises, uint8_t id, uint32_t size,
                    enum wire_repeat repeat)
{
    if (size > 0 && promises->count < WIRE_PROMISES_MAX)
        promises->queue[promises->count++] =
            (struct wire_promised){.size = size, .id = id, .repeat = repeat};
}

/* The series in progress; NULL: none. */
static const struct wire_promised *series_of(const struct wire_promises *promises)
{
    bool is_one = promises->count > 0 && promises->queue[0].repeat != WIRE_ONCE;
    return is_one ? &promises->queue[0] : NULL;
}

/* The next promise was kept: removes it, unless it is a series. */
static void keep_promise(struct wire_promises *promises, int64_t now_ns)
{
    promises->at_ns = now_ns;
    if (series_of(promises))
        return;
    promises->count--;
    memmove(promises->queue, promises->queue + 1, promises->count * sizeof *promises->queue);
}

static void promise_by_row(struct wire_promises *promises, const struct wire_framing *framing,
                           const struct wire_promise *row, const struct wire_packet *const *packets,
                           const uint8_t *frame, size_t size)
{
    size_t end = size - check_size(framing, frame);
    size_t last = row->id_count > 0 ? row->ids_at + (size_t)row->id_count : end;
    for (size_t i = row->ids_at; row->ids_at > 0 && i < last && i < end; i++) {
        const struct wire_packet *packet = find_packet(packets, WIRE_TO_HOST, frame[i], 0);
        promise(promises, frame[i], packet ? packet->size : 0, WIRE_ONCE);
    }
    if (row->repeat == WIRE_ONCE || !begins_series(framing, frame))
        return;
    uint32_t length = long_length(framing, frame) & ~(uint32_t)SERIES;
    promises->count = 0; // it ends the series before it
    if (length >= 2 && has_size(find_packet(packets, WIRE_TO_HOST, row->id, length), length))
        promise(promises, row->id, length, row->repeat);
}

void wire_promises_note(struct wire_promises *promises, const struct wire_framing *framing,
                        const struct wire_packet *const *packets, enum wire_direction direction,
                        const uint8_t *frame, size_t size, int64_t now_ns)
{
    bool is_request = direction == WIRE_TO_ROBOT;
    if (is_request && now_ns - promises->at_ns > WIRE_SILENCE_NS && !series_of(promises))
        promises->count = 0;
    promises->is_asked = is_request;
    const struct wire_promise *row = framing ? framing->promises : NULL;
    for (; row && (row->ids_at > 0 || row->repeat != WIRE_ONCE); row++) {
        if (size <= framing->id_at || row->id != frame[framing->id_at])
            continue;
        promises->at_ns = now_ns;
        promise_by_row(promises, framing, row, packets, frame, size);
    }
}

/* promised_size for a series. Two kinds of frames come before the series: an answer to a request,
 * and a frame at a place where no good packet of the series begins. */
static size_t series_size(const struct wire_promised *series, bool is_asked,
                          const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    bool is_frame = may_begin(framing, bytes, size) &&
                    (size < framing->head_size || frame_size(framing, bytes, size) != NO_FRAME);
    if ((is_frame && is_asked) || !may_repeat(series->repeat, bytes, size))
        return 0;
    bool is_good = size < series->size || is_repeat_good(series->repeat, bytes, series->size);
    return is_frame && !is_good ? 0 : series->size;
}

/* Size of the next promised packet if BYTES begin with it; otherwise 0. */
static size_t promised_size(const struct wire_promises *promises,
                            const struct wire_framing *framing, const uint8_t *bytes, size_t size)
{
    if (promises->count == 0)
        return 0;
    if (series_of(promises))
        return series_size(series_of(promises), promises->is_asked, framing, bytes, size);
    size_t whole = wire_frame_size(framing, bytes, size);
    bool is_frame = framing->check != WIRE_CHECK_NONE && whole > 0 && whole <= size &&
                    wire_frame_is_good(framing, bytes, whole);
    return is_frame ? 0 : promises->queue[0].size;
}

uint16_t wire_promises_cut(struct wire_promises *promises, const struct wire_framing *framing,
                           const struct wire_packet *const *packets, const uint8_t *bytes,
                           size_t *size, int64_t now_ns)
{
    size_t wanted = framing ? promised_size(promises, framing, bytes, *size) : 0;
    const struct wire_promised *next = promises->queue;
    bool is_kept = wanted > 0 && wanted <= *size &&
                   (next->repeat == WIRE_ONCE || is_repeat_good(next->repeat, bytes, wanted));
    if (!is_kept) {
        if (!framing || !framing->promises || wire_frame_is_good(framing, bytes, *size))
            wire_promises_note(promises, framing, packets, WIRE_TO_HOST, bytes, *size, now_ns);
        return 0;
    }
    uint16_t promised = (uint16_t)(next->id + 1);
    *size = wanted;
    keep_promise(promises, now_ns);
    return promised;
}

/* ---- The stream ---- */

bool wire_splitter_open(struct wire_splitter *splitter, const struct wire_framing *framing,
                        size_t run_max)
{
    // An incomplete frame is shorter than the longest frame.
    size_t room = run_max + (framing ? wire_framing_max(framing) : 0);
    *splitter = (struct wire_splitter){.framing = framing, .room = room, .held = malloc(room)};
    return splitter->held;
}

void wire_splitter_join(struct wire_splitter *splitter, enum wire_direction direction,
                        struct wire_promises *promises, const struct wire_packet *const *packets)
{
    splitter->direction = direction;
    splitter->promises = promises;
    splitter->packets = packets;
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
    // A line of text has no maximum length. If there is no room, its beginning is dropped.
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

/* A line of text with its end. IS_OVER: also a line without end. */
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

/* The series in progress in this direction; NULL: none. */
static const struct wire_promised *series_here(const struct wire_splitter *splitter)
{
    bool may_be = splitter->promises && splitter->direction == WIRE_TO_HOST;
    return may_be ? series_of(splitter->promises) : NULL;
}

/* Like search, but also stops at a byte that may begin a packet of a series. */
static size_t search_any(const struct wire_splitter *splitter, const uint8_t *bytes, size_t size)
{
    const struct wire_promised *series = series_here(splitter);
    size_t end = search(splitter->framing, bytes, 1, size);
    for (size_t i = 1; series && i < end; i++)
        if (may_repeat(series->repeat, bytes + i, size - i))
            return i;
    return end;
}

/* Bytes at the front that are not part of a frame. IS_OVER: no further bytes belong to them. */
static bool next_noise(struct wire_splitter *splitter, size_t size, bool is_over,
                       struct wire_piece *piece)
{
    const struct wire_framing *framing = splitter->framing;
    const uint8_t *bytes = splitter->held + splitter->at;
    if (is_single(framing, bytes[0]))
        return hand_out(splitter, WIRE_PIECE_FRAME, 1, piece);
    if (is_text(framing, bytes[0])) {
        size_t text = text_size(framing, bytes, size), run = text_run(framing, bytes, size);
        if (text > 0)
            return hand_out(splitter, WIRE_PIECE_FRAME, text, piece);
        bool may_end = run < TEXT_MAX && (run == size || (run + 1 == size && bytes[run] == '\r'));
        return (is_over || !may_end) &&
               hand_out(splitter, WIRE_PIECE_NOISE, search_any(splitter, bytes, run), piece);
    }
    size_t any = search_any(splitter, bytes, size), end = 1;
    while (end < any && !is_single(framing, bytes[end]) && !is_text(framing, bytes[end]))
        end++;
    return hand_out(splitter, WIRE_PIECE_NOISE, end, piece);
}

/* The next promised packet, which has WANTED bytes. SIZE bytes are available. */
static bool next_promised(struct wire_splitter *splitter, size_t wanted, size_t size, bool is_over,
                          struct wire_piece *piece)
{
    struct wire_promises *promises = splitter->promises;
    const struct wire_promised *series = series_here(splitter);
    const uint8_t *bytes = splitter->held + splitter->at;
    if (wanted > size && is_over) {
        promises->count = series ? promises->count : 0;
        return hand_out(splitter, WIRE_PIECE_CUT, series ? search_any(splitter, bytes, size) : size,
                        piece);
    }
    if (wanted > size)
        return false;
    if (series && !is_repeat_good(series->repeat, bytes, wanted))
        return hand_out(splitter, WIRE_PIECE_BAD_CHECK, search_any(splitter, bytes, wanted), piece);
    hand_out(splitter, WIRE_PIECE_FRAME, wanted, piece);
    piece->promised = (uint16_t)(promises->queue[0].id + 1);
    keep_promise(promises, piece->time_ns);
    return true;
}

/* The next piece of the first SIZE held bytes. IS_OVER: no further bytes belong to them. */
static bool next_of(struct wire_splitter *splitter, size_t size, bool is_over,
                    struct wire_piece *piece)
{
    const struct wire_framing *framing = splitter->framing;
    const uint8_t *bytes = splitter->held + splitter->at;
    if (!framing)
        return hand_out(splitter, WIRE_PIECE_FRAME, size, piece);
    if (framing->line)
        return next_line(splitter, is_over, size, piece);
    if (splitter->promises && splitter->direction == WIRE_TO_HOST) {
        size_t wanted = promised_size(splitter->promises, framing, bytes, size);
        if (wanted > 0)
            return next_promised(splitter, wanted, size, is_over, piece);
    }
    if (!may_begin(framing, bytes, size))
        return next_noise(splitter, size, is_over, piece);
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
    // Bytes from before a silence do not form a frame with bytes after it.
    bool is_old = splitter->is_old_over && splitter->at < splitter->old;
    size_t end = is_old ? splitter->old : splitter->used;
    if (splitter->at >= end || !next_of(splitter, end - splitter->at, is_old || is_end, piece))
        return false;
    if (splitter->promises && piece->kind == WIRE_PIECE_FRAME && piece->promised == 0)
        wire_promises_note(splitter->promises, splitter->framing, splitter->packets,
                           splitter->direction, piece->bytes, piece->size, piece->time_ns);
    return true;
}
