/* Splitting of streams into frames. The result does not depend on the chunks, and each byte is in
 * exactly one piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/framing.h"
#include "protocols/registry.h"

static const struct wire_packet single_packet = {.name = "letter"}, line_packet = {.name = "line"};

/* AA 55, length of the bytes from here to the checksum, body; the checksum is the exclusive or of
 * length and body. */
static const struct wire_framing framing = {
    .head = {0xAA, 0x55},
    .head_size = 2,
    .length_at = 2,
    .length_min = 2,
    .length_max = 9,
    .length_extra = 4,
    .check = WIRE_CHECK_XOR,
    .check_from = 2,
    .body_at = 3,
    .singles = "xy",
    .single = &single_packet,
};

enum { MOST = 64 };

/* Pieces as text: a letter for each kind, and the bytes. */
struct seen {
    size_t count, bytes;
    enum wire_piece_kind kinds[MOST];
    size_t sizes[MOST];
    int64_t times_ns[MOST];
    uint8_t all[4096];
};

static void take(struct wire_splitter *splitter, bool is_end, struct seen *seen)
{
    struct wire_piece piece;
    while (wire_splitter_next(splitter, is_end, &piece)) {
        assert_in_range(seen->count, 0, MOST - 1);
        assert_true(piece.size > 0);
        seen->kinds[seen->count] = piece.kind;
        seen->times_ns[seen->count] = piece.time_ns;
        seen->sizes[seen->count++] = piece.size;
        memcpy(seen->all + seen->bytes, piece.bytes, piece.size);
        seen->bytes += piece.size;
    }
}

/* All pieces of BYTES, given STEP at a time. */
static struct seen split(const struct wire_framing *with, const void *bytes, size_t size,
                         size_t step)
{
    struct wire_splitter splitter;
    struct seen seen = {0};
    assert_true(wire_splitter_open(&splitter, with, 4096));
    for (size_t at = 0; at < size; at += step) {
        size_t part = size - at < step ? size - at : step;
        wire_splitter_push(&splitter, (const uint8_t *)bytes + at, part, 0);
        take(&splitter, false, &seen);
    }
    take(&splitter, true, &seen);
    wire_splitter_close(&splitter);
    assert_int_equal(seen.bytes, size);
    assert_memory_equal(seen.all, bytes, size);
    return seen;
}

struct expected {
    enum wire_piece_kind kind;
    size_t size;
};

static void expect(const struct seen *seen, const struct expected *pieces, size_t count)
{
    for (size_t i = 0; i < count && i < seen->count; i++) {
        assert_int_equal(seen->kinds[i], pieces[i].kind);
        assert_int_equal(seen->sizes[i], pieces[i].size);
    }
    assert_int_equal(seen->count, count);
}

#define GOOD "\xAA\x55\x02\x07\x09\x0C" /* 02 ^ 07 ^ 09 */

static void frames_are_found_in_any_chunks(void **state)
{
    (void)state;
    static const char bytes[] = GOOD "\xAA\x55\x03\x01\x02\x03\x03" GOOD;
    for (size_t step = 1; step < sizeof bytes; step++) {
        struct seen seen = split(&framing, bytes, sizeof bytes - 1, step);
        expect(&seen,
               (const struct expected[]){
                   {WIRE_PIECE_FRAME, 6}, {WIRE_PIECE_FRAME, 7}, {WIRE_PIECE_FRAME, 6}},
               3);
    }
}

static void what_is_no_frame_is_reported_by_its_cause(void **state)
{
    (void)state;
    struct seen seen = split(&framing, "\x01\x02" GOOD, 8, 100);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_NOISE, 2}, {WIRE_PIECE_FRAME, 6}}, 2);
    seen = split(&framing, "\xAA\x55\x02\x07\x09\x0D" GOOD, 12, 100);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_BAD_CHECK, 6}, {WIRE_PIECE_FRAME, 6}}, 2);
    seen = split(&framing, "\xAA\x55\x01" GOOD, 9, 100);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_BAD_LENGTH, 3}, {WIRE_PIECE_FRAME, 6}}, 2);
    seen = split(&framing, "\xAA\x55\x0A" GOOD, 9, 100);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_BAD_LENGTH, 3}, {WIRE_PIECE_FRAME, 6}}, 2);
    seen = split(&framing, GOOD "\xAA\x55\x02\x07", 10, 100);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 6}, {WIRE_PIECE_CUT, 4}}, 2);
}

