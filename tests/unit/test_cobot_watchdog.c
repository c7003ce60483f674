/* The watchdog of a COBOT: silence stops the motors. These tests define what counts as silence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

static const char forward[] = "cd 0a 01 00 01 2c 00 00 00 01 00 00 2d";
static const char damaged[] = "cd 0a 01 00 01 2c 00 00 00 01 00 00 2e";
static const char unknown[] = "cd 02 09 00 09";

static bool has_power(const struct rig *rig)
{
    return rig_get(rig, "front_left_duty") != 0 || rig_get(rig, "rear_left_duty") != 0 ||
           rig_get(rig, "front_right_duty") != 0 || rig_get(rig, "rear_right_duty") != 0;
}

/* Milliseconds until all motors are without power, while MEANWHILE is called every millisecond; 0:
 * never. */
static int until_off(struct rig *rig, int most_ms, void (*meanwhile)(struct rig *rig, int ms))
{
    for (int ms = 1; ms <= most_ms; ms++) {
        if (meanwhile)
            meanwhile(rig, ms);
        rig_run(rig, 0.001);
        if (!has_power(rig))
            return ms;
    }
    return 0;
}

/* Drives, ends with one frame at this phase of the control pass, and waits until the robot has
 * received it. */
static void drive(struct rig *rig, int phase_ms)
{
    rig_drive(rig, 300, 0, 0, 1);
    rig_run(rig, 0.001 * phase_ms);
    double frames = rig_get(rig, "uart.frames");
    rig_hex(rig, RIG_UART, forward);
    while (rig_get(rig, "uart.frames") == frames)
        rig_run(rig, 0.001);
    assert_true(has_power(rig));
}

static void silence_stops_the_motors_after_half_a_second_and_at_most_a_control_pass(void **state)
{
    (void)state;
    static const char *const models[] = {"ackermann", "differential", "mecanum", "tracked"};
    for (size_t i = 0; i < 4; i++) {
        int least = 10000, most = 0;
        for (int phase_ms = 0; phase_ms < 10; phase_ms++) {
            struct rig rig = rig_open(models[i], NULL);
            drive(&rig, phase_ms);
            int ms = until_off(&rig, 1000, NULL);
            least = ms < least ? ms : least;
            most = ms > most ? ms : most;
            assert_true(rig_get(&rig, "watchdog_stops") == 1);
            rig_run(&rig, 1);
            assert_true(fabs(rig_get(&rig, "speed_m_s")) < 1e-6);
            rig_close(&rig);
        }
        print_message("%-12s off %d to %d ms after the last frame\n", models[i], least, most);
        assert_in_range(least, 499, 501);
        assert_in_range(most, 500, 510);
    }
}

static void trickle(struct rig *rig, int ms)
{
    /* A frame that never ends: one byte every 60 ms. */
    static const char *const bytes[] = {"cd", "0a", "01", "00", "01", "2c", "00", "00", "00"};
    if (ms % 60 == 1 && ms / 60 < 9)
        rig_hex(rig, RIG_UART, bytes[ms / 60]);
}

static void bytes_of_an_unfinished_frame_are_silence(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    drive(&rig, 3);
    assert_in_range(until_off(&rig, 1000, trickle), 500, 510);
    /* The bytes that complete the frame make the robot move again. */
    rig_hex(&rig, RIG_UART, "01 00 00 2d");
    rig_run(&rig, 0.1);
    assert_true(has_power(&rig));
    rig_close(&rig);
}

static void send_damaged(struct rig *rig, int ms)
{
    if (ms % 100 == 0)
        rig_hex(rig, RIG_UART, damaged);
}

static void send_unknown(struct rig *rig, int ms)
{
    if (ms % 100 == 0)
        rig_hex(rig, RIG_UART, unknown);
}

