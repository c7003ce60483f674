/* The bus of Feetech's servos: verified packets of the protocol manual, of lerobot and of rustypot,
 * byte for byte; registers, nonvolatile memory, and hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/feetech/feetech_state.h"
#include "tests/unit/feetech_rig.h"

/* ---- The packets ---- */

static void documented_requests_get_documented_answers(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"ff ff 01 02 01 fb", "ff ff 01 02 00 fc"},             /* ping */
        {"ff ff 01 04 02 03 02 f3", "ff ff 01 04 00 09 03 ee"}, /* model 777 */
        {"ff ff 01 04 02 00 01 f7", "ff ff 01 03 00 03 f8"},    /* firmware 3 ... */
        {"ff ff 01 04 02 01 01 f6", "ff ff 01 03 00 0a f1"},    /* ... .10 */
        {"ff ff 01 04 02 12 01 e5", "ff ff 01 03 00 0c ef"},    /* phase 12 */
        {"ff ff 01 09 03 2a 00 08 00 00 e8 03 d5", "ff ff 01 02 00 fc"},
        {"ff ff 01 0a 03 29 32 e8 03 00 00 e8 03 c0", "ff ff 01 02 00 fc"},
        {"ff ff 01 09 04 2a 00 08 00 00 e8 03 d4", "ff ff 01 02 00 fc"}, /* reg write */
        {"ff ff fe 02 05 fa", ""},                                       /* action */
        {"ff ff 01 05 03 1f c6 0a 07", "ff ff 01 02 00 fc"},             /* offset -710 */
        {"ff ff 01 04 02 1f 02 d7", "ff ff 01 04 00 c6 0a 2a"},
        {"ff ff 01 04 03 28 80 4f", "ff ff 01 02 00 fc"}, /* calibrate */
        {"ff ff 01 04 02 38 02 be", "ff ff 01 04 00 00 08 f2"},
        {"ff ff 01 02 0b f1", "ff ff 01 02 00 fc"},
        {"ff ff fe 04 03 37 00 c3", ""}, /* unlock all */
        {"ff ff 01 02 06 f6", "ff ff 01 02 00 fc"},
        {"ff ff 01 02 0a f2", "ff ff 01 02 00 fc"},
        {"ff ff fe 05 82 38 02 01 3f", "ff ff 01 04 00 00 08 f2"},
        {"ff ff 01 04 03 05 02 f0", "ff ff 01 02 00 fc"}, /* id 2, acknowledged by 1 */
        {"ff ff 02 02 01 fa", "ff ff 02 02 00 fb"},
        {"ff ff 01 02 01 fb", ""},
        {"ff ff 02 02 08 f3", ""}, /* reboot */
        {"ff ff 02 02 01 fa", ""},
    };
    struct bus_rig bus = bus_open("sts3215", "");
    for (size_t i = 0; i < COUNT(pairs); i++)
        bus_ask(&bus, pairs[i][0], pairs[i][1]);
    bus_run(&bus, 0.8);
    bus_ask(&bus, "ff ff 02 02 01 fa", "ff ff 02 02 00 fb");
    assert_int_equal((int)bus_get(&bus, "bus.bad_frames"), 0);
    bus_close(&bus);
}

static void lerobot_reads_and_writes_nine_servos(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("lekiwi", "");
    bus_ask(&bus, "ff ff fe 07 82 3a 02 07 08 09 24",
            "ff ff 07 04 00 00 00 f4 ff ff 08 04 00 00 00 f3 ff ff 09 04 00 00 00 f2");
    bus_ask(&bus, "ff ff fe 07 82 3a 02 09 08 07 24", // in the order of the list
            "ff ff 09 04 00 00 00 f2 ff ff 08 04 00 00 00 f3 ff ff 07 04 00 00 00 f4");
    bus_ask(&bus, "ff ff fe 0d 83 2e 02 07 69 84 08 00 00 09 69 04 cf", "");
    assert_int_equal((int)bus_get(&bus, "left_wheel.goal_velocity"), -1129);
    assert_int_equal((int)bus_get(&bus, "back_wheel.goal_velocity"), 0);
    assert_int_equal((int)bus_get(&bus, "right_wheel.goal_velocity"), 1129);
    bus_send(&bus, "ff ff fe 02 01 fe", 20); // a broadcast ping: all servos reply, by increasing ID
    assert_int_equal(bus.size, 9 * 6);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(bus.heard[6 * i + 2], i + 1);
    bus_send(&bus,
             "ff ff fe 20 83 2a 06 01 00 08 00 00 e8 03 02 00 08 00 00 e8 03 03 00 08 00 00 e8 03 "
             "04 00 08 00 00 e8 03 58",
             20);
    assert_int_equal(bus.size, 0);
    for (unsigned id = 1; id <= 4; id++)
        assert_int_equal(bus_read(&bus, id, 46, 2), 1000);
    bus_close(&bus);
}

