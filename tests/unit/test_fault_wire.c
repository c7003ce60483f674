/* Faults of a wire: the effect of each on the bytes of a Kobuki, compared with the same run without
 * it, and the counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/serial_settings.h"
#include "tests/unit/fault_rig.h"

enum { MS = 1000 };

static size_t count(const struct rig *rig, const char *counter)
{
    char name[64];
    snprintf(name, sizeof name, "kobuki.uart.%s", counter);
    return (size_t)rig_get(rig, name);
}

static void dropped_bytes_are_missing_and_counted(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=drop rate=0.01 direction=to_host");
    size_t drops = count(&rig, "fault_drops");
    assert_in_range(drops, clean.size / 200, clean.size / 50);
    assert_in_range(clean.size - faulty.size, drops - 2, drops + 90); // one frame may be in transit
    assert_true(is_within(&faulty, &clean));
    assert_int_equal(count(&rig, "to_host_bytes"), faulty.size);
    rig_close(&rig);
}

static void dropped_frames_are_missing_whole(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=drop rate=0.2 unit=frame");
    size_t drops = count(&rig, "fault_drops");
    assert_in_range(drops, 60, 140);
    assert_in_range(clean.count - faulty.count, drops - 1, drops);
    for (size_t i = 0, of = 0; i < faulty.count; i++, of++) {
        while (of < clean.count &&
               (faulty.chunks[i].size != clean.chunks[of].size ||
                memcmp(faulty.bytes + faulty.chunks[i].start, clean.bytes + clean.chunks[of].start,
                       clean.chunks[of].size) != 0))
            of++;
        assert_true(of < clean.count);
    }
    rig_close(&rig);
}

static void flipped_bits_are_one_a_byte_and_break_checksums(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=flip rate=0.005 direction=to_host");
    size_t flips = count_flips(&clean, &faulty);
    assert_in_range(flips, 80, 350);
    assert_in_range(count(&rig, "fault_flips"), flips, flips + 3);
    rig_run(&rig, 5);
    assert_true(rig.bad_packets > 20 && rig.bad_packets < rig.packets);
    rig_close(&rig);

    rig = compare("kobuki.fault uart=flip rate=1 unit=frame direction=to_host");
    assert_int_equal(count_flips(&clean, &faulty), clean.count);
    rig_run(&rig, 1);
    assert_int_equal(rig.bad_packets, rig.packets);
    rig_close(&rig);
}

static void flips_towards_the_robot_are_seen_by_its_framer(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.fault uart=flip rate=0.5 unit=frame direction=to_robot");
    rig_drive(&rig, 100, 0, 10);
    size_t flips = count(&rig, "fault_flips");
    assert_in_range(flips, 150, 350);
    assert_int_equal(rig.bad_packets, 0);
    assert_true(count(&rig, "frames") > 100);
    assert_true(count(&rig, "bad_frames") + count(&rig, "noise_bytes") > 100);
    // Only a bad frame directly before it can swallow a good frame.
    rig_do(&rig, "kobuki.fault uart=none");
    size_t bad = count(&rig, "bad_frames"), good = count(&rig, "frames");
    rig_drive(&rig, 100, 0, 4);
    assert_true(count(&rig, "bad_frames") <= bad + 1);
    assert_true(count(&rig, "frames") > good + 190);
    rig_close(&rig);
}

/* A run therefore does not depend on how a driver divides its bytes into writes. */
static void all_that_a_host_writes_within_a_step_is_lost_or_arrives(void **state)
{
    (void)state;
    static const uint8_t forward[] = {0xaa, 0x55, 6, 1, 4, 0xc8, 0x00, 0x00, 0x00, 0xcb};
    size_t arrived[2][200];
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        struct rig rig = rig_open(NULL);
        rig_do(&rig, "kobuki.fault uart=drop rate=0.5 unit=frame direction=to_robot");
        for (int i = 0; i < 200; i++) {
            size_t first = is_cut ? 4 : sizeof forward;
            sim_host_bytes(rig.sim, rig.channel, forward, first);
            if (is_cut)
                sim_host_bytes(rig.sim, rig.channel, forward + first, sizeof forward - first);
            rig_run(&rig, 0.01);
            arrived[is_cut][i] = count(&rig, "frames");
        }
        assert_in_range(count(&rig, "frames"), 60, 140);
        assert_int_equal(count(&rig, "bad_frames") + count(&rig, "noise_bytes"), 0);
        rig_close(&rig);
    }
    assert_memory_equal(arrived[0], arrived[1], sizeof arrived[0]);
}

