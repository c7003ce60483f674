/* The buzzer of the Kobuki. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "tests/unit/kobuki_bench.h"

static void plug(struct bench *b, enum charger_kind kind, double charge)
{
    b->sensors.charger = kind;
    b->sensors.battery_charge = charge;
}

static void a_note_sounds_for_its_duration(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_send(&b, "aa 55 05 03 03 3a 03 c8 f4"); /* note 826, 200 ms */
    bench_run(&b, 20);
    ASSERT_NEAR(b.actuators.sound_hz, 440.24, 0.01);
    ASSERT_NEAR(bench_signal(&b, "sound_hz"), 440.24, 0.01);
    bench_run(&b, 170);
    assert_true(b.actuators.sound_hz > 0 && b.actuators.sound_level > 0);
    bench_run(&b, 20);
    assert_true(b.actuators.sound_hz == 0 && b.actuators.sound_level == 0);
    bench_close(&b);
}

static void odd_notes_stay_within_the_buzzers_range(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t note;
        double hz;
    } rows[] = {{1, 22017}, {65535, 72}, {0, 0}};
    struct bench b;
    bench_open(&b, NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kobuki_sound sound = {rows[i].note, 255};
        bench_send_packet(&b, &kobuki_sound_packet, &sound);
        assert_true(bench_signal(&b, "sound_hz") == rows[i].hz);
    }
    struct kobuki_sound brief = {826, 0};
    bench_send_packet(&b, &kobuki_sound_packet, &brief);
    assert_true(bench_signal(&b, "sound_hz") == 0);
    bench_close(&b);
}

static void every_melody_plays_and_ends(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    for (uint8_t number = 0; number < 7; number++) {
        struct kobuki_sound_sequence sequence = {number};
        bench_send_packet(&b, &kobuki_sound_sequence_packet, &sequence);
        ASSERT_SIGNAL(&b, "melody", number);
        assert_true(bench_signal(&b, "sound_hz") > 0);
        bench_run(&b, 1000);
        ASSERT_SIGNAL(&b, "melody", -1);
        assert_true(b.actuators.sound_hz == 0);
    }
    struct kobuki_sound_sequence unknown = {7};
    bench_send_packet(&b, &kobuki_sound_sequence_packet, &unknown);
    ASSERT_SIGNAL(&b, "melody", -1);
    ASSERT_SIGNAL(&b, "bad_values", 1);
    bench_close(&b);
}

static void a_host_is_greeted_and_missed(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 1000);
    ASSERT_SIGNAL(&b, "sounds", 0);
    bench_send(&b, "aa 55 04 09 02 0b 00 04");
    ASSERT_SIGNAL(&b, "melody", 0);
    ASSERT_SIGNAL(&b, "host_alive", 1);
    bench_drive(&b, 0, 0, 5000);
    ASSERT_SIGNAL(&b, "sounds", 1);
    bench_run(&b, 1400);
    ASSERT_SIGNAL(&b, "host_alive", 1);
    bench_run(&b, 200);
    ASSERT_SIGNAL(&b, "host_alive", 0);
    ASSERT_SIGNAL(&b, "melody", 1);
    bench_run(&b, 5000);
    ASSERT_SIGNAL(&b, "sounds", 2);
    bench_base(&b, 0, 0);
    ASSERT_SIGNAL(&b, "sounds", 3);
    bench_close(&b);
}

static void the_recharge_melody_plays_when_charging_starts(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    plug(&b, CHARGER_DOCK, 0.5);
    bench_run(&b, 20);
    ASSERT_SIGNAL(&b, "melody", 2);
    bench_run(&b, 5000);
    ASSERT_SIGNAL(&b, "sounds", 1);
    plug(&b, CHARGER_NONE, 1);
    bench_run(&b, 20);
    plug(&b, CHARGER_DOCK, 1); /* full: nothing to charge */
    bench_run(&b, 20);
    ASSERT_SIGNAL(&b, "sounds", 1);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_sounds_for_its_duration),
        cmocka_unit_test(odd_notes_stay_within_the_buzzers_range),
        cmocka_unit_test(every_melody_plays_and_ends),
        cmocka_unit_test(a_host_is_greeted_and_missed),
        cmocka_unit_test(the_recharge_melody_plays_when_charging_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
