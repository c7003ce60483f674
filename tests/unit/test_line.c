/* The wire: pacing in both directions, whole frames, chunks, and the moments when bytes are lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/wire/line.h"

enum { FRAME = 81, MS = 1000 };

static struct line *open_line(enum line_chunks chunks, uint32_t baud)
{
    struct line *line =
        line_create(&(struct line_config){.baud = baud, .frame_max = 128, .chunks = chunks});
    assert_non_null(line);
    line_set_host(line, true);
    return line;
}

static void fill(uint8_t *bytes, size_t size, uint8_t first)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(first + i);
}

/* Takes all bytes that have arrived by NOW_US; counts the chunks. */
static size_t take_all(struct line *line, uint8_t *out, int64_t now_us, int *chunks)
{
    const uint8_t *bytes;
    size_t size, total = 0;
    for (*chunks = 0; line_to_host(line, &bytes, &size, now_us); ++*chunks) {
        memcpy(out + total, bytes, size);
        total += size;
    }
    return total;
}

static void a_frame_arrives_whole_when_its_last_byte_would_have(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t frame[FRAME], out[256];
    int chunks;
    fill(frame, FRAME, 0);
    assert_true(line_frame(line, frame, FRAME, 0));
    // 81 bytes x 10 bits / 115200 baud = 7.03 ms
    assert_int_equal(take_all(line, out, 7 * MS, &chunks), 0);
    assert_int_equal(line_queued(line, 0), FRAME);
    assert_int_equal(take_all(line, out, 8 * MS, &chunks), FRAME);
    assert_int_equal(chunks, 1);
    assert_memory_equal(out, frame, FRAME);
    assert_int_equal(line_queued(line, 8 * MS), 0);
    line_destroy(line);
}

static void frames_queue_behind_each_other_and_keep_their_borders(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t frame[FRAME], out[512];
    int chunks;
    for (uint8_t i = 0; i < 3; i++) {
        fill(frame, FRAME, i);
        assert_true(line_frame(line, frame, FRAME, 0));
    }
    assert_int_equal(take_all(line, out, 14 * MS, &chunks), FRAME);
    assert_int_equal(take_all(line, out, 22 * MS, &chunks), 2 * FRAME);
    assert_int_equal(chunks, 2);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[FRAME], 2);
    assert_int_equal(line_stats(line)->to_host_frames, 3);
    line_destroy(line);
}

static void a_full_queue_refuses_whole_frames_and_counts_them(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 1200);
    uint8_t frame[FRAME], out[8192];
    int chunks, accepted = 0;
    fill(frame, FRAME, 0);
    for (int i = 0; i < 200; i++)
        accepted += line_frame(line, frame, FRAME, 0);
    assert_in_range(accepted, 4, 199);
    assert_int_equal(line_stats(line)->overruns, 200 - accepted);
    assert_int_equal(take_all(line, out, INT64_C(1000000) * MS, &chunks), accepted * FRAME);
    assert_int_equal(chunks, accepted);
    line_destroy(line);
}

static void the_ring_wraps_without_losing_a_byte(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t frame[101], out[256];
    int chunks;
    for (int i = 0; i < 1000; i++) {
        int64_t now_us = (int64_t)i * 20 * MS;
        fill(frame, sizeof frame, (uint8_t)i);
        assert_true(line_frame(line, frame, sizeof frame, now_us));
        assert_int_equal(take_all(line, out, now_us + 10 * MS, &chunks), sizeof frame);
        assert_memory_equal(out, frame, sizeof frame);
    }
    line_destroy(line);
}

static void bytes_from_a_host_reach_the_robot_at_the_baud_rate(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t bytes[1152], out[2048];
    fill(bytes, sizeof bytes, 7);
    line_host_bytes(line, bytes, sizeof bytes, 0);
    size_t total = line_to_robot(line, out, sizeof out, 0);
    assert_int_equal(total, 0);
    // 11.52 bytes a millisecond, so 1152 bytes in 100 ms
    for (int64_t ms = 1; ms <= 50; ms++)
        total += line_to_robot(line, out + total, sizeof out - total, ms * MS);
    assert_in_range(total, 575, 576);
    for (int64_t ms = 51; ms <= 101; ms++)
        total += line_to_robot(line, out + total, sizeof out - total, ms * MS);
    assert_int_equal(total, sizeof bytes);
    assert_memory_equal(out, bytes, sizeof bytes);
    line_destroy(line);
}

