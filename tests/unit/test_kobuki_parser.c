/* How the Kobuki handles bytes: chunks, noise, broken frames, unknown parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/wire.h"
#include "tests/unit/kobuki_bench.h"

#define STRAIGHT_200 "aa 55 06 01 04 c8 00 00 00 cb"
#define LED1_RED     "aa 55 04 0c 02 f0 01 fb"

static struct robot_stats stats_after(const char *hex)
{
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, hex);
    struct robot_stats stats = *bench_stats(&b);
    bench_close(&b);
    return stats;
}

/* Whether the robot executed STRAIGHT_200. */
static bool is_driving(const struct bench *b)
{
    return bench_signal(b, "left_target_m_s") > 0.19;
}

static void assert_stats(const char *hex, uint64_t frames, uint64_t bad, uint64_t noise,
                         uint64_t unknown, uint64_t lengths)
{
    struct robot_stats stats = stats_after(hex);
    assert_int_equal(stats.frames, frames);
    assert_int_equal(stats.bad_frames, bad);
    assert_int_equal(stats.noise_bytes, noise);
    assert_int_equal(stats.unknown_ids, unknown);
    assert_int_equal(stats.bad_lengths, lengths);
}

static void every_split_of_a_stream_gives_the_same_state(void **unused)
{
    (void)unused;
    uint8_t bytes[256];
    size_t size = bench_bytes("00 aa aa 55 06 01 04 c8 00 00 00 cb aa 55 ff aa 55 06 01 04 c8 00 "
                              "00 00 cc aa 55 0a 0c 02 f0 01 01 04 c8 00 00 00 38 aa",
                              bytes, sizeof bytes);
    struct bench whole;
    bench_open(&whole, NULL);
    kobuki_type.rx(whole.state, 0, bytes, size, 0);
    for (size_t first = 0; first <= size; first++) {
        for (size_t second = first; second <= size; second++) {
            struct bench b;
            bench_open(&b, NULL);
            kobuki_type.rx(b.state, 0, bytes, first, 0);
            kobuki_type.rx(b.state, 0, bytes + first, second - first, 0);
            kobuki_type.rx(b.state, 0, bytes + second, size - second, 0);
            assert_memory_equal(b.state, whole.state, kobuki_type.state_size);
            bench_close(&b);
        }
    }
    bench_close(&whole);
}

static void several_parts_in_one_frame_are_all_obeyed(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 0a 0c 02 f0 01 01 04 c8 00 00 00 38");
    bench_run(&b, 20);
    assert_true(is_driving(&b));
    ASSERT_SIGNAL(&b, "led1", 1);
    assert_int_equal(bench_stats(&b)->frames, 1);
    bench_close(&b);
}

static void noise_before_a_frame_is_counted_and_skipped(void **unused)
{
    (void)unused;
    assert_stats("01 02 55 aa 03" STRAIGHT_200, 1, 0, 5, 0, 0);
    assert_stats("aa" STRAIGHT_200, 1, 0, 1, 0, 0);
    assert_stats("aa aa aa" STRAIGHT_200, 1, 0, 3, 0, 0);
    assert_stats("55 55" STRAIGHT_200 "55" LED1_RED, 2, 0, 3, 0, 0);
}

static void a_wrong_checksum_is_counted_and_not_obeyed(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 06 01 04 c8 00 00 00 cc");
    bench_run(&b, 20);
    assert_false(is_driving(&b));
    ASSERT_SIGNAL(&b, "host_alive", 0);
    assert_int_equal(bench_stats(&b)->bad_frames, 1);
    bench_send(&b, STRAIGHT_200);
    bench_run(&b, 20);
    assert_true(is_driving(&b));
    bench_close(&b);
}

static void a_length_below_3_is_a_bad_frame(void **unused)
{
    (void)unused;
    assert_stats("aa 55 00" STRAIGHT_200, 1, 1, 0, 0, 0);
    assert_stats("aa 55 01 09 08" STRAIGHT_200, 1, 1, 2, 0, 0);
    assert_stats("aa 55 02 0e 00 0c" STRAIGHT_200, 1, 1, 3, 0, 0);
}