static void doubled_bytes_and_frames_come_twice(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=duplicate rate=0.001 direction=to_host");
    size_t twice = count(&rig, "fault_duplicates");
    assert_in_range(twice, 10, 120);
    assert_in_range(faulty.size - clean.size, twice - 2, twice);
    assert_true(is_within(&clean, &faulty));
    rig_close(&rig);

    rig = compare("kobuki.fault uart=duplicate rate=1 unit=frame direction=to_host");
    assert_int_equal(faulty.count, clean.count);
    for (size_t i = 0; i < faulty.count; i++) {
        const uint8_t *frame = faulty.bytes + faulty.chunks[i].start;
        size_t half = faulty.chunks[i].size / 2;
        assert_int_equal(half, clean.chunks[i].size);
        assert_memory_equal(frame, clean.bytes + clean.chunks[i].start, half);
        assert_memory_equal(frame, frame + half, half);
    }
    rig_close(&rig);
}

static void inserted_bytes_are_more_and_counted(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=insert rate=0.001 direction=to_host");
    size_t more = count(&rig, "fault_inserts");
    assert_in_range(more, 10, 120);
    assert_in_range(faulty.size - clean.size, more - 2, more);
    assert_true(is_within(&clean, &faulty));
    rig_close(&rig);
}

static void delayed_frames_come_late_in_their_order(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=delay rate=0.02 ms=50 direction=to_host");
    assert_true(is_a_head(&faulty, &clean));
    size_t late = 0, behind = 0;
    for (size_t i = 0; i < faulty.count; i++) {
        int64_t by_us = faulty.chunks[i].at_us - clean.chunks[i].at_us;
        assert_in_range(by_us, 0, 100 * MS);
        late += by_us == 50 * MS;
        behind += by_us > 0 && by_us != 50 * MS;
    }
    size_t delays = count(&rig, "fault_delays");
    assert_in_range(delays, 3, 25);
    assert_true(late >= delays - 1);
    assert_true(behind >= delays - 1); // the next frames wait behind it
    rig_close(&rig);
}

static void split_frames_come_in_two_pieces_with_a_gap(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=split rate=0.5 ms=7 direction=to_host");
    assert_true(is_a_head(&faulty, &clean));
    size_t splits = count(&rig, "fault_splits");
    assert_in_range(splits, 200, 300);
    assert_in_range(faulty.count - clean.count, splits - 1, splits);
    size_t gaps = 0;
    for (size_t i = 1; i < faulty.count; i++)
        gaps += faulty.chunks[i].at_us - faulty.chunks[i - 1].at_us == 7 * MS;
    assert_in_range(gaps, splits - 1, splits);
    rig_close(&rig);
}

static void the_chip_cuts_frames_by_its_size_and_its_timer(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=ftdi");
    assert_true(is_a_head(&faulty, &clean));
    assert_true(clean.size - faulty.size < 200);
    for (size_t i = 0; i < faulty.count; i++)
        assert_true(faulty.chunks[i].size <= 62);
    assert_in_range(count(&rig, "fault_ftdi_chunks"), faulty.count, faulty.count + 1);
    rig_do(&rig, "kobuki.heal");
    rig_run(&rig, 0.2);
    rig.bad_packets = 0;
    rig_run(&rig, 1);
    assert_int_equal(rig.bad_packets, 0);
    rig_close(&rig);
}

static void a_stall_holds_everything_back_and_then_lets_it_go(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    run_into(&clean, NULL);
    memset(&faulty, 0, sizeof faulty);
    record_on(&rig, &faulty, 1);
    size_t before = faulty.size;
    rig_do(&rig, "kobuki.fault uart=stall for=2 direction=to_host");
    record_on(&rig, &faulty, 1.99);
    assert_int_equal(faulty.size, before);
    record_on(&rig, &faulty, 7.01);
    assert_int_equal(faulty.size, clean.size);
    assert_memory_equal(faulty.bytes, clean.bytes, clean.size);
    assert_in_range(count(&rig, "fault_stalls"), 98, 102);
    assert_int_equal(count(&rig, "overruns"), 0);
    rig_close(&rig);
}

static void a_stall_towards_the_robot_makes_it_deaf_for_a_while(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_drive(&rig, 100, 0, 1);
    size_t frames = count(&rig, "frames");
    rig_do(&rig, "kobuki.fault uart=stall for=2 direction=to_robot");
    rig_drive(&rig, 100, 0, 1.95);
    assert_int_equal(count(&rig, "frames"), frames);
    rig_drive(&rig, 100, 0, 0.5);
    assert_in_range(count(&rig, "frames"), frames + 118, frames + 124);
    assert_int_equal(count(&rig, "bad_frames"), 0);
    rig_close(&rig);
}

