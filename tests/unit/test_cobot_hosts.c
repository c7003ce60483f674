/* Hosts of a COBOT: two channels at the same time, and hosts that behave badly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/cobot_rig.h"

/* ---- Letters ---- */

static const char *letter_hex(char letter, char text[3])
{
    snprintf(text, 3, "%02x", (unsigned char)letter);
    return text;
}

static void press(struct rig *rig, char letter)
{
    char hex[3];
    rig_hex(rig, RIG_BLUETOOTH, letter_hex(letter, hex));
    rig_run(rig, 0.02);
}

static void expect(const struct rig *rig, double x_m_s, double y_m_s, double turn_rad_s)
{
    double x = rig_get(rig, "wanted_x_m_s"), y = rig_get(rig, "wanted_y_m_s");
    double turn = rig_get(rig, "wanted_turn_rad_s");
    if (fabs(x - x_m_s) + fabs(y - y_m_s) + fabs(turn - turn_rad_s) > 1e-9)
        fail_msg("wanted is %g m/s, %g m/s, %g rad/s, not %g, %g, %g", x, y, turn, x_m_s, y_m_s,
                 turn_rad_s);
}

static void letters_move_the_robot(void **state)
{
    (void)state;
    static const struct {
        char letter;
        double x_m_s, y_m_s, turn_rad_s;
    } rows[] = {
        {'3', 0, 0, 2},     {'4', 0, 0, -2}, {'0', 0, 0, 0},   {'6', 0.35, 0, 0},
        {'7', -0.35, 0, 0}, {'5', 0, 0, 0},  {'8', 0, 0.3, 0}, {'9', 0, -0.3, 0},
    };
    struct rig rig = rig_open("mecanum", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        press(&rig, rows[i].letter);
        expect(&rig, rows[i].x_m_s, rows[i].y_m_s, rows[i].turn_rad_s);
        assert_true(rig_get(&rig, "letter.letter") == rows[i].letter);
    }
    assert_true(rig_get(&rig, "bluetooth.frames") == 8);
    assert_int_equal(rig.received[RIG_BLUETOOTH][2] + rig.received[RIG_BLUETOOTH][6], 0);
    assert_true(rig_get(&rig, "bluetooth.sent") == 0);
    rig_close(&rig);
}

static void a_and_b_change_the_speed_in_steps_up_to_800(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    press(&rig, 'a');
    expect(&rig, 0, 0, 0); // it moves nothing
    press(&rig, '6');
    expect(&rig, 0.4, 0, 0);
    press(&rig, 'a');
    expect(&rig, 0.45, 0, 0); // while the robot moves, it takes effect at once
    for (int i = 0; i < 20; i++)
        press(&rig, 'a');
    expect(&rig, 0.8, 0, 0);
    press(&rig, 'b');
    expect(&rig, 0.75, 0, 0);
    press(&rig, '7');
    expect(&rig, -0.75, 0, 0);
    press(&rig, '3');
    press(&rig, 'b');
    expect(&rig, 0, 0, 2);
    for (int i = 0; i < 30; i++)
        press(&rig, 'b');
    press(&rig, '6');
    expect(&rig, 0, 0, 0);
    rig_close(&rig);
}

static void other_bytes_on_bluetooth_are_noise(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    press(&rig, '6');
    rig_hex(&rig, RIG_BLUETOOTH, "0d 0a 31 32 63 41 cd ff 00");
    rig_run(&rig, 0.05);
    expect(&rig, 0.35, 0, 0);
    assert_true(rig_get(&rig, "bluetooth.noise_bytes") == 9);
    rig_close(&rig);
}

static void letters_mean_nothing_on_the_uart(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_hex(&rig, RIG_UART, "36 36 36");
    rig_run(&rig, 0.05);
    assert_true(rig_get(&rig, "uart.noise_bytes") == 3 && rig_get(&rig, "driven") == 0);
    rig_close(&rig);
}

/* ---- Both channels ---- */

