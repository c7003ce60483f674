/* The stream of the Kobuki: times, sizes, order, replies, firmware versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/kobuki/kobuki_wire.h"
#include "protocols/wire.h"
#include "tests/unit/kobuki_bench.h"

#define REQUEST_ALL "aa 55 04 09 02 0b 00 04"
#define GET_GAINS   "aa 55 03 0e 01 00 0c"

static uint16_t timestamp_of(const struct bench_frame *frame)
{
    return (uint16_t)(frame->bytes[5] | frame->bytes[6] << 8);
}

static void one_packet_comes_every_20_ms_through_two_wraps(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 140000);
    assert_int_equal(b.frame_count, 7000);
    int wraps = 0;
    for (size_t i = 0; i < b.frame_count; i++) {
        assert_int_equal(b.frames[i].at_us, (int64_t)(i + 1) * 20000);
        assert_int_equal(timestamp_of(&b.frames[i]), (i + 1) * 20 % 65536);
        wraps += i > 0 && timestamp_of(&b.frames[i]) < timestamp_of(&b.frames[i - 1]);
    }
    assert_int_equal(wraps, 2);
    assert_int_equal(bench_stats(&b)->sent, 7000);
    bench_close(&b);
}

static void packets_have_81_bytes_and_now_and_then_87(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 120000);
    int gap = 0;
    int long_ones = 0;
    for (size_t i = 0; i < b.frame_count; i++, gap++) {
        const struct bench_frame *frame = &b.frames[i];
        assert_string_equal(bench_ids(frame), "1 3 4 5 6 13 16");
        if (frame->size == 87) {
            assert_true(long_ones == 0 || (gap >= 20 && gap <= 50));
            gap = 0;
            long_ones++;
        } else {
            assert_int_equal(frame->size, 81);
        }
        assert_int_equal(wire_xor(frame->bytes + 2, frame->size - 2), 0);
    }
    assert_in_range(long_ones, 6000 / 50, 6000 / 20);
    bench_close(&b);
}

static void the_gyro_frame_id_advances_by_the_samples_sent(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "gyro_frame_start=250", NULL);
    bench_run(&b, 20000);
    unsigned expected = 250;
    for (size_t i = 0; i < b.frame_count; i++) {
        size_t size;
        const uint8_t *gyro = bench_part(&b.frames[i], 13, &size);
        assert_int_equal(gyro[0], expected & 0xFF);
        assert_int_equal(size, 2 + 2 * gyro[1]);
        assert_int_equal(gyro[1] % 3, 0);
        expected += gyro[1] / 3u;
    }
    bench_close(&b);
}

static void lost_gyro_samples_leave_gaps_in_the_frame_id(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "gyro_lost_every=25", NULL);
    bench_run(&b, 20000);
    unsigned samples = 0;
    size_t size;
    for (size_t i = 0; i < b.frame_count; i++)
        samples += bench_part(&b.frames[i], 13, &size)[1] / 3u;
    const uint8_t *last = bench_part(bench_last(&b), 13, &size);
    unsigned counted = (unsigned)bench_signal(&b, "gyro_samples");
    assert_int_equal(samples, counted - counted / 25);
    assert_int_equal(last[0], (counted - last[1] / 3u) & 0xFF);
    bench_close(&b);
}

static void requests_are_answered_once_in_the_next_packet(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 20);
    bench_send(&b, REQUEST_ALL GET_GAINS);
    bench_run(&b, 19);
    assert_int_equal(b.frame_count, 1);
    bench_run(&b, 1);
    assert_int_equal(b.frame_count, 2);
    assert_string_equal(bench_ids(bench_last(&b)), "1 3 4 5 6 10 11 13 16 19 21");
    assert_int_equal(bench_last(&b)->size, 122);
    bench_run(&b, 20);
    assert_string_equal(bench_ids(bench_last(&b)), "1 3 4 5 6 13 16");
    bench_close(&b);
}

static void each_request_bit_asks_for_its_own_reply(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t flags;
        const char *ids;
    } rows[] = {
        {0x01, "1 3 4 5 6 10 13 16"}, {0x02, "1 3 4 5 6 11 13 16"},
        {0x08, "1 3 4 5 6 13 16 19"}, {0x04, "1 3 4 5 6 13 16"},
        {0x00, "1 3 4 5 6 13 16"},    {0xFFFF, "1 3 4 5 6 10 11 13 16 19"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        bench_open(&b, NULL);
        struct kobuki_flags request = {rows[i].flags};
        bench_send_packet(&b, &kobuki_request_extra_packet, &request);
        bench_run(&b, 20);
        assert_string_equal(bench_ids(bench_last(&b)), rows[i].ids);
        bench_close(&b);
    }
}

static void three_samples_and_all_replies_fit_the_frame_that_the_channel_promises(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "gyro_rate_hz=150", NULL);
    size_t largest = 0;
    for (int i = 0; i < 200; i++) {
        bench_send(&b, REQUEST_ALL GET_GAINS);
        bench_run(&b, 20);
        largest = bench_last(&b)->size > largest ? bench_last(&b)->size : largest;
    }
    assert_int_equal(largest, 128);
    assert_int_equal(kobuki_type.channels[0].frame_max, 128);
    bench_close(&b);
}

static void old_firmware_answers_as_it_did(void **unused)
{
    (void)unused;
    static const struct {
        const char *option, *ids, *hardware, *firmware;
        uint64_t unknown;
        uint8_t inertia_fill;
    } rows[] = {
        {"firmware=1.0.0", "1 3 4 5 6 10 11 13 16 19", "68 00", "7b 00", 1, 0x88},
        {"firmware=1.1.0", "1 3 4 5 6 10 11 13 16 19", "68 00", "74 27", 1, 0},
        {"firmware=1.1.1", "1 3 4 5 6 10 11 13 16 19", "68 00", "75 27", 1, 0},
        {"firmware=1.1.2", "1 3 4 5 6 10 11 13 16 19", "04 00 01 00", "02 01 01 00", 1, 0},
        {"firmware=1.1.4", "1 3 4 5 6 10 11 13 16 19", "04 00 01 00", "04 01 01 00", 1, 0},
        {"firmware=1.2.0", "1 3 4 5 6 10 11 13 16 19 21", "04 00 01 00", "00 02 01 00", 0, 0},
        {"firmware=2.0.0", "1 3 4 5 6 10 11 13 16 19 21", "04 00 01 00", "00 00 02 00", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        bench_open(&b, rows[i].option, NULL);
        bench_send(&b, REQUEST_ALL GET_GAINS);
        bench_run(&b, 20);
        assert_string_equal(bench_ids(bench_last(&b)), rows[i].ids);
        assert_int_equal(bench_stats(&b)->unknown_ids, rows[i].unknown);
        uint8_t expected[4];
        size_t size;
        size_t known = bench_bytes(rows[i].hardware, expected, sizeof expected);
        const uint8_t *body = bench_part(bench_last(&b), 10, &size);
        assert_int_equal(size, known);
        assert_memory_equal(body, expected, known);
        known = bench_bytes(rows[i].firmware, expected, sizeof expected);
        body = bench_part(bench_last(&b), 11, &size);
        assert_int_equal(size, known);
        assert_memory_equal(body, expected, known);
        body = bench_part(bench_last(&b), 4, &size);
        assert_int_equal(body[4], rows[i].inertia_fill);
        assert_int_equal(body[6], rows[i].inertia_fill);
        bench_close(&b);
    }
}

/* 20 ms from one packet to the next, in 16 bits. */
static void timestamps_wrap_from_any_start(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "timestamp_start_ms=65501", NULL);
    for (int i = 1; i < 5; i++) {
        bench_run(&b, 20);
        assert_int_equal(bench_basic(&b).timestamp, (uint16_t)(65501 + 20 * i));
    }
    bench_close(&b);
}