static void a_stall_of_hours_loses_what_it_cannot_hold(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_do(&rig, "kobuki.fault uart=stall for=60 direction=to_host");
    rig_run(&rig, 59);
    assert_int_equal(rig.packets, 0);
    assert_true(count(&rig, "fault_overruns") > 1000);
    uint8_t bytes[1000] = {0};
    rig_do(&rig, "kobuki.fault uart=stall for=60 direction=to_robot");
    for (int i = 0; i < 100; i++) {
        size_t room = sim_host_room(rig.sim, rig.channel);
        sim_host_bytes(rig.sim, rig.channel, bytes, room < sizeof bytes ? room : sizeof bytes);
        rig_run(&rig, 0.01);
    }
    assert_int_equal(sim_host_room(rig.sim, rig.channel), 0);
    rig_do(&rig, "kobuki.heal");
    rig_run(&rig, 2);
    assert_true(rig.packets > 300);
    assert_true(sim_host_room(rig.sim, rig.channel) > 4000);
    rig_close(&rig);
}

static void garbage_greets_each_host_in_both_directions(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    run_into(&clean, NULL);
    rig_do(&rig, "kobuki.fault uart=garbage bytes=40");
    memset(&faulty, 0, sizeof faulty);
    record_on(&rig, &faulty, 0.1);
    assert_int_equal(count(&rig, "fault_garbage"), 80); // the host came with the first step
    assert_int_equal(faulty.chunks[0].at_us, 1 * MS);
    assert_true(memcmp(faulty.bytes, clean.bytes, 40) != 0);
    assert_memory_equal(faulty.bytes + 40, clean.bytes, faulty.size - 40);
    assert_true(count(&rig, "noise_bytes") + count(&rig, "bad_frames") > 20);
    sim_host_present(rig.sim, rig.channel, false);
    rig_run(&rig, 0.1);
    assert_int_equal(count(&rig, "fault_garbage"), 80);
    sim_host_present(rig.sim, rig.channel, true);
    rig_run(&rig, 0.1);
    assert_int_equal(count(&rig, "fault_garbage"), 160);
    rig_close(&rig);
}

static void a_wrong_baud_reads_what_its_clock_meets(void **state)
{
    (void)state;
    uint8_t out[64];
    unsigned errors = 0;
    const uint8_t text[] = {0x00, 0xff, 0x55, 0xaa, 0x12, 0x80};
    assert_int_equal(line_resample(text, sizeof text, 115200, 115200, out, sizeof out, &errors), 6);
    assert_memory_equal(out, text, sizeof text);
    // Twice as fast: the start bit counts twice.
    assert_int_equal(line_resample(&text[1], 1, 9600, 19200, out, sizeof out, &errors), 1);
    assert_int_equal(out[0], 0xfe);
    // Half as fast: nine low bits are four and a half.
    assert_int_equal(line_resample(&text[0], 1, 19200, 9600, out, sizeof out, &errors), 1);
    assert_int_equal(out[0], 0xf8);
    assert_int_equal(errors, 0);
    // A break, ten times too slow, is one byte that waits for the line to rise.
    assert_int_equal(line_resample(&text[0], 1, 9600, 115200, out, sizeof out, &errors), 1);
    assert_int_equal(out[0], 0x00);
    assert_int_equal(errors, SERIAL_BREAK | SERIAL_FRAMING_ERROR);
    assert_int_equal(line_resample(text, 0, 9600, 115200, out, sizeof out, &errors), 0);
    // An alternating line starts a byte at each of its low bits.
    assert_int_equal(line_resample(&text[2], 1, 9600, 4000000, out, sizeof out, &errors), 5);
    assert_int_equal(line_resample(&text[2], 1, 9600, 4000000, out, 3, &errors), 3);
}