static void the_last_command_of_either_channel_rules(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    rig_motion(&rig, RIG_UART, 200, 0, 0);
    rig_run(&rig, 0.02);
    expect(&rig, 0.2, 0, 0);
    press(&rig, '7');
    expect(&rig, -0.35, 0, 0);
    rig_motion(&rig, RIG_UART, 100, 0, 10);
    rig_run(&rig, 0.02);
    expect(&rig, 0.1, 0, 0.1);
    press(&rig, 'a'); // the uart rules: it changes the speed and moves nothing
    expect(&rig, 0.1, 0, 0.1);
    press(&rig, '0');
    expect(&rig, 0, 0, 0);
    rig_close(&rig);
}

static void either_channel_feeds_the_watchdog(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    for (int i = 0; i < 40; i++) {
        press(&rig, '6');
        rig_run(&rig, 0.08);
    }
    assert_true(rig_get(&rig, "watchdog_stops") == 0 && rig_get(&rig, "x_m") > 21.2);
    rig_run(&rig, 0.6);
    assert_true(rig_get(&rig, "watchdog_stops") == 1 && rig_get(&rig, "driven") == 0);
    rig_close(&rig);
}

static void bluetooth_takes_frames_too_by_option(void **state)
{
    (void)state;
    const char *const frames[] = {"cobot.bluetooth=frames", NULL};
    struct rig rig = rig_open("mecanum", frames);
    rig_motion(&rig, RIG_BLUETOOTH, 200, 0, 0);
    rig_run(&rig, 0.02);
    expect(&rig, 0.2, 0, 0);
    press(&rig, '7');
    expect(&rig, 0.2, 0, 0);
    rig_run(&rig, 1);
    assert_true(rig.received[RIG_BLUETOOTH][2] == rig.received[RIG_UART][2]);
    assert_true(rig.received[RIG_BLUETOOTH][6] == rig.received[RIG_UART][6]);
    assert_in_range(rig.received[RIG_BLUETOOTH][6], 40, 43);
    rig_close(&rig);

    const char *const both[] = {"cobot.bluetooth=both", NULL};
    rig = rig_open("mecanum", both);
    rig_motion(&rig, RIG_BLUETOOTH, 200, 0, 0);
    rig_run(&rig, 0.02);
    expect(&rig, 0.2, 0, 0);
    press(&rig, '7');
    expect(&rig, -0.35, 0, 0);
    /* Letters inside a frame, or inside a broken one, are data. */
    rig_hex(&rig, RIG_BLUETOOTH, "cd 0a 01 00 00 36 00 00 33 00 00 34 ff");
    rig_run(&rig, 0.02);
    expect(&rig, -0.35, 0, 0);
    assert_true(rig_get(&rig, "bluetooth.bad_frames") == 1);
    rig_motion(&rig, RIG_BLUETOOTH, 0x36, 0, 0x33);
    rig_run(&rig, 0.02);
    expect(&rig, 0.054, 0, 0.51);
    rig_close(&rig);
}

/* ---- Hosts that behave badly ---- */

/* PingTi's controller does this: 10 Hz, and it never reads. */
static void a_host_that_never_reads_for_ten_minutes_stalls_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    for (int i = 0; i < 6000; i++) {
        rig_motion(&rig, RIG_UART, i % 100 < 50 ? 200 : -200, 0, 0);
        for (int ms = 0; ms < 100; ms++)
            sim_step(rig.sim);
    }
    assert_true(rig_get(&rig, "uart.frames") == 6000);
    assert_true(rig_get(&rig, "watchdog_stops") == 0);
    assert_true(rig_get(&rig, "imu_samples") == 24000);
    assert_true(fabs(rig_get(&rig, "x_m") - 20) < 0.05);
    /* Bytes without room in the buffer are lost and counted. A reader that starts later gets
     * complete frames. */
    double gone = rig_get(&rig, "uart.overruns");
    assert_true(gone + rig_get(&rig, "uart.sent") == 600 * (3 * 20 + 2 * 5 + 40));
    rig_run(&rig, 1);
    assert_true(rig.received[RIG_UART][6] >= 40);
    assert_int_equal(rig.bad[RIG_UART], 0);
    assert_true(rig_get(&rig, "uart.overruns") == gone);
    rig_close(&rig);
}