static void every_packet_is_a_good_frame_of_the_bystander(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "\xff\xff\x01\x04\x02\x38\x02\xbe", "\xff\xff\x01\x04\x00\x18\x05\xdd",
        "\xff\xff\x01\x04\x00\x64\x80\x16", "\xff\xff\x03\x04\x20\x00\x08\xd0",
        "\xff\xff\x01\x04\x00\x39\x05\xbc", "\xff\xff\x02\x04\x00\x2a\x00\xcf",
    };
    for (size_t i = 0; i < COUNT(frames); i++) {
        const struct wire_framing *framing =
            sts3215_type.channels[0].frames[i == 0 ? WIRE_TO_ROBOT : WIRE_TO_HOST];
        uint8_t bytes[8];
        memcpy(bytes, frames[i], sizeof bytes);
        assert_true(wire_frame_is_good(framing, bytes, sizeof bytes));
        for (size_t at = 2; at < sizeof bytes; at++) { // any change is detected
            bytes[at] ^= 0x10;
            assert_false(wire_frame_is_good(framing, bytes, sizeof bytes));
            bytes[at] ^= 0x10;
        }
    }
}

/* ---- Registers ---- */

static void the_table_has_the_documented_defaults(void **state)
{
    (void)state;
    static const unsigned rows[][3] = {
        {5, 1, 1},    {6, 1, 0},   {7, 1, 0},   {8, 1, 1},     {9, 2, 0},     {11, 2, 4095},
        {13, 1, 70},  {14, 1, 80}, {15, 1, 40}, {16, 2, 1000}, {19, 1, 44},   {20, 1, 47},
        {21, 1, 32},  {22, 1, 32}, {23, 1, 0},  {24, 2, 16},   {26, 1, 1},    {28, 2, 500},
        {31, 2, 0},   {33, 1, 0},  {34, 1, 20}, {35, 1, 200},  {36, 1, 80},   {37, 1, 10},
        {38, 1, 200}, {39, 1, 10}, {40, 1, 0},  {41, 1, 0},    {48, 2, 1000}, {55, 1, 1},
        {62, 1, 74},  {63, 1, 25}, {85, 1, 0},  {200, 1, 0},
    };
    struct bus_rig bus = bus_open("sts3215", "");
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bus_read(&bus, 1, rows[i][0], rows[i][1]) != (int)rows[i][2])
            fail_msg("register %u is %d", rows[i][0], bus_read(&bus, 1, rows[i][0], rows[i][1]));
    bus_close(&bus);
}

static void numbers_out_of_range_are_refused_and_read_only_ones_stay(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, 33, 1, 9); // mode
    assert_int_equal(bus_read(&bus, 1, 33, 1), 0);
    bus_write(&bus, 1, 48, 2, 5000);
    assert_int_equal(bus_read(&bus, 1, 48, 2), 1000);
    assert_int_equal((int)bus_get(&bus, "out_of_range"), 2);
    assert_int_equal(bus_write(&bus, 1, 56, 2, 77), 0); // acknowledged, although it has no effect
    assert_int_equal(bus_read(&bus, 1, 56, 2), 2048);
    assert_int_equal((int)bus_get(&bus, "ignored"), 1);
    bus_close(&bus);
}

static void a_locked_write_is_lost_at_power_off_and_an_unlocked_one_stays(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "servos: 2");
    bus_write(&bus, 1, 21, 1, 16); // lock is 1
    bus_write(&bus, 2, 55, 1, 0);
    bus_write(&bus, 2, 21, 1, 16);
    assert_int_equal(bus_read(&bus, 1, 21, 1), 16);
    bus_do(&bus, "reset");
    bus_run(&bus, 1);
    assert_int_equal(bus_read(&bus, 1, 21, 1), 32);
    assert_int_equal(bus_read(&bus, 2, 21, 1), 16);
    assert_int_equal(bus_read(&bus, 2, 55, 1), 1);           // locked again
    bus_ask(&bus, "ff ff 02 02 06 f5", "ff ff 02 02 00 fb"); // factory values, not the id
    assert_int_equal(bus_read(&bus, 2, 21, 1), 32);
    bus_close(&bus);
}