/* One byte is lost, so the broken frame includes the beginning of the next frame, which is good. */
static void a_frame_inside_a_broken_one_is_found(void **state)
{
    (void)state;
    for (size_t step = 1; step < 12; step++) {
        struct seen seen = split(&framing, "\xAA\x55\x02\x07\x09" GOOD, 11, step);
        expect(&seen, (const struct expected[]){{WIRE_PIECE_BAD_CHECK, 5}, {WIRE_PIECE_FRAME, 6}},
               2);
    }
}

static void single_bytes_are_frames_outside_frames_only(void **state)
{
    (void)state;
    struct seen seen = split(&framing, "xz\xAA\x55\x02xy\x03y", 9, 100);
    expect(&seen,
           (const struct expected[]){{WIRE_PIECE_FRAME, 1},
                                     {WIRE_PIECE_NOISE, 1},
                                     {WIRE_PIECE_FRAME, 6},
                                     {WIRE_PIECE_FRAME, 1}},
           4);
}

/* An incomplete frame does not wait indefinitely: after a silence, the next bytes end it. */
static void silence_ends_a_frame(void **state)
{
    (void)state;
    struct wire_splitter splitter;
    struct seen seen = {0};
    assert_true(wire_splitter_open(&splitter, &framing, 4096));
    wire_splitter_push(&splitter, (const uint8_t *)"\xAA\x55\x09\x07", 4, 5);
    take(&splitter, false, &seen);
    assert_int_equal(seen.count, 0);
    wire_splitter_push(&splitter, (const uint8_t *)GOOD, 6, WIRE_SILENCE_NS + 6);
    take(&splitter, false, &seen);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_CUT, 4}, {WIRE_PIECE_FRAME, 6}}, 2);
    assert_int_equal(seen.times_ns[0], 5);
    assert_int_equal(seen.times_ns[1], WIRE_SILENCE_NS + 6);
    wire_splitter_close(&splitter);
    // Without a silence, both belong to one frame.
    assert_true(wire_splitter_open(&splitter, &framing, 4096));
    seen = (struct seen){0};
    wire_splitter_push(&splitter, (const uint8_t *)GOOD, 3, 5);
    wire_splitter_push(&splitter, (const uint8_t *)GOOD + 3, 3, WIRE_SILENCE_NS + 5);
    take(&splitter, false, &seen);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 6}}, 1);
    wire_splitter_close(&splitter);
}

static void sizes_by_the_first_byte(void **state)
{
    (void)state;
    static const struct wire_first_byte sizes[] = {
        {.byte = 1, .size = 3}, {.byte = 2, .size = 1}, {.size = 0}};
    static const struct wire_framing by_first = {.sizes = sizes, .body_at = 1};
    for (size_t step = 1; step < 8; step++) {
        struct seen seen = split(&by_first, "\x01zz\x02\x01\x01\x01", 7, step);
        expect(&seen,
               (const struct expected[]){
                   {WIRE_PIECE_FRAME, 3}, {WIRE_PIECE_FRAME, 1}, {WIRE_PIECE_FRAME, 3}},
               3);
    }
    struct seen seen = split(&by_first, "\x09\x02", 2, 2);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_NOISE, 1}, {WIRE_PIECE_FRAME, 1}}, 2);
}

static void lines_of_text_end_where_they_end(void **state)
{
    (void)state;
    static const struct wire_framing lines = {.line = &line_packet};
    for (size_t step = 2; step < 10; step++) {
        struct seen seen = split(&lines, "D,1\rN\r\n", 7, step == 2 ? 4 : 10);
        expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 4}, {WIRE_PIECE_FRAME, 3}}, 2);
    }
    struct seen seen = split(&lines, "\xBC\x0D\x00", 3, 3);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 3}}, 1);
    static const struct wire_framing ended = {.line = &line_packet, .has_end = true};
    assert_true(wire_frame_is_good(&ended, (const uint8_t *)"\xBC\x0D\x00", 3));
    assert_true(wire_frame_is_good(&ended, (const uint8_t *)"\xBC\x00", 2));
    assert_false(wire_frame_is_good(&ended, (const uint8_t *)"\xBC\x0D", 2));
    assert_false(wire_frame_is_good(&ended, (const uint8_t *)"\xBC", 1));
    seen = split(NULL, "any bytes", 9, 5);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 5}, {WIRE_PIECE_FRAME, 4}}, 2);
}

static void a_line_is_handed_out_with_its_end(void **state)
{
    (void)state;
    static const struct wire_framing lines = {.line = &line_packet};
    static const char *const runs[] = {"m 1\r", "e", "\r\n"};
    static const size_t counts[] = {1, 1, 2};
    struct wire_splitter splitter;
    struct seen seen = {0};
    assert_true(wire_splitter_open(&splitter, &lines, 64));
    for (size_t i = 0; i < COUNT(runs); i++) {
        wire_splitter_push(&splitter, (const uint8_t *)runs[i], strlen(runs[i]), 0);
        take(&splitter, false, &seen);
        assert_int_equal(seen.count, counts[i]);
    }
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 4}, {WIRE_PIECE_FRAME, 3}}, 2);
    wire_splitter_close(&splitter);
}