static void a_wrong_checksum_is_silence_or_not_by_option(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    drive(&rig, 0);
    assert_in_range(until_off(&rig, 3000, send_damaged), 500, 510);
    rig_close(&rig);

    const char *const any[] = {"cobot.watchdog_feed=any", NULL};
    rig = rig_open("mecanum", any);
    drive(&rig, 0);
    assert_int_equal(until_off(&rig, 3000, send_damaged), 0);
    assert_true(fabs(rig_get(&rig, "speed_m_s") - 0.3) < 0.03);
    assert_in_range(rig_get(&rig, "uart.bad_frames"), 29, 30);
    /* It resets the watchdog, but it neither moves the robot nor resumes motion. */
    assert_in_range(until_off(&rig, 1000, NULL), 400, 510);
    (void)until_off(&rig, 1000, send_damaged);
    rig_run(&rig, 1);
    rig_hex(&rig, RIG_UART, damaged);
    rig_run(&rig, 0.1);
    assert_true(!has_power(&rig));
    rig_close(&rig);
}

static void any_good_frame_feeds_it_but_only_motion_resumes(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    drive(&rig, 0);
    assert_int_equal(until_off(&rig, 3000, send_unknown), 0);
    rig_run(&rig, 1);
    assert_true(!has_power(&rig));
    rig_hex(&rig, RIG_UART, unknown);
    rig_run(&rig, 0.1);
    assert_true(!has_power(&rig));
    rig_hex(&rig, RIG_UART, forward);
    rig_run(&rig, 0.1);
    assert_true(has_power(&rig));
    rig_run(&rig, 0.3);
    assert_true(fabs(rig_get(&rig, "speed_m_s") - 0.3) < 0.03);
    rig_close(&rig);
}

static void a_robot_boots_stopped(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_run(&rig, 2);
    assert_true(!has_power(&rig) && rig_get(&rig, "driven") == 0);
    assert_true(rig_get(&rig, "watchdog_stops") == 0);
    rig_close(&rig);
}

static void two_commands_a_second_and_a_bit_keep_it_moving(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    for (int i = 0; i < 20; i++) {
        rig_hex(&rig, RIG_UART, forward);
        rig_run(&rig, 0.49);
    }
    assert_true(rig_get(&rig, "watchdog_stops") == 0);
    assert_true(fabs(rig_get(&rig, "x_m") - 20 - 0.3 * 9.8) < 0.05);
    rig_close(&rig);
}

static void a_stop_centers_the_steering(void **state)
{
    (void)state;
    struct rig rig = rig_open("ackermann", NULL);
    rig_drive(&rig, 250, 0, 20, 1);
    assert_true(rig_get(&rig, "wanted_steer_deg") > 19.9);
    rig_run(&rig, 0.6);
    assert_true(rig_get(&rig, "wanted_steer_deg") == 0);
    rig_close(&rig);
}

static void its_time_is_an_option_and_zero_turns_it_off(void **state)
{
    (void)state;
    const char *const longer[] = {"cobot.watchdog_ms=1200", NULL};
    const char *const off[] = {"cobot.watchdog_ms=0", NULL};
    struct rig rig = rig_open("mecanum", longer);
    drive(&rig, 0);
    assert_in_range(until_off(&rig, 2000, NULL), 1200, 1210);
    rig_close(&rig);
    rig = rig_open("mecanum", off);
    drive(&rig, 0);
    assert_int_equal(until_off(&rig, 20000, NULL), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_stops_the_motors_after_half_a_second_and_at_most_a_control_pass),
        cmocka_unit_test(bytes_of_an_unfinished_frame_are_silence),
        cmocka_unit_test(a_wrong_checksum_is_silence_or_not_by_option),
        cmocka_unit_test(any_good_frame_feeds_it_but_only_motion_resumes),
        cmocka_unit_test(a_robot_boots_stopped),
        cmocka_unit_test(two_commands_a_second_and_a_bit_keep_it_moving),
        cmocka_unit_test(a_stop_centers_the_steering),
        cmocka_unit_test(its_time_is_an_option_and_zero_turns_it_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
