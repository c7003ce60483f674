/* When base control takes effect and when it ends: watchdog and dead time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/kobuki_bench.h"

static void silence_stops_the_wheels(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 200, 0, 1000);
    bench_run(&b, 1300);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035, 0.2, 0.005);
    ASSERT_SIGNAL(&b, "watchdog_stops", 0);
    bench_run(&b, 1700);
    assert_true(b.sensors.wheel_rad_s[KOBUKI_LEFT] == 0);
    assert_true(b.actuators.motor[KOBUKI_LEFT] == 0);
    ASSERT_SIGNAL(&b, "watchdog_stops", 1);
    bench_drive(&b, 200, 0, 1000);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035, 0.2, 0.005);
    bench_close(&b);
}

static void other_frames_do_not_hold_the_watchdog_off(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 200, 0, 500);
    for (int i = 0; i < 200; i++) {
        bench_send(&b, "aa 55 04 0c 02 f0 01 fb");
        bench_run(&b, 20);
    }
    assert_true(b.sensors.wheel_rad_s[KOBUKI_LEFT] == 0);
    ASSERT_SIGNAL(&b, "host_alive", 1);
    bench_close(&b);
}

static void the_watchdog_time_is_an_option_and_0_turns_it_off(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "watchdog_s=0.3", NULL);
    bench_base(&b, 200, 0);
    bench_run(&b, 290);
    ASSERT_SIGNAL(&b, "driven", 1);
    bench_run(&b, 20);
    ASSERT_SIGNAL(&b, "driven", 0);
    bench_close(&b);

    bench_open(&b, "watchdog_s=0", NULL);
    bench_base(&b, 200, 0);
    bench_run(&b, 60000);
    ASSERT_NEAR(b.sensors.wheel_rad_s[KOBUKI_LEFT] * 0.035, 0.2, 0.005);
    ASSERT_SIGNAL(&b, "host_alive", 1);
    bench_close(&b);
}

static void commands_take_effect_after_the_dead_time_in_their_order(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "command_dead_time_s=0.2", NULL);
    bench_base(&b, 100, 0);
    bench_run(&b, 100);
    bench_base(&b, 300, 0);
    bench_run(&b, 90);
    assert_true(bench_signal(&b, "left_target_m_s") == 0);
    ASSERT_SIGNAL(&b, "queued_commands", 2);
    bench_run(&b, 20);
    ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), 0.1, 1e-12);
    bench_run(&b, 100);
    ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), 0.3, 1e-12);
    bench_close(&b);
}

static void a_flood_during_the_dead_time_keeps_the_newest_command(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "command_dead_time_s=5", "watchdog_s=0", NULL);
    for (int i = 0; i < 2000; i++) {
        bench_base(&b, i % 500, 0);
        bench_run(&b, 1);
    }
    bench_base(&b, 123, 0);
    bench_run(&b, 100);
    struct kobuki_gain gains; // only the queue has changed
    bench_send(&b, "aa 55 03 0e 01 30 3c");
    bench_run(&b, 20);
    bench_read(&b, &kobuki_controller_info_packet, &gains);
    assert_int_equal(gains.p, 100000);
    assert_int_equal(gains.i, 100);
    assert_int_equal(gains.d, 2000);
    bench_run(&b, 4900);
    ASSERT_NEAR(bench_signal(&b, "left_target_m_s"), 0.123, 1e-12);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_stops_the_wheels),
        cmocka_unit_test(other_frames_do_not_hold_the_watchdog_off),
        cmocka_unit_test(the_watchdog_time_is_an_option_and_0_turns_it_off),
        cmocka_unit_test(commands_take_effect_after_the_dead_time_in_their_order),
        cmocka_unit_test(a_flood_during_the_dead_time_keeps_the_newest_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