static void lines_between_frames_are_text(void **state)
{
    (void)state;
    static const struct wire_framing printing = {.head = {0x13},
                                                 .head_size = 1,
                                                 .length_at = 1,
                                                 .length_min = 1,
                                                 .length_max = 9,
                                                 .length_extra = 3,
                                                 .check = WIRE_CHECK_SUM_ZERO,
                                                 .text = &line_packet};
    static const char bytes[] = "hi you\r\n\x13\x01\x07\xE5"
                                "bat\n"
                                "cut\xFE"
                                "ok\r\n";
    for (size_t step = 1; step < 24; step++) {
        struct seen seen = split(&printing, bytes, sizeof bytes - 1, step);
        expect(&seen,
               (const struct expected[]){{WIRE_PIECE_FRAME, 8},
                                         {WIRE_PIECE_FRAME, 4},
                                         {WIRE_PIECE_FRAME, 4},
                                         {WIRE_PIECE_NOISE, 3},
                                         {WIRE_PIECE_NOISE, 1},
                                         {WIRE_PIECE_FRAME, 4}},
               6);
    }
    char endless[400];
    memset(endless, 'x', sizeof endless);
    struct seen seen = split(&printing, endless, sizeof endless, 7);
    assert_int_equal(seen.count, 3);
}

/* Random bytes on any line of any robot, in any chunks: each byte is in exactly one piece (checked
 * by split), and the pieces depend on the chunks only on lines without frames. */
static void any_bytes_give_the_same_pieces_in_any_chunks(void **state)
{
    (void)state;
    size_t count;
    const struct robot_type *const *types = registry_types(&count);
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < types[t]->channel_count; c++)
            for (int way = 0; way < 2; way++) {
                const struct wire_framing *with = types[t]->channels[c].frames[way];
                uint8_t bytes[48];
                if (!with || with->line)
                    continue;
                for (uint64_t seed = 0; seed < 200; seed++) {
                    // Many beginnings of frames.
                    for (size_t i = 0; i < sizeof bytes; i++) {
                        uint64_t random = rng_u64(seed, i);
                        bytes[i] =
                            random % 3 == 0 ? with->head[i % 2] : (uint8_t)(random >> 8 & 15);
                    }
                    struct seen whole = split(with, bytes, sizeof bytes, sizeof bytes);
                    struct seen parts = split(with, bytes, sizeof bytes, 1 + (size_t)(seed % 7));
                    size_t noise = 0;
                    for (size_t i = 0; i < whole.count; i++)
                        noise += whole.kinds[i] == WIRE_PIECE_FRAME ? whole.sizes[i] : 0;
                    for (size_t i = 0; i < parts.count; i++)
                        noise -= parts.kinds[i] == WIRE_PIECE_FRAME ? parts.sizes[i] : 0;
                    assert_int_equal(noise, 0);
                }
            }
}

/* ---- One frame ---- */

static size_t size_of(const struct wire_framing *with, const char *bytes, size_t size)
{
    return wire_frame_size(with, (const uint8_t *)bytes, size);
}

static void a_frame_reports_its_size_from_its_beginning(void **state)
{
    (void)state;
    assert_int_equal(size_of(&framing, GOOD, 2), 0); // too few
    assert_int_equal(size_of(&framing, GOOD, 3), 6);
    assert_int_equal(size_of(&framing, "\xAA\x55\x0A", 3), 0); // impossible
    assert_int_equal(size_of(&framing, "\xAA\x54\x02", 3), 0);
    assert_int_equal(size_of(&framing, "y", 1), 1);
    assert_true(size_of(NULL, "y", 1) == WIRE_SIZE_UNKNOWN);
}

/* Requests of iRobot: an opcode; some opcodes are followed by a byte that counts the rest. */
static void sizes_by_a_byte_that_counts(void **state)
{
    (void)state;
    static const struct wire_first_byte sizes[] = {
        {.byte = 128, .size = 1},
        {.byte = 140, .size = 3, .count_at = 2, .each = 2},
        {.byte = 149, .size = 2, .count_at = 1, .each = 1},
        {.size = 0}};
    static const struct wire_framing requests = {.sizes = sizes, .body_at = 1};
    for (size_t step = 1; step < 14; step++) {
        struct seen seen = split(&requests, "\x80\x8C\x00\x02zzzz\x95\x02\x07\x08\x80", 13, step);
        expect(&seen,
               (const struct expected[]){{WIRE_PIECE_FRAME, 1},
                                         {WIRE_PIECE_FRAME, 7},
                                         {WIRE_PIECE_FRAME, 4},
                                         {WIRE_PIECE_FRAME, 1}},
               4);
    }
    assert_int_equal(wire_framing_max(&requests), 3 + 2 * 255);
}

