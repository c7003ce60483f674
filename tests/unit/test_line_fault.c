/* Faults of one wire: the bytes and frames that they hit, the times of held bytes, and a wire that
 * is emptied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/wire/line.h"

enum { FRAME_MAX = 128, MS = 1000, KEY = 5 };
#define ALWAYS INT64_MAX

static struct line *open_line(uint32_t baud)
{
    struct line *line =
        line_create(&(struct line_config){.baud = baud, .frame_max = FRAME_MAX, .rng_key = KEY});
    assert_non_null(line);
    line_set_host(line, true);
    return line;
}

/* Takes the bytes that have arrived by NOW. */
static size_t take_all(struct line *line, uint8_t *out, int64_t now_us)
{
    const uint8_t *bytes;
    size_t size, total = 0;
    while (line_to_host(line, &bytes, &size, now_us)) {
        memcpy(out + total, bytes, size);
        total += size;
    }
    return total;
}

/* Faults without a line, and the memory that they need. */
struct alone {
    struct line_faults faults;
    uint8_t *room;
    uint64_t counts[LINE_FAULT_KINDS];
};

static struct alone alone_open(enum line_way way, uint32_t baud)
{
    enum { HOLD = 4096 };
    struct alone alone = {.room = calloc(1, line_faults_room(FRAME_MAX, HOLD))};
    assert_non_null(alone.room);
    line_faults_init(&alone.faults, KEY, way, baud, FRAME_MAX, HOLD, alone.room);
    return alone;
}

static void set(struct alone *alone, enum line_fault_kind kind, struct line_fault fault)
{
    fault.until_us = ALWAYS;
    alone->faults.faults[kind] = fault;
}

/* ---- Which ones are hit ---- */

/* Frame number i of a direction, counted from 0, is hit for each i whose number is hit. */
static void a_frame_is_hit_by_its_number_since_the_start(void **state)
{
    (void)state;
    enum { FRAMES = 100 };
    const struct line_fault drop = {.rate = 0.5, .is_by_frame = true, .until_us = ALWAYS};
    for (int way = 0; way < LINE_WAYS; way++) {
        struct alone alone = alone_open((enum line_way)way, 0);
        struct line *line = open_line(0);
        size_t hits = 0;
        set(&alone, LINE_FAULT_DROP, drop);
        line_set_fault(line, (enum line_way)way, LINE_FAULT_DROP, &drop);
        for (int i = 0; i < FRAMES; i++) {
            const uint8_t frame[2] = {(uint8_t)i, (uint8_t)i};
            const uint8_t *out;
            uint8_t got[4];
            size_t left = line_fault_damage(&alone.faults, frame, 2, 2 * (uint64_t)i, (uint64_t)i,
                                            i * MS, &out, alone.counts);
            if (way == LINE_TO_HOST)
                assert_true(line_frame(line, frame, 2, i * MS));
            else
                line_host_bytes(line, frame, 2, i * MS);
            size_t arrived = way == LINE_TO_HOST ? take_all(line, got, i * MS)
                                                 : line_to_robot(line, got, sizeof got, i * MS);
            assert_int_equal(arrived, left);
            hits += left == 0;
        }
        assert_in_range(hits, FRAMES / 4, FRAMES * 3 / 4);
        line_destroy(line);
        free(alone.room);
    }
}

static void a_silent_host_has_no_frame_that_a_fault_could_hit(void **state)
{
    (void)state;
    const struct line_fault every = {.rate = 1, .is_by_frame = true, .until_us = ALWAYS};
    static const enum line_fault_kind kinds[] = {LINE_FAULT_DROP, LINE_FAULT_DUPLICATE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct line *line = open_line(0);
        uint8_t byte = 1, out[8];
        line_set_fault(line, LINE_TO_ROBOT, kinds[i], &every);
        for (int64_t ms = 0; ms < 50; ms++) {
            if (ms == 20)
                line_host_bytes(line, &byte, 1, ms * MS);
            line_to_robot(line, out, sizeof out, ms * MS);
            assert_int_equal(line_stats(line)->faults[kinds[i]], ms >= 20);
        }
        line_destroy(line);
    }
}