static void a_frame_cut_short_does_not_swallow_the_next_one(void **unused)
{
    (void)unused;
    uint8_t cut[] = {0xaa, 0x55, 0x06, 0x01, 0x04, 0xc8, 0x00, 0x00, 0x00};
    for (size_t size = 1; size <= sizeof cut; size++) {
        struct bench b;
        bench_open(&b, NULL);
        kobuki_type.rx(b.state, 0, cut, size, 0);
        bench_send(&b, LED1_RED STRAIGHT_200 LED1_RED);
        bench_run(&b, 20);
        assert_true(is_driving(&b));
        assert_int_equal(bench_stats(&b)->frames, 3);
        bench_close(&b);
    }
}

static void frames_inside_a_claimed_length_of_255_are_found_again(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 ff");
    for (int i = 0; i < 40; i++)
        bench_send(&b, STRAIGHT_200);
    assert_int_equal(bench_stats(&b)->frames, 40);
    assert_int_equal(bench_stats(&b)->bad_frames, 1);
    bench_close(&b);
}

static void a_frame_of_255_payload_bytes_is_good(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    uint8_t frame[259] = {0xaa, 0x55, 0xff, 0x0c, 0x02, 0xf0, 0x01, 0xc8, 249};
    frame[258] = wire_xor(frame + 2, 256);
    kobuki_type.rx(b.state, 0, frame, sizeof frame, 0);
    bench_run(&b, 20);
    ASSERT_SIGNAL(&b, "led1", 1);
    assert_int_equal(bench_stats(&b)->frames, 1);
    assert_int_equal(bench_stats(&b)->unknown_ids, 1);
    bench_close(&b);
}

static void unknown_ids_are_skipped_by_their_length(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 0b c8 03 01 04 00 01 04 c8 00 00 00 08"); /* an unknown part in front */
    bench_run(&b, 20);
    assert_int_equal(bench_stats(&b)->unknown_ids, 1);
    assert_int_equal(bench_stats(&b)->frames, 1);
    assert_true(is_driving(&b));
    bench_close(&b);
    assert_stats("aa 55 03 0a 01 00 08 aa 55 03 0b 01 00 09", 2, 0, 0, 2, 0);
}

static void a_known_id_with_another_length_is_skipped(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 0b 01 03 c8 00 00 01 04 c8 00 00 00 0c");
    bench_run(&b, 20);
    assert_int_equal(bench_stats(&b)->bad_lengths, 1);
    assert_true(is_driving(&b));
    bench_close(&b);
}

static void a_part_that_overruns_its_frame_is_not_read(void **unused)
{
    (void)unused;
    assert_stats("aa 55 04 01 04 c8 00 c9", 1, 0, 0, 0, 1);
    assert_stats("aa 55 03 0c ff 00 f0", 1, 0, 0, 0, 1);
    assert_stats("aa 55 05 0c 02 f0 01 01 fb", 1, 0, 0, 0, 1); /* one byte too many */
}

static void the_checksums_of_some_clients_count_only_when_lenient(void **unused)
{
    (void)unused;
    static const char without_length[] = "aa 55 06 01 04 c8 00 00 00 cd";
    static const char without_length_and_id[] = "aa 55 06 01 04 c8 00 00 00 cc";
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, without_length);
    bench_run(&b, 20);
    assert_false(is_driving(&b));
    assert_int_equal(bench_stats(&b)->bad_frames, 1);
    bench_close(&b);

    bench_open(&b, "checksum=lenient", NULL);
    bench_send(&b, without_length);
    bench_run(&b, 20);
    assert_true(is_driving(&b));
    bench_send(&b, without_length_and_id);
    bench_send(&b, STRAIGHT_200);
    assert_int_equal(bench_stats(&b)->frames, 3);
    assert_int_equal(bench_stats(&b)->bad_frames, 0);
    bench_send(&b, "aa 55 06 01 04 c8 00 00 00 ce");
    assert_int_equal(bench_stats(&b)->bad_frames, 1);
    bench_close(&b);
}