static const struct wire_first_byte asking_sizes[] = {
    {.byte = 142, .size = 2}, {.byte = 149, .size = 2, .count_at = 1, .each = 1}, {.size = 0}};
static const struct wire_promise asking_promises[] = {
    {.id = 142, .ids_at = 1, .id_count = 1}, {.id = 149, .ids_at = 2}, {.id = 0}};
static const struct wire_framing asking = {
    .sizes = asking_sizes, .body_at = 1, .promises = asking_promises};
/* 13, N, parts with ID and body, and a byte that makes the sum 0. */
static const struct wire_framing telling = {.head = {0x13},
                                            .head_size = 1,
                                            .length_at = 1,
                                            .length_max = 255,
                                            .length_extra = 3,
                                            .check = WIRE_CHECK_SUM_ZERO,
                                            .body_at = 2,
                                            .parts = WIRE_PARTS_KNOWN};
/* LiDAR requests end after their ID, except for those with bit 7. Replies are a descriptor, then
 * its packets. */
static const struct wire_framing measure_please = {.head = {0xA5},
                                                   .head_size = 1,
                                                   .long_bit = 0x80,
                                                   .id_at = 1,
                                                   .length_at = 2,
                                                   .length_max = 255,
                                                   .length_extra = 4,
                                                   .body_at = 3,
                                                   .check = WIRE_CHECK_XOR};
static const struct wire_packet descriptor = {.name = "descriptor", .has_no_id = true},
                                boot_text = {.name = "text", .has_no_id = true, .size = 8};
static const struct wire_promise series[] = {
    {.id = 0x81, .repeat = WIRE_NODES}, {.id = 0x83, .repeat = WIRE_CAPSULES}, {.id = 0}};
static const struct wire_framing measured = {.head = {0xA5, 0x5A},
                                             .head_size = 2,
                                             .length_at = 2,
                                             .length_max = 20,
                                             .length_extra = 7,
                                             .series = &descriptor,
                                             .id_at = 6,
                                             .body_at = 7,
                                             .text = &boot_text,
                                             .promises = series};

static const struct wire_packet seven = {.name = "seven", .id = 7, .size = 1},
                                nine = {.name = "nine", .id = 9, .size = 2},
                                node = {.name = "node", .id = 0x81, .size = 5},
                                capsule = {.name = "capsule", .id = 0x83, .size = 6},
                                asked = {.name = "asked", .id = 7, .direction = WIRE_TO_ROBOT},
                                longer = {.name = "longer", .id = 0x82, .direction = WIRE_TO_ROBOT};
static const struct wire_packet *const packets[] = {&asked,  &seven, &nine,    &descriptor,
                                                    &longer, &node,  &capsule, NULL};

static void put_part(void *user, const struct wire_packet *packet, uint8_t id, const uint8_t *body,
                     size_t size)
{
    (void)body;
    char *text = user, part[32];
    snprintf(part, sizeof part, "%s %u:%zu;", packet ? packet->name : "?", id, size);
    strcat(text, part);
}

static void walks(const struct wire_framing *with, enum wire_direction way, const char *frame,
                  size_t size, const char *expected)
{
    char text[256] = "";
    bool is_good =
        wire_frame_walk(with, packets, way, (const uint8_t *)frame, size, put_part, text);
    assert_int_equal(is_good, expected != NULL);
    assert_string_equal(text, expected ? expected : "");
}