static void inserted_bytes_are_random(void **state)
{
    (void)state;
    struct alone alone = alone_open(LINE_TO_HOST, 0);
    uint8_t frame[100];
    const uint8_t *out;
    bool is_there[256] = {false};
    size_t different = 0;
    memset(frame, 7, sizeof frame);
    set(&alone, LINE_FAULT_INSERT, (struct line_fault){.rate = 1});
    size_t size =
        line_fault_damage(&alone.faults, frame, sizeof frame, 0, 0, 0, &out, alone.counts);
    assert_int_equal(size, 2 * sizeof frame);
    for (size_t i = 0; i < size; i += 2) {
        assert_int_equal(out[i], 7);
        different += !is_there[out[i + 1]];
        is_there[out[i + 1]] = true;
    }
    assert_in_range(different, 50, 100);
    free(alone.room);
}

static void a_wire_without_baud_cannot_be_read_at_a_wrong_one(void **state)
{
    (void)state;
    struct alone alone = alone_open(LINE_TO_HOST, 0);
    uint8_t frame[10] = {1, 2, 3};
    const uint8_t *out;
    set(&alone, LINE_FAULT_BAUD, (struct line_fault){.quantity = 9600});
    assert_int_equal(
        line_fault_damage(&alone.faults, frame, sizeof frame, 0, 0, 0, &out, alone.counts),
        sizeof frame);
    assert_memory_equal(out, frame, sizeof frame);
    assert_int_equal(alone.counts[LINE_FAULT_BAUD], 0);
    free(alone.room);
}

/* Bytes of garbage have numbers too: 40 and then 100 are the same as 140. */
static void garbage_goes_on_where_that_of_the_last_host_ended(void **state)
{
    (void)state;
    uint8_t twice[140], once[140];
    for (int is_once = 0; is_once < 2; is_once++) {
        struct alone alone = alone_open(LINE_TO_HOST, 0);
        uint8_t *out = is_once ? once : twice;
        size_t got = 0, part;
        int64_t due_us;
        for (int i = is_once; i < 2; i++) {
            set(&alone, LINE_FAULT_GARBAGE,
                (struct line_fault){.quantity = is_once  ? 140
                                                : i == 0 ? 40
                                                         : 100});
            alone.faults.has_greeted = false;
            line_fault_greet(&alone.faults, 0, alone.counts);
            while ((part = line_fault_pass(&alone.faults, out + got, 140 - got, 0, &due_us)) > 0)
                got += part;
        }
        assert_int_equal(got, 140);
        assert_int_equal(alone.counts[LINE_FAULT_GARBAGE], 140);
        free(alone.room);
    }
    assert_memory_equal(twice, once, sizeof once);
}

/* ---- Time ---- */

static void hold(struct alone *alone, uint8_t byte, int64_t at_us)
{
    assert_true(line_fault_hold(&alone->faults, &byte, 1, at_us, at_us, alone->counts));
}

/* The first is delayed, the second is not: the wire gets it after the first. */
static void what_comes_behind_a_delayed_chunk_is_due_no_earlier(void **state)
{
    (void)state;
    struct alone alone = alone_open(LINE_TO_ROBOT, 0);
    uint8_t out;
    int64_t due_us;
    set(&alone, LINE_FAULT_DELAY, (struct line_fault){.rate = 1, .span_us = 10 * MS});
    hold(&alone, 1, 0);
    set(&alone, LINE_FAULT_DELAY, (struct line_fault){.rate = 0});
    hold(&alone, 2, 1 * MS);
    assert_int_equal(line_fault_pass(&alone.faults, &out, 1, 10 * MS - 1, &due_us), 0);
    for (uint8_t i = 1; i <= 2; i++) {
        assert_int_equal(line_fault_pass(&alone.faults, &out, 1, 50 * MS, &due_us), 1);
        assert_int_equal(out, i);
        assert_int_equal(due_us, 10 * MS);
    }
    free(alone.room);
}