static void a_flood_is_held_back_and_nothing_of_it_is_lost(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t out[64];
    uint8_t next_in = 0, next_out = 0;
    size_t total = 0;
    for (int64_t ms = 0; ms < 2000; ms++) {
        for (size_t room = line_room(line); room > 0; room--)
            line_host_bytes(line, &(uint8_t){next_in++}, 1, ms * MS);
        size_t size = line_to_robot(line, out, sizeof out, ms * MS);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(out[i], next_out++);
        total += size;
    }
    assert_in_range(total, 23000, 23040);
    line_destroy(line);
}

static void without_baud_nothing_is_paced(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 0);
    uint8_t frame[FRAME] = {1}, out[256];
    int chunks;
    assert_true(line_frame(line, frame, FRAME, 5));
    assert_int_equal(take_all(line, out, 5, &chunks), FRAME);
    line_host_bytes(line, frame, FRAME, 5);
    assert_int_equal(line_to_robot(line, out, sizeof out, 5), FRAME);
    line_destroy(line);
}

static void nobody_hears_frames_that_end_before_a_host_comes(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t frame[FRAME] = {1}, out[256];
    int chunks;
    line_set_host(line, false);
    for (int64_t i = 0; i < 100; i++)
        assert_true(line_frame(line, frame, FRAME, i * 20 * MS));
    assert_int_equal(line_queued(line, 99 * 20 * MS), FRAME);
    assert_int_equal(line_queued(line, 99 * 20 * MS + 8 * MS), 0);
    assert_int_equal(take_all(line, out, 2000 * MS, &chunks), 0);
    assert_int_equal(line_stats(line)->unheard_frames, 100);
    line_set_host(line, true);
    assert_int_equal(take_all(line, out, 2000 * MS, &chunks), 0);
    line_destroy(line);
}

static void what_a_host_wrote_before_it_left_still_arrives(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t bytes[20] = {1, 2, 3}, out[64];
    line_host_bytes(line, bytes, sizeof bytes, 0);
    line_set_host(line, false);
    assert_int_equal(line_to_robot(line, out, sizeof out, 10 * MS), sizeof bytes);
    line_destroy(line);
}

static void a_pulled_cable_loses_both_directions(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t bytes[FRAME] = {1, 2, 3}, out[256];
    int chunks;
    line_host_bytes(line, bytes, sizeof bytes, 0);
    assert_true(line_frame(line, bytes, FRAME, 0));
    line_reset(line, 1 * MS);
    assert_int_equal(line_to_robot(line, out, sizeof out, 100 * MS), 0);
    assert_int_equal(take_all(line, out, 100 * MS, &chunks), 0);
    assert_true(line_frame(line, bytes, FRAME, 100 * MS));
    assert_int_equal(take_all(line, out, 108 * MS, &chunks), FRAME);
    line_destroy(line);
}

static void a_wire_that_was_emptied_is_free_at_once(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t bytes[FRAME] = {1, 2, 3}, out[256];
    int chunks;
    for (int i = 0; i < 3; i++)
        assert_true(line_frame(line, bytes, FRAME, 0)); // busy for 21 ms
    line_reset(line, 1 * MS);
    assert_true(line_frame(line, bytes, FRAME, 1 * MS));
    assert_int_equal(take_all(line, out, 8 * MS, &chunks), 0);
    assert_int_equal(take_all(line, out, 9 * MS, &chunks), FRAME);
    line_destroy(line);
}

static void byte_chunks_come_one_by_one_as_they_arrive(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_BYTE, 115200);
    uint8_t frame[FRAME], out[256];
    int chunks, most = 0;
    size_t total = 0;
    fill(frame, FRAME, 3);
    assert_true(line_frame(line, frame, FRAME, 0));
    for (int64_t ms = 1; ms <= 8; ms++) {
        size_t size = take_all(line, out + total, ms * MS, &chunks);
        assert_int_equal(size, chunks);
        if (chunks > most)
            most = chunks;
        total += size;
    }
    assert_int_equal(total, FRAME);
    assert_in_range(most, 11, 12);
    assert_memory_equal(out, frame, FRAME);
    assert_int_equal(line_stats(line)->to_host_frames, 1);
    line_destroy(line);
}