static void a_calibration_keeps_the_offset_and_nothing_beside_it(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, 30, 1, 2); // locked: these two are lost at power-off
    bus_write(&bus, 1, 33, 1, 1);
    bus_ask(&bus, "ff ff 01 04 0b e8 03 04", "ff ff 01 02 00 fc"); // this position becomes 1000
    bus_do(&bus, "reset");
    bus_run(&bus, 1);
    assert_int_equal(bus_read(&bus, 1, 56, 2), 1000);
    assert_int_equal(bus_read(&bus, 1, 30, 1), 1);
    assert_int_equal(bus_read(&bus, 1, 33, 1), 0);
    bus_close(&bus);
}

static void the_longest_read_is_answered(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_send(&bus, "ff ff 01 04 02 00 fd fb", 20); // 253 bytes: the length byte is 255
    assert_int_equal(bus.size, 6 + 253);
    assert_int_equal(bus.heard[3], 255);
    assert_int_equal(bus.heard[5 + 3] | bus.heard[5 + 4] << 8, 777);
    assert_int_equal(bus.heard[5 + 21], 32);
    assert_true(
        wire_frame_is_good(sts3215_type.channels[0].frames[WIRE_TO_HOST], bus.heard, bus.size));
    bus_send(&bus, "ff ff 01 04 02 00 fe fa", 20);
    assert_int_equal(bus.size, 0);
    assert_int_equal((int)bus_get(&bus, "bus.bad_lengths"), 1);
    bus_close(&bus);
}

static void a_registered_write_waits_for_the_action(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_ask(&bus, "ff ff 01 04 04 29 32 9b", "ff ff 01 02 00 fc");
    assert_int_equal(bus_read(&bus, 1, 41, 1), 0);
    assert_int_equal(bus_read(&bus, 1, 64, 1), 1);
    bus_ask(&bus, "ff ff fe 02 05 fa", "");
    assert_int_equal(bus_read(&bus, 1, 41, 1), 50);
    assert_int_equal(bus_read(&bus, 1, 64, 1), 0);
    bus_close(&bus);
}

static void response_level_0_answers_only_ping_and_read(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, 8, 1, 1);
    bus_ask(&bus, "ff ff 01 04 03 08 00 ef", "ff ff 01 02 00 fc"); // by the level before
    bus_ask(&bus, "ff ff 01 02 01 fb", "ff ff 01 02 00 fc");
    assert_int_equal(bus_read(&bus, 1, 8, 1), 0);
    bus_ask(&bus, "ff ff 01 04 03 29 05 c9", "");
    assert_int_equal(bus_read(&bus, 1, 41, 1), 5);
    bus_close(&bus);
}

static void the_baud_register_sets_the_line(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "servos: 2");
    assert_int_equal((int)bus_get(&bus, "bus.baud"), 1000000);
    bus_write(&bus, 2, 6, 1, 4); // only this servo: it no longer understands the others
    assert_int_equal(bus_read(&bus, 2, 6, 1), -1);
    bus_write(&bus, 1, 6, 1, 4);
    assert_int_equal((int)bus_get(&bus, "bus.baud"), 115200);
    assert_int_equal(bus_read(&bus, 2, 6, 1), 4);
    bus_close(&bus);
}

static void scs_servos_have_the_high_byte_first_and_no_sync_read(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "model: scs0009");
    bus_ask(&bus, "ff ff 01 04 02 03 02 f3", "ff ff 01 04 00 05 04 f1"); // 1284
    bus_ask(&bus, "ff ff 01 09 03 2a 02 00 00 00 00 00 c6", "ff ff 01 02 00 fc");
    assert_int_equal((int)bus_get(&bus, "servo_1.goal_position"), 512);
    bus_ask(&bus, "ff ff 01 04 02 38 02 be", "ff ff 01 04 00 02 00 f8");
    bus_ask(&bus, "ff ff fe 05 82 38 02 01 3f", "");
    bus_ask(&bus, "ff ff 01 04 03 30 00 c7", "ff ff 01 02 00 fc"); // its lock
    assert_int_equal((int)bus_get(&bus, "servo_1.lock"), 0);
    bus_close(&bus);
}

/* ---- The line ---- */