static void a_host_that_polls_at_1_khz_loses_nothing(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    uint64_t got = 0;
    for (int i = 0; i < 60; i++)
        rig_drive(&rig, 200, 0, 30, 1); // the rig reads all available bytes in every millisecond
    rig_run(&rig, 0.009);
    for (int function = 2; function < RIG_FUNCTIONS; function++)
        got += rig.received[RIG_UART][function];
    assert_true((double)got == rig_get(&rig, "uart.sent"));
    assert_true(got == 3 * 1200 + 2 * 300 + 2400);
    assert_int_equal(rig.bad[RIG_UART], 0);
    rig_close(&rig);
}

static void a_flood_of_commands_is_worked_off_at_the_speed_of_the_wire(void **state)
{
    (void)state;
    struct rig rig = rig_open("mecanum", NULL);
    for (int i = 0; i < 300; i++)
        rig_motion(&rig, RIG_UART, 200, 0, 0);
    rig_run(&rig, 1); // 3900 bytes, of 11520 a second
    assert_true(rig_get(&rig, "uart.frames") == 300);
    assert_in_range(rig.received[RIG_UART][6], 39, 41);
    rig_close(&rig);
}

/* codbot_base on an A100 converts a Twist of zeros to 0.1 m/s forward. None of its commands stops
 * the robot, but silence does (a927632670/robot: codbot_base). */
static void an_ackermann_whose_driver_sends_its_least_speed_stops_by_silence_alone(void **state)
{
    (void)state;
    struct rig rig = rig_open("ackermann", NULL);
    rig_drive(&rig, 100, 0, 0, 2);
    assert_true(rig_get(&rig, "speed_m_s") > 0.05);
    rig_run(&rig, 1.5);
    assert_true(rig_get(&rig, "driven") == 0);
    assert_true(fabs(rig_get(&rig, "speed_m_s")) < 0.01);
    assert_int_equal(rig.last[7][3], 1); /* the required current_type */
    rig_close(&rig);
}

static double turned_deg(int32_t x_mm_s, int32_t steer_deg)
{
    struct rig rig = rig_open("ackermann", NULL);
    double from_deg = rig_get(&rig, "heading_deg");
    rig_drive(&rig, x_mm_s, 0, steer_deg, 1);
    double deg = rig_get(&rig, "heading_deg") - from_deg;
    rig_close(&rig);
    return deg > 180 ? deg - 360 : deg < -180 ? deg + 360 : deg;
}

/* Wheels to the left turn a car left forwards, and right in reverse. codbot_base therefore changes
 * the side when it reverses (AckerCallBack): a positive angular.z turns it left both ways. */
static void an_ackermann_steers_like_a_car_in_reverse_too(void **state)
{
    (void)state;
    assert_true(turned_deg(300, 17) > 10);
    assert_true(turned_deg(-300, 17) < -10);
    assert_true(turned_deg(-300, -17) > 10); /* codbot_base: linear.x -0.3, angular.z 0.3 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ackermann_whose_driver_sends_its_least_speed_stops_by_silence_alone),
        cmocka_unit_test(an_ackermann_steers_like_a_car_in_reverse_too),
        cmocka_unit_test(letters_move_the_robot),
        cmocka_unit_test(a_and_b_change_the_speed_in_steps_up_to_800),
        cmocka_unit_test(other_bytes_on_bluetooth_are_noise),
        cmocka_unit_test(letters_mean_nothing_on_the_uart),
        cmocka_unit_test(the_last_command_of_either_channel_rules),
        cmocka_unit_test(either_channel_feeds_the_watchdog),
        cmocka_unit_test(bluetooth_takes_frames_too_by_option),
        cmocka_unit_test(a_host_that_never_reads_for_ten_minutes_stalls_nothing),
        cmocka_unit_test(a_host_that_polls_at_1_khz_loses_nothing),
        cmocka_unit_test(a_flood_of_commands_is_worked_off_at_the_speed_of_the_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