static void frames_are_taken_apart(void **state)
{
    (void)state;
    walks(&telling, WIRE_TO_HOST, "\x13\x05\x07\x01\x09\x01\x02\xD4", 8, "seven 7:1;nine 9:2;");
    walks(&telling, WIRE_TO_HOST, "\x13\x05\x07\x01\x09\x01\x02\xD5", 8, NULL); // sum
    walks(&telling, WIRE_TO_HOST, "\x13\x02\x07\x01\xE3", 5, "seven 7:1;");
    walks(&telling, WIRE_TO_HOST, "\x13\x02\x08\x01\xE2", 5,
          NULL); // the length of part 8 is unknown
    walks(&telling, WIRE_TO_HOST, "\x13\x02\x09\x01\xE1", 5, NULL); // the part is cut off
    walks(&measure_please, WIRE_TO_ROBOT, "\xA5\x07", 2, "asked 7:0;");
    walks(&measure_please, WIRE_TO_ROBOT, "\xA5\x82\x01\x05\x23", 5, "longer 130:1;");
    walks(&measure_please, WIRE_TO_ROBOT, "\xA5\x82\x01\x05\x22", 5, NULL);
    walks(&measured, WIRE_TO_HOST, "\xA5\x5A\x05\x00\x00\x40\x81", 7, "descriptor 0:5;");
    walks(&measured, WIRE_TO_HOST, "\xA5\x5A\x02\x00\x00\x00\x09\x01\x02", 9, "nine 9:2;");
    walks(&measured, WIRE_TO_HOST, "\xA5\x5A\x15\x00\x00\x40\x81", 7, NULL);         // too long
    walks(&measured, WIRE_TO_HOST, "\xA5\x5A\x02\x01\x00\x00\x09\x01\x02", 9, NULL); // 258
    walks(&measured, WIRE_TO_HOST, "\xA5\x5A\x02\x00\x01\x00\x09\x01\x02", 9, NULL); // 65538
    walks(&measured, WIRE_TO_HOST, "ab\r\ncd\r\n", 8, "text 0:8;");
    walks(&framing, WIRE_TO_HOST, "y", 1, "letter 0:1;");
}

/* The packets are as a splitter returns them. The last line of a stream may have no line end. */
static void an_index_finds_the_packets_of_a_list(void **state)
{
    (void)state;
    static const struct wire_framing lines = {.line = &line_packet, .has_end = true};
    const uint8_t *frame = (const uint8_t *)"\x13\x02\x07\x01\xE3",
                  *line = (const uint8_t *)"m 1\r";
    struct wire_index index;
    char text[64] = "";
    wire_index_make(&index, packets);
    assert_true(wire_index_walk(&index, &telling, packets, WIRE_TO_HOST, frame, 5, put_part, text));
    assert_true(wire_index_walk(&index, &lines, packets, WIRE_TO_ROBOT, line, 4, put_part, text));
    assert_string_equal(text, "seven 7:1;line 0:4;");
    assert_false(wire_index_walk(&index, &lines, packets, WIRE_TO_ROBOT, line, 3, put_part, text));
    assert_false(wire_index_walk(&index, NULL, packets, WIRE_TO_ROBOT, line, 4, put_part, text));
    assert_string_equal(text, "seven 7:1;line 0:4;");

    // More packets than a number of the index can represent.
    static const struct wire_packet *many[UINT16_MAX + 3];
    for (size_t i = 0; i + 1 < COUNT(many); i++)
        many[i] = &seven;
    wire_index_make(&index, many);
    text[0] = '\0';
    assert_true(wire_index_walk(&index, &telling, many, WIRE_TO_HOST, frame, 5, put_part, text));
    assert_string_equal(text, "seven 7:1;");
}

/* Parsing a frame returns the packet that was written. */
static void frames_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const struct wire_framing stuffed = {
        .head = {0xFE}, .head_size = 1, .size = 8, .id_at = 1, .body_at = 2, .stuffed_from = 1};
    static const struct {
        const struct wire_framing *with;
        const struct wire_packet *packet;
        const char *body, *frame;
        size_t body_size, size;
    } rows[] = {
        {&telling, &nine, "\x01\x02", "\x13\x03\x09\x01\x02\xDE", 2, 6},
        {&measure_please, &asked, "", "\xA5\x07", 0, 2},
        {&measure_please, &longer, "\x05", "\xA5\x82\x01\x05\x23", 1, 5},
        {&measured, &descriptor, "\x05\x00\x00\x40\x81", "\xA5\x5A\x05\x00\x00\x40\x81", 5, 7},
        {&measured, &nine, "\x01\x02", "\xA5\x5A\x02\x00\x00\x00\x09\x01\x02", 2, 9},
        {&measured, &node, "\x02\x01\x02\x03\x04", "\x02\x01\x02\x03\x04", 5, 5},
        {&measured, &capsule, "\0\0\x12\x30\x01\x04", "\xA7\x52\x12\x30\x01\x04", 6, 6},
        {&framing, &single_packet, "x", "x", 1, 1},
        {&stuffed, &nine, "\xFF\xFF\xFD\x01", "\xFE\x09\xFF\xFF\xFD\xFD\x01", 4, 7},
        {&telling, &descriptor, "", "", 0, 0}, // not possible in such a frame
        {NULL, &nine, "\x01\x02", "", 2, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t out[32];
        size_t size = wire_frame_wrap(rows[i].with, rows[i].packet, (const uint8_t *)rows[i].body,
                                      rows[i].body_size, out);
        assert_int_equal(size, rows[i].size);
        assert_memory_equal(out, rows[i].frame, size);
    }
}