/* The option is either three numbers or a text. */
static void a_udid_without_one_of_its_numbers_is_a_text(void **unused)
{
    (void)unused;
    static const char *const options[] = {"udid=7--9", "udid=-8-9", "udid=7-8-", "udid=--"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct bench b;
        bench_open(&b, options[i], NULL);
        assert_true(bench_signal(&b, "udid0") > 9 && bench_signal(&b, "udid1") > 9 &&
                    bench_signal(&b, "udid2") > 9);
        bench_close(&b);
    }
}

static void the_udid_is_what_the_option_says_or_stable_and_per_robot(void **unused)
{
    (void)unused;
    static const char *const options[] = {"udid=97713968-842422349-1361404194", "udid=my robot",
                                          "udid=4294967296-1-2",
                                          "udid=", "udid=4294967295-0-4294967295"};
    struct kobuki_udid udid[5];
    for (int i = 0; i < 5; i++) {
        struct bench b;
        bench_open(&b, options[i], NULL);
        bench_send(&b, REQUEST_ALL);
        bench_run(&b, 20);
        bench_read(&b, &kobuki_udid_packet, &udid[i]);
        struct kobuki_udid again;
        struct robot_start start = {.options = &b.options, .rng_key = 1234};
        b.due_us = kobuki_type.reset(b.state, &start);
        b.now_us = 0;
        bench_send(&b, REQUEST_ALL);
        bench_run(&b, 20);
        bench_read(&b, &kobuki_udid_packet, &again);
        assert_int_equal(again.udid2, udid[i].udid2);
        bench_close(&b);
    }
    assert_int_equal(udid[0].udid0, 97713968);
    assert_int_equal(udid[0].udid1, 842422349);
    assert_int_equal(udid[0].udid2, 1361404194);
    assert_true(udid[4].udid0 == UINT32_MAX && udid[4].udid1 == 0 && udid[4].udid2 == UINT32_MAX);
    assert_int_not_equal(udid[1].udid0, udid[2].udid0);
    assert_int_not_equal(udid[1].udid0, udid[3].udid0);

    struct bench b;
    bench_open(&b, NULL);
    struct robot_start other = {.options = &b.options, .rng_key = 99};
    b.due_us = kobuki_type.reset(b.state, &other);
    bench_send(&b, REQUEST_ALL);
    bench_run(&b, 20);
    struct kobuki_udid second;
    bench_read(&b, &kobuki_udid_packet, &second);
    assert_int_not_equal(second.udid0, udid[3].udid0);
    bench_close(&b);
}