/* The lamp packet of jkobuki-2 (PacketBuilder.java: ledPacket) has the length 3 and 4 bytes. */
static void a_length_that_is_too_short_costs_that_frame_alone(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    for (int i = 0; i < 3; i++) {
        bench_send(&b, "aa 55 03 0c 02 80 01 8c");
        bench_send(&b, STRAIGHT_200);
    }
    bench_run(&b, 20);
    assert_true(is_driving(&b));
    assert_int_equal(bench_stats(&b)->frames, 3);
    assert_int_equal(bench_stats(&b)->bad_frames, 3);
    assert_int_equal(bench_signal(&b, "outputs"), 0x00F0);
    bench_close(&b);
}

/* Any bytes, in any order: the state stays valid, and the next valid frames are received. */
static void hostile_bytes_never_deafen_the_robot(void **unused)
{
    (void)unused;
    static const uint8_t likely[] = {0xaa, 0x55, 0x00, 0x01, 0x03, 0x04, 0x06, 0x0c, 0xff};
    struct bench b;
    bench_open(&b, NULL);
    uint32_t random = 1;
    uint64_t given = 0;
    for (int round = 0; round < 2000; round++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525u + 1013904223u;
            bool is_likely = random >> 31;
            bytes[i] = is_likely ? likely[(random >> 16) % sizeof likely] : (uint8_t)(random >> 8);
        }
        b.due_us = kobuki_type.rx(b.state, 0, bytes, sizeof bytes, b.now_us);
        given += sizeof bytes;
    }
    struct robot_stats before = *bench_stats(&b);
    assert_true(before.noise_bytes <= given);
    /* The longest frame that noise can announce has 259 bytes. */
    for (int i = 0; i < 27; i++)
        bench_send(&b, STRAIGHT_200);
    bench_run(&b, 20);
    assert_true(is_driving(&b));
    bench_close(&b);
}

static void describing_refuses_what_is_no_whole_frame(void **unused)
{
    (void)unused;
    static const char *const rows[] = {
        "",
        "aa",
        "aa 55 06 01 04 c8 00 00 00",
        "aa 55 06 01 04 c8 00 00 00 cb 00",
        "aa 55 06 01 04 c8 00 00 00 cc",
        "aa 54 06 01 04 c8 00 00 00 cb",
        "aa 55 05 0c 02 f0 01 01 fb",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[32];
        size_t size = bench_bytes(rows[i], bytes, sizeof bytes);
        assert_false(robot_walk(&kobuki_type, 0, WIRE_TO_ROBOT, 0, bytes, size, NULL, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_of_a_stream_gives_the_same_state),
        cmocka_unit_test(several_parts_in_one_frame_are_all_obeyed),
        cmocka_unit_test(noise_before_a_frame_is_counted_and_skipped),
        cmocka_unit_test(a_wrong_checksum_is_counted_and_not_obeyed),
        cmocka_unit_test(a_length_below_3_is_a_bad_frame),
        cmocka_unit_test(a_frame_cut_short_does_not_swallow_the_next_one),
        cmocka_unit_test(frames_inside_a_claimed_length_of_255_are_found_again),
        cmocka_unit_test(a_frame_of_255_payload_bytes_is_good),
        cmocka_unit_test(unknown_ids_are_skipped_by_their_length),
        cmocka_unit_test(a_known_id_with_another_length_is_skipped),
        cmocka_unit_test(a_part_that_overruns_its_frame_is_not_read),
        cmocka_unit_test(the_checksums_of_some_clients_count_only_when_lenient),
        cmocka_unit_test(a_length_that_is_too_short_costs_that_frame_alone),
        cmocka_unit_test(hostile_bytes_never_deafen_the_robot),
        cmocka_unit_test(describing_refuses_what_is_no_whole_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