static void ftdi_chunks_are_full_usb_packets_or_what_the_latency_timer_finds(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FTDI, 115200);
    uint8_t frame[FRAME];
    const uint8_t *bytes;
    size_t size, total = 0, small = 0;
    int64_t last_us = 0;
    for (int64_t ms = 0; ms < 1000; ms++) {
        if (ms % 20 == 0) {
            fill(frame, FRAME, (uint8_t)ms);
            assert_true(line_frame(line, frame, FRAME, ms * MS));
        }
        while (line_to_host(line, &bytes, &size, ms * MS)) {
            assert_in_range(size, 1, 62);
            // A packet that is not full was sent by the timer, so at least 16 ms passed before it.
            if (size < 62 && ms > 16) {
                assert_true(ms * MS - last_us >= 15 * MS);
                small++;
            }
            total += size;
            last_us = ms * MS;
        }
    }
    assert_true(small > 10);
    assert_in_range(total, 48 * FRAME, 50 * FRAME);
    line_destroy(line);
}

static void a_wrong_baud_reads_other_bytes_both_ways_only_where_asked(void **state)
{
    (void)state;
    uint8_t frame[FRAME], out[256];
    int chunks;
    fill(frame, FRAME, 0);
    for (int strict = 0; strict < 2; strict++) {
        struct line *line = line_create(&(struct line_config){
            .baud = 115200, .frame_max = 128, .garble = strict, .rng_key = 5});
        line_set_host(line, true);
        line_set_host_baud(line, 9600);
        assert_true(line_frame(line, frame, FRAME, 0));
        size_t heard = take_all(line, out, 10 * MS, &chunks);
        // A reader twelve times too slow finds few bytes; one twelve times too fast finds many.
        assert_true(strict ? heard > 0 && heard < FRAME / 2
                           : heard == FRAME && memcmp(out, frame, FRAME) == 0);
        line_host_bytes(line, frame, FRAME, 0);
        heard = line_to_robot(line, out, sizeof out, 10 * MS);
        assert_true(strict ? heard > FRAME : heard == FRAME && memcmp(out, frame, FRAME) == 0);
        // The robot takes only as many bytes as it has room for.
        line_host_bytes(line, frame, FRAME, 10 * MS);
        assert_int_equal(line_to_robot(line, out, FRAME, 20 * MS), FRAME);
        line_set_host_baud(line, 115200);
        assert_true(line_frame(line, frame, FRAME, 20 * MS));
        assert_int_equal(take_all(line, out, 30 * MS, &chunks), FRAME);
        assert_memory_equal(out, frame, FRAME);
        line_destroy(line);
    }
}

/* The wire is emptied when a robot has no power. A firmware that asks then finds it free. */
static void an_emptied_wire_has_nothing_queued_also_without_a_host(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    uint8_t bytes[FRAME] = {1, 2, 3};
    for (int is_host = 0; is_host < 2; is_host++) {
        line_set_host(line, is_host);
        for (int i = 0; i < 3; i++)
            assert_true(line_frame(line, bytes, FRAME, is_host * 100 * MS));
        assert_int_equal(line_queued(line, is_host * 100 * MS), 3 * FRAME);
        line_reset(line, is_host * 100 * MS + 1 * MS);
        assert_int_equal(line_queued(line, is_host * 100 * MS + 1 * MS), 0);
    }
    line_destroy(line);
}

/* 10000 baud: a byte takes exactly a millisecond. */
static void a_frame_is_queued_until_the_moment_when_it_ends(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 10000);
    uint8_t bytes[5] = {1, 2, 3, 4, 5}, out[8];
    int chunks;
    line_set_host(line, false);
    assert_true(line_frame(line, bytes, sizeof bytes, 0));
    assert_int_equal(line_queued(line, 5 * MS - 1), sizeof bytes);
    assert_int_equal(line_queued(line, 5 * MS), 0);
    assert_int_equal(take_all(line, out, 5 * MS, &chunks), 0);
    line_set_host(line, true);
    assert_true(line_frame(line, bytes, sizeof bytes, 10 * MS));
    assert_int_equal(take_all(line, out, 15 * MS - 1, &chunks), 0);
    assert_int_equal(take_all(line, out, 15 * MS, &chunks), sizeof bytes);
    line_destroy(line);
}