static void udid_always_brings_the_versions_along(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "udid_always=yes", NULL);
    bench_run(&b, 100);
    for (size_t i = 0; i < b.frame_count; i++)
        assert_string_equal(bench_ids(&b.frames[i]), "1 3 4 5 6 10 11 13 16 19");
    bench_close(&b);
}

static void a_frame_that_the_wire_refuses_is_counted_and_time_goes_on(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.is_full = true;
    bench_run(&b, 100);
    b.is_full = false;
    bench_run(&b, 20);
    assert_int_equal(bench_stats(&b)->overruns, 5);
    assert_int_equal(bench_stats(&b)->sent, 1);
    assert_int_equal(timestamp_of(bench_last(&b)), 120);
    bench_close(&b);
}

/* The values of the robot can be read by name too, whatever the form of the packet. */
static void each_firmware_has_its_version(void **unused)
{
    (void)unused;
    static const struct {
        const char *option;
        uint8_t major, minor, patch;
    } rows[] = {
        {"firmware=1.0.0", 1, 0, 0}, {"firmware=1.1.0", 1, 1, 0}, {"firmware=1.1.1", 1, 1, 1},
        {"firmware=1.1.2", 1, 1, 2}, {"firmware=1.1.3", 1, 1, 3}, {"firmware=1.1.4", 1, 1, 4},
        {"firmware=1.2.0", 1, 2, 0}, {"firmware=1.3.0", 1, 3, 0}, {"firmware=2.0.0", 2, 0, 0},
    };
    size_t at = 0;
    while (kobuki_type.mirrors[at].packet != &kobuki_firmware_packet)
        at++;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        struct kobuki_version version;
        bench_open(&b, rows[i].option, NULL);
        bench_run(&b, 40);
        memcpy(&version, (const char *)b.state + kobuki_type.mirrors[at].offset, sizeof version);
        assert_int_equal(version.major, rows[i].major);
        assert_int_equal(version.minor, rows[i].minor);
        assert_int_equal(version.patch, rows[i].patch);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet_comes_every_20_ms_through_two_wraps),
        cmocka_unit_test(packets_have_81_bytes_and_now_and_then_87),
        cmocka_unit_test(the_gyro_frame_id_advances_by_the_samples_sent),
        cmocka_unit_test(lost_gyro_samples_leave_gaps_in_the_frame_id),
        cmocka_unit_test(requests_are_answered_once_in_the_next_packet),
        cmocka_unit_test(each_request_bit_asks_for_its_own_reply),
        cmocka_unit_test(three_samples_and_all_replies_fit_the_frame_that_the_channel_promises),
        cmocka_unit_test(old_firmware_answers_as_it_did),
        cmocka_unit_test(timestamps_wrap_from_any_start),
        cmocka_unit_test(a_udid_without_one_of_its_numbers_is_a_text),
        cmocka_unit_test(the_udid_is_what_the_option_says_or_stable_and_per_robot),
        cmocka_unit_test(udid_always_brings_the_versions_along),
        cmocka_unit_test(a_frame_that_the_wire_refuses_is_counted_and_time_goes_on),
        cmocka_unit_test(each_firmware_has_its_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