static void the_hosts_uart_reports_what_it_can_tell(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        unsigned errors;
    } rows[] = {
        {"uart=drop rate=0.1", SERIAL_OVERRUN_ERROR},
        {"uart=flip rate=0.1", SERIAL_PARITY_ERROR},
        {"uart=duplicate rate=0.1", SERIAL_OVERRUN_ERROR},
        {"uart=insert rate=0.1", SERIAL_FRAMING_ERROR},
        {"uart=delay rate=0.5", 0},
        {"uart=split rate=0.5", 0},
        {"uart=baud baud=1000000", SERIAL_BREAK | SERIAL_FRAMING_ERROR},
    };
    struct rig rig = rig_open(NULL);
    sim_host_present(rig.sim, rig.channel, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[96];
        snprintf(command, sizeof command, "kobuki.fault %s direction=to_robot", rows[i].fault);
        rig_do(&rig, command);
        rig_run(&rig, 0.2);
        assert_int_equal(sim_take_errors(rig.sim, rig.channel), 0);
        snprintf(command, sizeof command, "kobuki.fault %s direction=to_host", rows[i].fault);
        rig_do(&rig, command);
        rig_run(&rig, 0.2);
        unsigned errors = sim_take_errors(rig.sim, rig.channel);
        assert_int_equal(errors & rows[i].errors, rows[i].errors);
        assert_int_equal(errors & ~(rows[i].errors | SERIAL_FRAMING_ERROR), 0);
        assert_int_equal(sim_take_errors(rig.sim, rig.channel), 0);
        rig_do(&rig, "kobuki.heal");
    }
    rig_close(&rig);
}

static void bytes_at_a_wrong_baud_are_garbled_both_ways(void **state)
{
    (void)state;
    struct rig rig = compare("kobuki.fault uart=baud baud=57600");
    assert_true(faulty.size > 1000 && faulty.size < clean.size);
    for (size_t i = 0; i + 1 < faulty.size; i++)
        assert_false(faulty.bytes[i] == 0xaa && faulty.bytes[i + 1] == 0x55);
    assert_true(count(&rig, "fault_baud_bytes") > 35000);
    rig_drive(&rig, 100, 0, 2);
    assert_int_equal(count(&rig, "frames"), 0);
    assert_true(count(&rig, "noise_bytes") > 100);
    rig_do(&rig, "kobuki.fault uart=none");
    rig_run(&rig, 0.1);
    rig_drive(&rig, 100, 0, 2);
    assert_true(count(&rig, "frames") > 95);
    rig_close(&rig);
}

static void a_hang_up_comes_back_after_its_time(void **state)
{
    (void)state;
    struct rig rig = rig_open(NULL);
    rig_run(&rig, 1);
    rig_do(&rig, "kobuki.fault uart=hangup for=1");
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    rig_run(&rig, 0.99);
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    rig_run(&rig, 0.02);
    assert_true(sim_channel_is_plugged(rig.sim, rig.channel));
    assert_int_equal(count(&rig, "fault_hangups"), 1);
    rig_do(&rig, "kobuki.fault uart=hangup for=100");
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    rig_do(&rig, "kobuki.heal");
    assert_true(sim_channel_is_plugged(rig.sim, rig.channel));
    // A cable that was unplugged by a command is not a fault.
    rig_do(&rig, "kobuki.unplug what=uart");
    rig_do(&rig, "kobuki.fault uart=hangup for=0.1");
    rig_do(&rig, "kobuki.heal");
    rig_run(&rig, 1);
    assert_false(sim_channel_is_plugged(rig.sim, rig.channel));
    assert_int_equal(count(&rig, "fault_hangups"), 2);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_bytes_are_missing_and_counted),
        cmocka_unit_test(dropped_frames_are_missing_whole),
        cmocka_unit_test(flipped_bits_are_one_a_byte_and_break_checksums),
        cmocka_unit_test(flips_towards_the_robot_are_seen_by_its_framer),
        cmocka_unit_test(all_that_a_host_writes_within_a_step_is_lost_or_arrives),
        cmocka_unit_test(doubled_bytes_and_frames_come_twice),
        cmocka_unit_test(inserted_bytes_are_more_and_counted),
        cmocka_unit_test(delayed_frames_come_late_in_their_order),
        cmocka_unit_test(split_frames_come_in_two_pieces_with_a_gap),
        cmocka_unit_test(the_chip_cuts_frames_by_its_size_and_its_timer),
        cmocka_unit_test(a_stall_holds_everything_back_and_then_lets_it_go),
        cmocka_unit_test(a_stall_towards_the_robot_makes_it_deaf_for_a_while),
        cmocka_unit_test(a_stall_of_hours_loses_what_it_cannot_hold),
        cmocka_unit_test(garbage_greets_each_host_in_both_directions),
        cmocka_unit_test(a_wrong_baud_reads_what_its_clock_meets),
        cmocka_unit_test(the_hosts_uart_reports_what_it_can_tell),
        cmocka_unit_test(bytes_at_a_wrong_baud_are_garbled_both_ways),
        cmocka_unit_test(a_hang_up_comes_back_after_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