static void a_robot_gets_no_more_bytes_than_it_has_room_for(void **state)
{
    (void)state;
    struct line *line = open_line(LINE_CHUNKS_FRAME, 0);
    uint8_t bytes[20], out[20];
    fill(bytes, sizeof bytes, 7);
    memset(out, 0, sizeof out);
    line_host_bytes(line, bytes, sizeof bytes, 0);
    assert_int_equal(line_to_robot(line, out, 8, 0), 8);
    assert_memory_equal(out, bytes, 8);
    assert_int_equal(out[8], 0);
    assert_int_equal(line_to_robot(line, out + 8, 12, 0), 12);
    assert_memory_equal(out, bytes, sizeof bytes);
    line_destroy(line);
}

static void bytes_on_the_wire_keep_their_times_when_the_baud_changes(void **state)
{
    (void)state;
    enum { MANY = 50 };
    struct line *line = open_line(LINE_CHUNKS_FRAME, 115200);
    static uint8_t sent[MANY * FRAME], out[(MANY + 1) * FRAME];
    int chunks;
    for (int i = 0; i < MANY; i++) {
        fill(sent + i * FRAME, FRAME, (uint8_t)(i + 1));
        assert_true(line_frame(line, sent + i * FRAME, FRAME, 0));
    }
    line_set_baud(line, 230400);
    // 50 frames of 7.03 ms; one that is sent after them takes half of that
    assert_int_equal(take_all(line, out, 351 * MS, &chunks), (MANY - 1) * FRAME);
    assert_int_equal(take_all(line, out + (MANY - 1) * FRAME, 352 * MS, &chunks), FRAME);
    assert_memory_equal(out, sent, sizeof sent);
    assert_true(line_frame(line, sent, FRAME, 352 * MS));
    assert_int_equal(take_all(line, out, 355 * MS, &chunks), 0);
    assert_int_equal(take_all(line, out, 356 * MS, &chunks), FRAME);
    line_destroy(line);
}

/* A camera image, at a host whose clock is far too fast. */
static void a_chunk_is_never_larger_than_a_link_takes(void **state)
{
    (void)state;
    enum { IMAGE = 38400, LINK_MAX = 65536 };
    static uint8_t image[IMAGE];
    struct line *line = line_create(
        &(struct line_config){.baud = 115200, .frame_max = IMAGE, .garble = true, .rng_key = 5});
    const uint8_t *bytes;
    size_t size;
    assert_non_null(line);
    memset(image, 0x55, sizeof image);
    line_set_host(line, true);
    line_set_host_baud(line, 3000000);
    assert_true(line_frame(line, image, IMAGE, 0));
    assert_true(line_to_host(line, &bytes, &size, 10000 * MS));
    assert_in_range(size, IMAGE + 1, LINK_MAX);
    line_destroy(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_arrives_whole_when_its_last_byte_would_have),
        cmocka_unit_test(frames_queue_behind_each_other_and_keep_their_borders),
        cmocka_unit_test(a_full_queue_refuses_whole_frames_and_counts_them),
        cmocka_unit_test(the_ring_wraps_without_losing_a_byte),
        cmocka_unit_test(bytes_from_a_host_reach_the_robot_at_the_baud_rate),
        cmocka_unit_test(a_flood_is_held_back_and_nothing_of_it_is_lost),
        cmocka_unit_test(without_baud_nothing_is_paced),
        cmocka_unit_test(nobody_hears_frames_that_end_before_a_host_comes),
        cmocka_unit_test(what_a_host_wrote_before_it_left_still_arrives),
        cmocka_unit_test(a_pulled_cable_loses_both_directions),
        cmocka_unit_test(a_wire_that_was_emptied_is_free_at_once),
        cmocka_unit_test(byte_chunks_come_one_by_one_as_they_arrive),
        cmocka_unit_test(ftdi_chunks_are_full_usb_packets_or_what_the_latency_timer_finds),
        cmocka_unit_test(a_wrong_baud_reads_other_bytes_both_ways_only_where_asked),
        cmocka_unit_test(an_emptied_wire_has_nothing_queued_also_without_a_host),
        cmocka_unit_test(a_frame_is_queued_until_the_moment_when_it_ends),
        cmocka_unit_test(a_robot_gets_no_more_bytes_than_it_has_room_for),
        cmocka_unit_test(bytes_on_the_wire_keep_their_times_when_the_baud_changes),
        cmocka_unit_test(a_chunk_is_never_larger_than_a_link_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
