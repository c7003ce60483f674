/* Bytes of a channel as frames: how a host's bytes are split, why a robot refused the others, and
 * packets that a frame has promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/registry.h"
#include "sim/watch/frame_ring.h"
#include "sim/watch/frame_splitter.h"

/* Base control 100 mm/s straight on (Kobuki protocol, Base Control). */
static const uint8_t drive_on[] = {0xaa, 0x55, 6, 1, 4, 0x64, 0x00, 0x00, 0x00, 0x67};

enum { PIECES_MAX = 16, BYTES_MAX = 1024 };

/* The pieces that the splitter delivered. */
static struct {
    size_t count;
    struct frame_piece pieces[PIECES_MAX];
    uint8_t bytes[BYTES_MAX]; /* of all pieces, concatenated */
    size_t size;
} seen;

static void keep(void *context, const struct frame_piece *piece)
{
    (void)context;
    assert_in_range(seen.count, 0, PIECES_MAX - 1);
    assert_in_range(piece->size, 1, BYTES_MAX - seen.size);
    memcpy(seen.bytes + seen.size, piece->bytes, piece->size);
    seen.pieces[seen.count] = *piece;
    seen.pieces[seen.count++].bytes = seen.bytes + seen.size;
    seen.size += piece->size;
}

static struct frame_splitter splitter;
static struct frame_splitter_user user;
static struct robot_stats stats;

static void begin_with(const char *type)
{
    splitter = (struct frame_splitter){0};
    stats = (struct robot_stats){0};
    seen.count = seen.size = 0;
    user = (struct frame_splitter_user){.type = registry_find(type), .take = keep};
    assert_non_null(user.type);
}

static int begin(void **state)
{
    (void)state;
    begin_with("kobuki");
    return 0;
}

static void push(const void *bytes, size_t size, int64_t at_us)
{
    frame_splitter_push(&splitter, &user, bytes, size, &stats, at_us);
}

static void check_piece(size_t number, size_t size, bool is_good, int64_t at_us)
{
    assert_true(number < seen.count);
    const struct frame_piece *piece = &seen.pieces[number];
    assert_int_equal(piece->size, size);
    assert_int_equal(piece->is_good, is_good);
    assert_int_equal(piece->at_us, at_us);
}

/* ---- To the robot ---- */

static void a_frame_is_whole_wherever_it_is_split(void **state)
{
    (void)state;
    for (size_t each = 1; each <= sizeof drive_on; each++) {
        begin(state);
        for (size_t at = 0; at < sizeof drive_on; at += each) {
            size_t left = sizeof drive_on - at;
            stats.frames = left <= each;
            push(drive_on + at, left < each ? left : each, 1000 + (int64_t)at);
        }
        assert_int_equal(seen.count, 1);
        assert_true(seen.pieces[0].is_good && seen.pieces[0].direction == WIRE_TO_ROBOT);
        assert_int_equal(seen.size, sizeof drive_on);
        assert_memory_equal(seen.bytes, drive_on, sizeof drive_on);
    }
}

static void more_bytes_than_it_holds_come_out_in_order(void **state)
{
    (void)state;
    uint8_t bytes[2 * FRAME_SPLITTER_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i % 100);
    memcpy(bytes + 150, drive_on, sizeof drive_on);
    memcpy(bytes + 310, drive_on, sizeof drive_on);
    stats.frames = 2;
    push(bytes, sizeof bytes, 1000);
    frame_splitter_end(&splitter, &user);
    assert_int_equal(seen.size, sizeof bytes);
    assert_memory_equal(seen.bytes, bytes, sizeof bytes);
    size_t good = 0;
    for (size_t i = 0; i < seen.count; i++)
        if (seen.pieces[i].is_good) {
            good++;
            assert_int_equal(seen.pieces[i].size, sizeof drive_on);
            assert_memory_equal(seen.pieces[i].bytes, drive_on, sizeof drive_on);
        }
    assert_int_equal(good, 2);
}