/* More chunks than are counted: the last ones wait together, and each of them waits long enough. */
static void what_is_joined_to_the_last_chunk_comes_no_earlier_than_it_is_due(void **state)
{
    (void)state;
    struct alone alone = alone_open(LINE_TO_ROBOT, 0);
    uint8_t out[4];
    int64_t due_us;
    size_t passed = 0, part;
    set(&alone, LINE_FAULT_DELAY, (struct line_fault){.rate = 1, .span_us = 10 * MS});
    for (int i = 0; i < LINE_HOLD_CHUNKS; i++)
        hold(&alone, 0, 0);
    hold(&alone, 1, 5 * MS);
    while ((part = line_fault_pass(&alone.faults, out, 1, 15 * MS - 1, &due_us)) > 0)
        passed += part;
    assert_int_equal(passed, LINE_HOLD_CHUNKS - 1);
    assert_int_equal(line_fault_pass(&alone.faults, out, 4, 15 * MS, &due_us), 2);
    assert_true(out[0] == 0 && out[1] == 1);
    free(alone.room);
}

static void the_fault_ftdi_cuts_by_size_and_its_own_latency_until_it_ends(void **state)
{
    (void)state;
    enum { FRAME = 81, LATENCY = 5 * MS, END = 500 * MS };
    struct line *line = open_line(115200);
    const struct line_fault fault = {.until_us = END, .span_us = LATENCY};
    const uint8_t frame[FRAME] = {1, 2, 3};
    const uint8_t *bytes;
    size_t size, small = 0, whole = 0;
    int64_t last_us = -LATENCY;
    line_set_fault(line, LINE_TO_HOST, LINE_FAULT_FTDI, &fault);
    for (int64_t now_us = 0; now_us < 1000 * MS; now_us += MS) {
        if (now_us % (20 * MS) == 0)
            assert_true(line_frame(line, frame, FRAME, now_us));
        while (line_to_host(line, &bytes, &size, now_us)) {
            whole += size == FRAME;
            if (now_us >= END)
                continue;
            assert_in_range(size, 1, 62);
            // A packet that is not full was sent by the timer.
            assert_true(size == 62 || now_us - last_us >= LATENCY);
            small += size < 62;
            last_us = now_us;
        }
    }
    assert_in_range(small, 25, 100);
    assert_in_range(whole, 23, 25);
    line_destroy(line);
}

/* Each direction has its memory. */
static void
bytes_that_are_held_towards_the_robot_do_not_suffer_from_faults_of_the_other_way(void **state)
{
    (void)state;
    enum { CHUNKS = LINE_HOLD_CHUNKS - 1, DELAY = 1000 * MS };
    struct line *line = open_line(0);
    uint8_t frame[FRAME_MAX], out[4];
    memset(frame, 0xff, sizeof frame);
    line_set_fault(line, LINE_TO_ROBOT, LINE_FAULT_DELAY,
                   &(struct line_fault){.rate = 1, .until_us = ALWAYS, .span_us = DELAY});
    line_set_fault(line, LINE_TO_HOST, LINE_FAULT_DUPLICATE,
                   &(struct line_fault){.rate = 1, .until_us = ALWAYS});
    for (int64_t i = 0; i < CHUNKS; i++) {
        const uint8_t *bytes;
        size_t size, heard = 0;
        line_host_bytes(line, &(uint8_t){(uint8_t)i}, 1, i * MS);
        assert_int_equal(line_to_robot(line, out, sizeof out, i * MS), 0);
        assert_true(line_frame(line, frame, sizeof frame, i * MS));
        while (line_to_host(line, &bytes, &size, i * MS))
            heard += size;
        assert_int_equal(heard, 2 * sizeof frame);
    }
    for (int64_t i = 0; i < CHUNKS; i++) {
        assert_int_equal(line_to_robot(line, out, sizeof out, i * MS + DELAY), 1);
        assert_int_equal(out[0], (uint8_t)i);
    }
    line_destroy(line);
}

/* ---- The largest frames ---- */

/* A camera image, and the largest number of bytes that a host may write at once. Faults triple each
 * byte, and the reader's clock is far too fast: there is room for the result. */