static void checks_are_those_of_their_protocols(void **state)
{
    (void)state;
    // The CRC of LDROBOT: polynomial 4D, over the usual check digits.
    assert_int_equal(wire_crc8((const uint8_t *)"123456789", 9), 0xC3);
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1 ^ (crc & 0x80 ? 0x4D : 0)) & 0xFF;
        assert_int_equal(wire_crc8(&(const uint8_t){(uint8_t)byte}, 1), crc);
    }
    static const struct wire_framing scan = {
        .head = {0x54, 0x2C}, .head_size = 2, .size = 5, .check = WIRE_CHECK_CRC8, .body_at = 2};
    uint8_t frame[5] = {0x54, 0x2C, 1, 2};
    frame[4] = wire_crc8(frame, 4);
    assert_true(wire_frame_is_good(&scan, frame, 5));
    frame[3] ^= 1;
    assert_false(wire_frame_is_good(&scan, frame, 5));
}

/* ---- Promises ---- */

struct line {
    struct wire_splitter ways[2];
    struct wire_promises promises;
    char text[512];
};

static void open_line(struct line *line, const struct wire_framing *to_host,
                      const struct wire_framing *to_robot)
{
    *line = (struct line){0};
    assert_true(wire_splitter_open(&line->ways[WIRE_TO_HOST], to_host, 256));
    assert_true(wire_splitter_open(&line->ways[WIRE_TO_ROBOT], to_robot, 256));
    for (int way = 0; way < 2; way++)
        wire_splitter_join(&line->ways[way], (enum wire_direction)way, &line->promises, packets);
}

/* Passes the bytes in steps and appends their pieces to the text: kind and size, and `=` with the
 * ID of a promise. */
static void pass(struct line *line, enum wire_direction way, const char *bytes, size_t size,
                 size_t step, int64_t now_ms)
{
    struct wire_piece piece;
    for (size_t at = 0; at < size; at += step) {
        size_t part = size - at < step ? size - at : step;
        wire_splitter_push(&line->ways[way], (const uint8_t *)bytes + at, part, now_ms * 1000000);
        while (wire_splitter_next(&line->ways[way], false, &piece)) {
            char text[64], id[16] = "";
            if (piece.promised)
                snprintf(id, sizeof id, "=%d", piece.promised - 1);
            snprintf(text, sizeof text, "%s%d:%zu%s ", way == WIRE_TO_HOST ? "<" : ">", piece.kind,
                     piece.size, id);
            strcat(line->text, text);
        }
    }
}

static void close_line(struct line *line, const char *expected)
{
    assert_string_equal(line->text, expected);
    wire_splitter_close(&line->ways[0]);
    wire_splitter_close(&line->ways[1]);
}

static void an_answer_is_what_was_asked_for(void **state)
{
    (void)state;
    for (size_t step = 1; step < 4; step++) {
        struct line line;
        open_line(&line, &telling, &asking);
        pass(&line, WIRE_TO_ROBOT, "\x8E\x09", 2, step, 1000);
        pass(&line, WIRE_TO_HOST, "\x13\x01", 2, step, 1010); // begins like a frame
        pass(&line, WIRE_TO_ROBOT, "\x95\x03\x07\x08\x09", 5, step,
             1020); // the length of part 8 is unknown
        pass(&line, WIRE_TO_HOST, "\x01\x02\x03", 3, step, 1030);
        close_line(&line, ">0:2 <0:2=9 >0:5 <0:1=7 <0:2=9 ");
    }
}

static void a_whole_frame_comes_before_what_was_promised(void **state)
{
    (void)state;
    struct line line;
    open_line(&line, &telling, &asking);
    pass(&line, WIRE_TO_ROBOT, "\x8E\x09", 2, 9, 1000);
    pass(&line, WIRE_TO_HOST, "\x13\x02\x07\x01\xE3\x01\x02", 7, 9, 1010);
    close_line(&line, ">0:2 <0:5 <0:2=9 ");
}

static void a_promise_that_nobody_keeps_is_forgotten(void **state)
{
    (void)state;
    struct line line;
    open_line(&line, &telling, &asking);
    pass(&line, WIRE_TO_ROBOT, "\x8E\x09", 2, 9, 1000);
    pass(&line, WIRE_TO_ROBOT, "\x8E\x07", 2, 9, 1201);
    pass(&line, WIRE_TO_HOST, "\x01", 1, 9, 1210);
    close_line(&line, ">0:2 >0:2 <0:1=7 ");
}