/* The bytes are one piece with the time of their last one, and only this piece has the cause. */
static void refused_bytes_have_the_cause_for_which_they_were_refused(void **state)
{
    (void)state;
    static const size_t counters[REFUSALS] = {
        [REFUSAL_BAD_LENGTH] = offsetof(struct robot_stats, bad_lengths),
        [REFUSAL_UNKNOWN_ID] = offsetof(struct robot_stats, unknown_ids),
        [REFUSAL_BAD_FRAME] = offsetof(struct robot_stats, bad_frames),
        [REFUSAL_NOISE] = offsetof(struct robot_stats, noise_bytes),
    };
    for (unsigned cause = 0; cause < REFUSALS; cause++) {
        const uint64_t three = 3;
        begin(state);
        memcpy((char *)&stats + counters[cause], &three, sizeof three);
        assert_int_equal(refusal_count(&stats, cause), 3);
        push("\x01\x02\x03", 3, 1000);
        stats.frames = 1;
        push(drive_on, sizeof drive_on, 5000);
        push(drive_on, 4, 6000);
        frame_splitter_end(&splitter, &user);
        assert_int_equal(seen.count, 3);
        check_piece(0, 3, false, 1000);
        check_piece(1, sizeof drive_on, true, 5000);
        check_piece(2, 4, false, 6000);
        assert_int_equal(seen.pieces[0].causes, 1u << cause);
        assert_int_equal(seen.pieces[1].causes, 0);
        assert_int_equal(seen.pieces[2].causes, 0);
    }
}

/* They may until the silence is so long that no further byte can join them. */
static void bytes_that_were_not_refused_may_become_a_frame(void **state)
{
    (void)state;
    const int64_t silence_us = WIRE_SILENCE_NS / 1000;
    const int64_t pauses_us[] = {1, 4000, silence_us, silence_us + 1};
    for (size_t i = 0; i < sizeof pauses_us / sizeof pauses_us[0]; i++) {
        bool is_over = pauses_us[i] > silence_us;
        begin(state);
        push(drive_on, 5, 1000);
        stats.frames = !is_over;
        push(drive_on + 5, 5, 1000 + pauses_us[i]);
        assert_int_equal(seen.count, 1);
        check_piece(0, is_over ? 5 : 10, !is_over, 1000 + (is_over ? 0 : pauses_us[i]));
    }
}

/* ---- To the host: an answer of a Create 2 is raw data, without a head ---- */

enum { BUMPS = 7, WALL = 8, DISTANCE = 19 }; /* Open Interface: 1, 1 and 2 bytes */

static void ask(const uint8_t *ids, uint8_t count, int64_t at_us)
{
    uint8_t list[2 + 8] = {149, count}; /* query list */
    memcpy(list + 2, ids, count);
    seen.count = seen.size = 0;
    stats.frames++;
    push(list, 2 + (size_t)count, at_us);
    assert_int_equal(seen.count, 1);
    check_piece(0, 2 + (size_t)count, true, at_us);
    seen.count = seen.size = 0;
}

static void answer(const char *bytes, size_t size, int64_t at_us)
{
    seen.count = seen.size = 0;
    frame_splitter_sent(&splitter, &user, (const uint8_t *)bytes, size, true, at_us);
    assert_int_equal(seen.size, size);
    assert_memory_equal(seen.bytes, bytes, size);
}

static void check_promised(size_t number, size_t size, uint8_t id, int64_t at_us)
{
    check_piece(number, size, true, at_us);
    assert_int_equal(seen.pieces[number].direction, WIRE_TO_HOST);
    assert_int_equal(seen.pieces[number].promised, id + 1);
}

static void an_answer_is_cut_into_the_packets_that_were_asked_for(void **state)
{
    (void)state;
    begin_with("create2");
    ask((const uint8_t[]){DISTANCE, BUMPS}, 2, 1000);
    answer("\x01\x02\x03", 3, 2000);
    assert_int_equal(seen.count, 2);
    check_promised(0, 2, DISTANCE, 2000);
    check_promised(1, 1, BUMPS, 2000);
    // No further promise remains.
    answer("\x01\x02\x03", 3, 3000);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.pieces[0].promised, 0);
}

static void refused_bytes_promise_nothing(void **state)
{
    (void)state;
    begin_with("create2");
    push("\x95\x01\x07", 3, 1000); /* a query list that was not counted as a request */
    frame_splitter_end(&splitter, &user);
    assert_int_equal(seen.count, 1);
    check_piece(0, 3, false, 1000);
    answer("\x01", 1, 2000);
    assert_int_equal(seen.pieces[0].promised, 0);
}

