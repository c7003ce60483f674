/* Streams cut into frames: the same however the bytes come, and each byte in one piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/rng.h"
#include "protocols/framing.h"
#include "protocols/registry.h"

static const struct wire_packet single_packet = {.name = "letter"}, line_packet = {.name = "line"};

/* AA 55, length of what follows up to the exclusive or over length and body. */
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

/* Pieces as text: a letter a kind, and the bytes. */
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

static void what_is_no_frame_is_told_by_its_cause(void **state)
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

/* A byte was lost, so that the broken frame takes in the beginning of the good one behind it. */
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

/* The beginning of a frame does not wait for ever: with the next bytes it is over. */
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
    // Without silence they belong together.
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
    seen = split(NULL, "any bytes", 9, 5);
    expect(&seen, (const struct expected[]){{WIRE_PIECE_FRAME, 5}, {WIRE_PIECE_FRAME, 4}}, 2);
}

/* Whatever comes over any line of any robot, in whatever chunks: each byte is in one piece (split
 * checks that), and only lines without frames depend on the chunks. */
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
                    struct seen parts = split(with, bytes, sizeof bytes, 1 + seed % 7);
                    size_t noise = 0;
                    for (size_t i = 0; i < whole.count; i++)
                        noise += whole.kinds[i] == WIRE_PIECE_FRAME ? whole.sizes[i] : 0;
                    for (size_t i = 0; i < parts.count; i++)
                        noise -= parts.kinds[i] == WIRE_PIECE_FRAME ? parts.sizes[i] : 0;
                    assert_int_equal(noise, 0);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_found_in_any_chunks),
        cmocka_unit_test(what_is_no_frame_is_told_by_its_cause),
        cmocka_unit_test(a_frame_inside_a_broken_one_is_found),
        cmocka_unit_test(single_bytes_are_frames_outside_frames_only),
        cmocka_unit_test(silence_ends_a_frame),
        cmocka_unit_test(sizes_by_the_first_byte),
        cmocka_unit_test(lines_of_text_end_where_they_end),
        cmocka_unit_test(any_bytes_give_the_same_pieces_in_any_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