#define NODES_FOLLOW    "\xA5\x5A\x05\x00\x00\x40\x81"
#define CAPSULES_FOLLOW "\xA5\x5A\x06\x00\x00\x40\x83"
#define NODE            "\x02\x01\x02\x03\x04"
#define CAPSULE         "\xA7\x52\x12\x30\x01\x04"
#define LIKE_A_HEAD     "\xA5\x5A\x02\x00\x00\xA7" /* this is also a valid capsule */
#define NINE            "\xA5\x5A\x02\x00\x00\x00\x09\x01\x02"

static void a_series_goes_on_until_the_next_one(void **state)
{
    (void)state;
    for (size_t step = 1; step < 8; step++) {
        struct line line;
        open_line(&line, &measured, &measure_please);
        pass(&line, WIRE_TO_HOST, NODE, 5, 9, 900); // no request has promised a series
        pass(&line, WIRE_TO_ROBOT, "\xA5\x20", 2, step, 1000);
        pass(&line, WIRE_TO_HOST, NODES_FOLLOW NODE, 12, step, 5000);
        pass(&line, WIRE_TO_ROBOT, "\xA5\x50", 2, step, 5002);
        pass(&line, WIRE_TO_HOST, NODE NINE NODE, 19, step, 9000); // an answer between two nodes
        pass(&line, WIRE_TO_HOST, "ab\r\ncd\r\n" CAPSULES_FOLLOW CAPSULE, 21, step, 9900);
        close_line(&line,
                   "<3:5 >0:2 <0:7 <0:5=129 >0:2 <0:5=129 <0:9 <0:5=129 <0:8 <0:7 <0:6=131 ");
    }
}

/* The two lowest bits of a node's first byte differ, and the lowest of the second is 1. */
static void what_is_no_node_is_none_in_a_series(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\x03\x01\x02\x03\x04", "\x04\x01\x02\x03\x04",
                                        "\x02\x02\x02\x03\x04"};
    for (size_t i = 0; i < 3; i++) {
        struct line line;
        open_line(&line, &measured, &measure_please);
        pass(&line, WIRE_TO_HOST, NODES_FOLLOW NODE, 12, 12, 1000);
        pass(&line, WIRE_TO_HOST, wrong[i], 5, 5, 1001);
        assert_null(strstr(strstr(line.text, "=129") + 1, "=129"));
        wire_splitter_close(&line.ways[0]);
        wire_splitter_close(&line.ways[1]);
    }
}

/* Bytes like the head of a frame are a frame only if a request is pending, or if they are not a
 * valid capsule. With an impossible length they are never a frame. */
static void a_capsule_may_begin_like_a_frame(void **state)
{
    (void)state;
    for (size_t step = 1; step < 7; step++) {
        struct line line;
        open_line(&line, &measured, &measure_please);
        pass(&line, WIRE_TO_HOST, CAPSULES_FOLLOW LIKE_A_HEAD, 13, step, 1000);
        pass(&line, WIRE_TO_HOST, NINE, 9, step, 1001);
        pass(&line, WIRE_TO_ROBOT, "\xA5\x50", 2, step, 1002);
        pass(&line, WIRE_TO_HOST, LIKE_A_HEAD NINE CAPSULE, 21, step, 1003);
        close_line(&line, "<0:7 <0:6=131 <0:9 >0:2 <0:6=131 <0:9 <0:6=131 ");
    }
}

static void what_is_broken_in_a_series_costs_nothing_behind_it(void **state)
{
    (void)state;
    for (size_t step = 1; step < 7; step++) {
        struct line line;
        open_line(&line, &measured, &measure_please);
        pass(&line, WIRE_TO_HOST, CAPSULES_FOLLOW "\xA6\x52\x12\x30\x01\x04" CAPSULE, 19, step,
             1000);
        pass(&line, WIRE_TO_HOST, "\xA7\x52\x12" CAPSULE "\x01", 10, step, 1001);
        pass(&line, WIRE_TO_HOST, "\xA7\x52", 2, step, 1002);
        pass(&line, WIRE_TO_HOST, CAPSULE, 6, step, 1203); // after a silence
        close_line(&line, "<0:7 <1:6 <0:6=131 <1:3 <0:6=131 <3:1 <4:2 <0:6=131 ");
    }
}