static void what_the_wire_does_not_take_is_bad(void **state)
{
    (void)state;
    begin_with("create2");
    frame_splitter_sent(&splitter, &user, (const uint8_t *)"\x01\x02", 2, false, 2000);
    assert_int_equal(seen.count, 1);
    check_piece(0, 2, false, 2000);
}

/* Late in a run, where a wrong unit of time becomes visible. */
static const int64_t late_us = 3600 * INT64_C(1000000);

static void an_answer_that_goes_on_outlives_the_next_request(void **state)
{
    (void)state;
    begin_with("create2");
    ask((const uint8_t[]){DISTANCE, BUMPS}, 2, late_us);
    answer("\x01\x02", 2, late_us + 150000);
    check_promised(0, 2, DISTANCE, late_us + 150000);
    ask((const uint8_t[]){WALL}, 1, late_us + 300000);
    answer("\x03\x04", 2, late_us + 310000);
    assert_int_equal(seen.count, 2);
    check_promised(0, 1, BUMPS, late_us + 310000);
    check_promised(1, 1, WALL, late_us + 310000);
}

static void an_answer_that_has_ended_early_is_forgotten_with_the_next_request(void **state)
{
    (void)state;
    begin_with("create2");
    ask((const uint8_t[]){DISTANCE, BUMPS}, 2, late_us);
    answer("\x01\x02", 2, late_us + 10000);
    check_promised(0, 2, DISTANCE, late_us + 10000);
    ask((const uint8_t[]){WALL}, 1, late_us + 500000);
    answer("\x04", 1, late_us + 510000);
    assert_int_equal(seen.count, 1);
    check_promised(0, 1, WALL, late_us + 510000);
}

/* ---- The last bytes ---- */

static void a_ring_keeps_the_beginning_of_each_of_the_last_frames(void **state)
{
    (void)state;
    struct frame_ring ring = {0};
    uint8_t bytes[FRAME_RING_BYTES + 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    static const size_t sizes[] = {1, 10, FRAME_RING_BYTES, FRAME_RING_BYTES + 8};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct frame_record *record = &ring.records[ring.total % FRAME_RING_COUNT];
        frame_ring_add(&ring, &(struct frame_piece){.bytes = bytes,
                                                    .size = sizes[i],
                                                    .at_us = 5 + (int64_t)i,
                                                    .is_good = i % 2 == 0,
                                                    .promised = (uint16_t)i});
        size_t kept = sizes[i] < FRAME_RING_BYTES ? sizes[i] : FRAME_RING_BYTES;
        assert_int_equal(record->size, sizes[i]);
        assert_int_equal(record->kept, kept);
        assert_memory_equal(record->bytes, bytes, kept);
        assert_int_equal(record->at_us, 5 + (int64_t)i);
        assert_int_equal(record->is_good, i % 2 == 0);
        assert_int_equal(record->promised, i);
    }
    for (size_t i = 0; i < FRAME_RING_COUNT; i++)
        frame_ring_add(&ring, &(struct frame_piece){.bytes = &bytes[i], .size = 1});
    assert_int_equal(ring.total, 4 + FRAME_RING_COUNT);
    for (uint64_t i = 0; i < FRAME_RING_COUNT; i++)
        assert_int_equal(ring.records[(ring.total - 1 - i) % FRAME_RING_COUNT].bytes[0],
                         FRAME_RING_COUNT - 1 - i);
}

#define CASE(name) cmocka_unit_test_setup(name, begin)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_frame_is_whole_wherever_it_is_split),
        CASE(more_bytes_than_it_holds_come_out_in_order),
        CASE(refused_bytes_have_the_cause_for_which_they_were_refused),
        CASE(bytes_that_were_not_refused_may_become_a_frame),
        CASE(an_answer_is_cut_into_the_packets_that_were_asked_for),
        CASE(refused_bytes_promise_nothing),
        CASE(what_the_wire_does_not_take_is_bad),
        CASE(an_answer_that_goes_on_outlives_the_next_request),
        CASE(an_answer_that_has_ended_early_is_forgotten_with_the_next_request),
        CASE(a_ring_keeps_the_beginning_of_each_of_the_last_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