static void the_largest_frames_pass_through_all_faults_at_once(void **state)
{
    (void)state;
    enum { IMAGE = 38400, ROUNDS = 2 };
    static uint8_t image[IMAGE], out[4096];
    int64_t now_us = 0;
    struct line *line =
        line_create(&(struct line_config){.baud = 115200, .frame_max = IMAGE, .rng_key = KEY});
    const struct line_fault always = {.rate = 1, .until_us = ALWAYS};
    const struct line_fault baud = {.until_us = ALWAYS, .quantity = 3000000};
    assert_non_null(line);
    line_set_host(line, true);
    memset(image, 0x55, sizeof image);
    for (int way = 0; way < LINE_WAYS; way++) {
        line_set_fault(line, (enum line_way)way, LINE_FAULT_INSERT, &always);
        line_set_fault(line, (enum line_way)way, LINE_FAULT_DUPLICATE, &always);
        line_set_fault(line, (enum line_way)way, LINE_FAULT_BAUD, &baud);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t *bytes;
        size_t size;
        assert_int_equal(line_room(line), sizeof out);
        line_host_bytes(line, image, sizeof out, now_us);
        line_frame(line, image, IMAGE, now_us); // refused where the wire has no room for so much
        for (int i = 0; i < 100; i++, now_us += 100 * MS) {
            line_to_robot(line, out, sizeof out, now_us);
            while (line_to_host(line, &bytes, &size, now_us))
                assert_in_range(size, 1, 65536);
        }
    }
    // Each byte has one inserted, in both directions.
    assert_int_equal(line_stats(line)->faults[LINE_FAULT_INSERT], ROUNDS * (IMAGE + sizeof out));
    line_destroy(line);
}

/* ---- A wire that is emptied ---- */

static void an_emptied_wire_keeps_nothing_of_what_faults_held_back(void **state)
{
    (void)state;
    const struct line_fault late = {.rate = 1, .until_us = ALWAYS, .span_us = 50 * MS};
    struct line *line = open_line(115200);
    uint8_t bytes[20] = {1, 2, 3}, out[64];
    for (int way = 0; way < LINE_WAYS; way++)
        line_set_fault(line, (enum line_way)way, LINE_FAULT_DELAY, &late);
    // Bytes that are held on their way to the host and to the robot. The fault has not processed
    // them yet.
    assert_true(line_frame(line, bytes, sizeof bytes, 0));
    assert_int_equal(take_all(line, out, 10 * MS), 0);
    line_host_bytes(line, bytes, sizeof bytes, 0);
    assert_int_equal(line_to_robot(line, out, sizeof out, 10 * MS), 0);
    line_host_bytes(line, bytes, sizeof bytes, 10 * MS);
    line_reset(line, 10 * MS);
    assert_int_equal(line_room(line), 4096);
    assert_int_equal(line_to_robot(line, out, sizeof out, 500 * MS), 0);
    assert_int_equal(take_all(line, out, 500 * MS), 0);
    line_destroy(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_hit_by_its_number_since_the_start),
        cmocka_unit_test(a_silent_host_has_no_frame_that_a_fault_could_hit),
        cmocka_unit_test(inserted_bytes_are_random),
        cmocka_unit_test(a_wire_without_baud_cannot_be_read_at_a_wrong_one),
        cmocka_unit_test(garbage_goes_on_where_that_of_the_last_host_ended),
        cmocka_unit_test(what_comes_behind_a_delayed_chunk_is_due_no_earlier),
        cmocka_unit_test(what_is_joined_to_the_last_chunk_comes_no_earlier_than_it_is_due),
        cmocka_unit_test(the_fault_ftdi_cuts_by_size_and_its_own_latency_until_it_ends),
        cmocka_unit_test(
            bytes_that_are_held_towards_the_robot_do_not_suffer_from_faults_of_the_other_way),
        cmocka_unit_test(the_largest_frames_pass_through_all_faults_at_once),
        cmocka_unit_test(an_emptied_wire_keeps_nothing_of_what_faults_held_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