static void what_is_no_frame_is_silence_and_the_next_frame_is_heard(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        int bad_frames, noise_bytes, unknown_ids, bad_lengths;
    } bad[] = {
        {"ff ff 01 02 01 fa", 1, 4, 0, 0},             /* sum */
        {"ff ff 01 01 01 fb", 1, 4, 0, 0},             /* length */
        {"00 11 ff 22 ff ff ff", 0, 7, 0, 0},          /* noise, and a run of FF */
        {"ff ff 01 20 03 ff ff 01 02 01", 2, 6, 0, 0}, /* a cut frame with the head of another */
        {"ff ff 01 02 77 85", 0, 0, 1, 0},             /* unknown instruction */
        {"ff ff 01 03 02 00 f9", 0, 0, 0, 1},          /* a read without a count */
        {"ff ff 07 02 01 f5", 0, 0, 0, 0},             /* no servo has this id */
        {"ff ff fe 04 02 38 02 c1", 0, 0, 0, 0},       /* a broadcast read */
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct bus_rig bus = bus_open("sts3215", "");
        bus_ask(&bus, bad[i].hex, "");
        bus_send(&bus,
                 "ff ff 01 02 01 fb ff ff 01 02 01 fb ff ff 01 02 01 fb ff ff 01 02 01 fb "
                 "ff ff 01 02 01 fb ff ff 01 02 01 fb",
                 20);
        assert_true(bus.size >= 6);
        assert_memory_equal(bus.heard + bus.size - 6, "\xff\xff\x01\x02\x00\xfc", 6);
        if ((int)bus_get(&bus, "bus.bad_frames") != bad[i].bad_frames ||
            (int)bus_get(&bus, "bus.noise_bytes") != bad[i].noise_bytes ||
            (int)bus_get(&bus, "bus.unknown_ids") != bad[i].unknown_ids ||
            (int)bus_get(&bus, "bus.bad_lengths") != bad[i].bad_lengths)
            fail_msg("%s: %g %g %g %g", bad[i].hex, bus_get(&bus, "bus.bad_frames"),
                     bus_get(&bus, "bus.noise_bytes"), bus_get(&bus, "bus.unknown_ids"),
                     bus_get(&bus, "bus.bad_lengths"));
        bus_close(&bus);
    }
}

static void an_echo_comes_before_the_answer(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "echo: true");
    bus_ask(&bus, "ff ff 01 02 01 fb", "ff ff 01 02 01 fb ff ff 01 02 00 fc");
    bus_close(&bus);
    bus = bus_open("sts3215", "servos: 2");
    bus_do(&bus, "fault servo_2=echo");
    bus_ask(&bus, "ff ff 01 02 01 fb", "ff ff 01 02 01 fb ff ff 01 02 00 fc");
    bus_do(&bus, "heal");
    bus_ask(&bus, "ff ff 01 02 01 fb", "ff ff 01 02 00 fc");
    bus_close(&bus);
}

static void answers_wait_for_return_delay(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_write(&bus, 1, 7, 1, 254); // 508 us
    bus_send(&bus, "ff ff 01 02 01 fb", 1);
    assert_int_equal(bus.size, 0);
    bus_run(&bus, 0.002);
    assert_int_equal(bus.size, 6);
    bus_close(&bus);
}

static void answers_that_find_no_room_are_overruns(void **state)
{
    (void)state;
    struct bus_rig bus = bus_open("sts3215", "");
    bus_do(&bus, "fault servo_1=late ms=500");
    for (int i = 0; i < 35; i++)
        bus_send(&bus, "ff ff 01 02 01 fb", 1);
    assert_int_equal((int)bus_get(&bus, "bus.overruns"), 35 - 32);
    bus_run(&bus, 1);
    assert_int_equal(bus.size, 32 * 6);
    bus_close(&bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented_requests_get_documented_answers),
        cmocka_unit_test(lerobot_reads_and_writes_nine_servos),
        cmocka_unit_test(every_packet_is_a_good_frame_of_the_bystander),
        cmocka_unit_test(the_table_has_the_documented_defaults),
        cmocka_unit_test(numbers_out_of_range_are_refused_and_read_only_ones_stay),
        cmocka_unit_test(a_locked_write_is_lost_at_power_off_and_an_unlocked_one_stays),
        cmocka_unit_test(a_calibration_keeps_the_offset_and_nothing_beside_it),
        cmocka_unit_test(the_longest_read_is_answered),
        cmocka_unit_test(a_registered_write_waits_for_the_action),
        cmocka_unit_test(response_level_0_answers_only_ping_and_read),
        cmocka_unit_test(the_baud_register_sets_the_line),
        cmocka_unit_test(scs_servos_have_the_high_byte_first_and_no_sync_read),
        cmocka_unit_test(what_is_no_frame_is_silence_and_the_next_frame_is_heard),
        cmocka_unit_test(an_echo_comes_before_the_answer),
        cmocka_unit_test(answers_wait_for_return_delay),
        cmocka_unit_test(answers_that_find_no_room_are_overruns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