/* The robot delivers everything that it sends at one time together. */
static void what_was_sent_at_once_is_cut_as_promised(void **state)
{
    (void)state;
    struct wire_promises promises = {0};
    const uint8_t request[] = {0x95, 2, 7, 9}, answer[] = {1, 2, 3}, frame[] = {0x13, 0, 0xED};
    wire_promises_note(&promises, &asking, packets, WIRE_TO_ROBOT, request, sizeof request, 1);
    size_t size = sizeof frame;
    assert_int_equal(wire_promises_cut(&promises, &telling, packets, frame, &size, 2), 0);
    assert_int_equal(size, sizeof frame);
    size = sizeof answer;
    assert_int_equal(wire_promises_cut(&promises, &telling, packets, answer, &size, 3), 1 + 7);
    assert_int_equal(size, 1);
    size = 2;
    assert_int_equal(wire_promises_cut(&promises, &telling, packets, answer + 1, &size, 4), 1 + 9);
    assert_int_equal(size, 2);
    assert_int_equal(wire_promises_cut(&promises, &telling, packets, answer, &size, 5), 0);
}

/* Only a complete frame promises a series. On a line without frames, nothing is known. */
static void what_a_robot_sends_at_once_may_promise_a_series(void **state)
{
    (void)state;
    struct wire_promises promises = {0};
    const uint8_t *node_bytes = (const uint8_t *)NODE;
    size_t size = 5;
    assert_int_equal(wire_promises_cut(&promises, NULL, packets, node_bytes, &size, 1), 0);
    assert_int_equal(size, 5);
    const uint8_t *begin = (const uint8_t *)NODES_FOLLOW "\x01";
    size = 8; // one byte too many: not a frame
    assert_int_equal(wire_promises_cut(&promises, &measured, packets, begin, &size, 2), 0);
    size = 5;
    assert_int_equal(wire_promises_cut(&promises, &measured, packets, node_bytes, &size, 3), 0);
    size = 7;
    assert_int_equal(wire_promises_cut(&promises, &measured, packets, begin, &size, 4), 0);
    size = 5;
    assert_int_equal(wire_promises_cut(&promises, &measured, packets, node_bytes, &size, 5),
                     1 + 0x81);
    assert_int_equal(size, 5);
}

static void text_has_all_printable_characters_and_lines_may_be_empty(void **state)
{
    (void)state;
    static const struct wire_framing printing = {.head = {0x13},
                                                 .head_size = 1,
                                                 .length_at = 1,
                                                 .length_min = 1,
                                                 .length_max = 9,
                                                 .length_extra = 3,
                                                 .check = WIRE_CHECK_SUM_ZERO,
                                                 .text = &line_packet};
    struct seen seen = split(&printing, "~a ~\n", 5, 5);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 5}}, 1);
    seen = split(&printing, " ~\n", 3, 3);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 3}}, 1);
    seen = split(&printing, "\x7f\x1f", 2, 2);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_NOISE, 2}}, 1);
    static const struct wire_framing lines = {.line = &line_packet};
    seen = split(&lines, "\rC\r\n\nD\n", 7, 7);
    expect(&seen,
           (const struct expected[]){
               {WIRE_PIECE_FRAME, 1}, {WIRE_PIECE_FRAME, 4}, {WIRE_PIECE_FRAME, 2}},
           3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_found_in_any_chunks),
        cmocka_unit_test(what_is_no_frame_is_reported_by_its_cause),
        cmocka_unit_test(a_frame_inside_a_broken_one_is_found),
        cmocka_unit_test(single_bytes_are_frames_outside_frames_only),
        cmocka_unit_test(silence_ends_a_frame),
        cmocka_unit_test(sizes_by_the_first_byte),
        cmocka_unit_test(lines_of_text_end_where_they_end),
        cmocka_unit_test(a_line_is_handed_out_with_its_end),
        cmocka_unit_test(lines_between_frames_are_text),
        cmocka_unit_test(any_bytes_give_the_same_pieces_in_any_chunks),
        cmocka_unit_test(a_frame_reports_its_size_from_its_beginning),
        cmocka_unit_test(sizes_by_a_byte_that_counts),
        cmocka_unit_test(frames_are_taken_apart),
        cmocka_unit_test(an_index_finds_the_packets_of_a_list),
        cmocka_unit_test(frames_are_written_as_they_are_read),
        cmocka_unit_test(checks_are_those_of_their_protocols),
        cmocka_unit_test(an_answer_is_what_was_asked_for),
        cmocka_unit_test(a_whole_frame_comes_before_what_was_promised),
        cmocka_unit_test(a_promise_that_nobody_keeps_is_forgotten),
        cmocka_unit_test(a_series_goes_on_until_the_next_one),
        cmocka_unit_test(what_is_no_node_is_none_in_a_series),
        cmocka_unit_test(a_capsule_may_begin_like_a_frame),
        cmocka_unit_test(what_is_broken_in_a_series_costs_nothing_behind_it),
        cmocka_unit_test(what_was_sent_at_once_is_cut_as_promised),
        cmocka_unit_test(what_a_robot_sends_at_once_may_promise_a_series),
        cmocka_unit_test(text_has_all_printable_characters_and_lines_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
