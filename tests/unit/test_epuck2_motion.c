/* The e-puck2's steppers: limits, conversion of a speed by the timer, counters, obstacle avoidance,
 * the TV remote. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/epuck2/epuck2_motion.h"
#include "protocols/epuck2/epuck2_power.h"
#include "tests/unit/epuck2_rig.h"

static void drive(struct epuck2_rig *rig, int16_t left, int16_t right)
{
    rig_order(rig, &(struct epuck2_command){.request = 2, .left = left, .right = right});
}

static void speeds_are_those_that_the_timer_can_make(void **state)
{
    (void)state;
    /* steps/s; the robot's firmware counts in half steps of 10 us. */
    static const struct {
        int16_t wanted;
        double driven;
    } cases[] = {{0, 0},          {1, 1},       {-1, -1},          {300, 301.2048},
                 {700, 704.2254}, {1000, 1000}, {1100, 1111.1111}, {-1100, -1111.1111}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(fabs(epuck2_motion_true_steps_s(cases[i].wanted) - cases[i].driven) < 1e-3);
}

static void speeds_beyond_1100_are_clamped(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    drive(rig, 32767, -32768);
    rig_run(rig, 100);
    const double full_rad_s = 1111.1111 * 2 * 3.14159265 / 1000;
    assert_true(fabs(rig->actuators.motor[0] - full_rad_s) < 1e-4);
    assert_true(fabs(rig->actuators.motor[1] + full_rad_s) < 1e-4);
    drive(rig, 0, 100);
    rig_run(rig, 100);
    assert_true(rig->actuators.motor_free[0]); /* no holding torque */
    assert_false(rig->actuators.motor_free[1]);
    rig_free(rig);
}

static void counters_count_steps_and_wrap_at_16_bits(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new("left_steps=32700 right_steps=-32700");
    rig_stream(rig);
    assert_int_equal(rig_sensors(rig).left_steps, 32700);
    drive(rig, 200, -200);
    rig_run(rig, 1000);
    int left = rig_sensors(rig).left_steps;
    int right = rig_sensors(rig).right_steps;
    assert_in_range(left + 65536 - 32700, 170, 205);
    assert_in_range(-32700 - (right - 65536), 170, 205);
    drive(rig, 0, 0);
    rig_run(rig, 100);
    left = rig_sensors(rig).left_steps;
    rig_run(rig, 500);
    assert_int_equal(rig_sensors(rig).left_steps, left);
    rig_free(rig);
}

static void bit_2_of_the_settings_sets_the_counters_and_moves_nothing(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    drive(rig, 300, 300);
    rig_run(rig, 500);
    double speed = rig->actuators.motor[0];
    rig_order(rig,
              &(struct epuck2_command){.request = 2, .settings = 4, .left = 100, .right = -200});
    rig_run(rig, 1000);
    assert_true(rig->actuators.motor[0] == speed);          /* drives on */
    assert_in_range(rig_sensors(rig).left_steps, 100, 110); /* set again at every turn */
    assert_in_range(rig_sensors(rig).right_steps + 200, 0, 10);
    rig_free(rig);
}

/* Calculated by hand from the formula in the firmware. */
static void the_force_field_is_that_of_the_firmware(void **state)
{
    (void)state;
    static const struct {
        uint16_t prox[8];
        int left, right;
        int driven[2];
    } cases[] = {
        {{0}, 500, 500, {500, 500}},
        {{4, 4, 4, 4, 4, 4, 4, 4}, 500, 300, {500, 300}}, /* noise */
        /* x = -100, y = 50: half of x -50 */
        {{100}, 500, 500, {500 - 50 - 200, 500 - 50 + 200}},
        /* x = -100, y = -50 */
        {{0, 0, 0, 0, 0, 0, 0, 100}, 500, 500, {500 - 50 + 200, 500 - 50 - 200}},
        /* x = 75, y = 50: half of x 37 */
        {{0, 0, 0, 100}, -300, -300, {-300 - (37 + 200), -300 - (37 - 200)}},
        /* x = -50, y = 50 */
        {{0, 100}, 500, 500, {500 - 25 - 200, 500 - 25 + 200}},
        /* x = 75, y = -50 */
        {{0, 0, 0, 0, 100}, 500, 500, {500 + 37 + 200, 500 + 37 - 200}},
        /* only y: -100 */
        {{0, 0, 0, 0, 0, 100}, 500, 500, {500 + 400, 500 - 400}},
        /* x = -50, y = -50 */
        {{0, 0, 0, 0, 0, 0, 100}, 500, 500, {500 - 25 + 200, 500 - 25 - 200}},
        /* only y: 100 */
        {{0, 0, 100}, 0, 0, {-400, 400}},
        /* x = 75, y = 50, at rest: as if it drove forward */
        {{0, 0, 0, 100}, 0, 0, {37 - 200, 37 + 200}},
        /* x = -5 - 2 = -7: half, rounded down, -4; y = 2 - 2 = 0 */
        {{5, 0, 0, 0, 0, 0, 5}, 100, 100, {96, 96}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int driven[2];
        epuck2_motion_field(cases[i].prox, cases[i].left, cases[i].right, driven);
        assert_int_equal(driven[0], cases[i].driven[0]);
        assert_int_equal(driven[1], cases[i].driven[1]);
    }
}

static void obstacle_avoidance_turns_it_away_and_off_again(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    rig_order(rig,
              &(struct epuck2_command){.request = 2, .settings = 2, .left = 300, .right = 300});
    rig_run(rig, 200);
    assert_true(rig->actuators.motor[0] == rig->actuators.motor[1]);
    rig->sensors.sensor[EPUCK2_PROX0].distance_m = 0.03; /* an obstacle at the front right */
    rig_run(rig, 200);
    assert_true(rig->actuators.motor[0] < rig->actuators.motor[1]);
    drive(rig, 300, 300);
    rig_run(rig, 200);
    assert_true(rig->actuators.motor[0] == rig->actuators.motor[1]);
    assert_true(rig->actuators.motor[0] > 0);
    rig_free(rig);
}

static void keys_of_the_remote_set_the_speeds(void **state)
{
    (void)state;
    static const int16_t speeds[10][2] = {{600, 600},   {300, 600},  {600, 600},  {600, 300},
                                          {-600, 600},  {0, 0},      {600, -600}, {-300, -600},
                                          {-600, -600}, {-600, -300}};
    struct epuck2_rig *rig = rig_new(NULL);
    rig_run(rig, 100);
    for (int key = 1; key <= 9; key++) {
        char text[32] = "remote key=0";
        text[strlen(text) - 1] = (char)('0' + key);
        rig_do(rig, text);
        rig_run(rig, 20);
        assert_int_equal(rig->state.motion.wheel[0].wanted, speeds[key][0]);
        assert_int_equal(rig->state.motion.wheel[1].wanted, speeds[key][1]);
    }
    rig_do(rig, "remote key=0");
    rig_run(rig, 20);
    assert_true(rig->actuators.sound_hz > 0);
    rig_do(rig, "remote key=77");
    assert_int_equal(rig->state.motion.wheel[0].wanted, 0);
    rig_do(rig, "remote key=2 address=3"); /* for another robot */
    assert_int_equal(rig->state.motion.wheel[0].wanted, 0);
    rig_do(rig, "remote key=2 address=8");
    assert_int_equal(rig->state.motion.wheel[0].wanted, 600);
    rig_free(rig);
}

static void a_channel_above_100_percent_leaves_an_led_as_it_is(void **state)
{
    (void)state;
    struct epuck2_rig *rig = rig_new(NULL);
    rig_stream(rig);
    rig_order(rig, &(struct epuck2_command){
                       .request = 2, .leds = 0xff, .led4 = {100, 0, 0}, .led8 = {1, 2, 3}});
    rig_run(rig, 100);
    assert_int_equal(rig->state.lamps.leds, 0x3f);
    assert_int_equal(rig->state.lamps.color[EPUCK2_RGB_LED4], EPUCK2_COLOR_RED);
    assert_int_equal(rig->state.lamps.color[EPUCK2_RGB_LED8], EPUCK2_COLOR_WHITE);
    rig_order(rig, &(struct epuck2_command){.request = 2, .led4 = {101, 100, 255}});
    rig_run(rig, 100);
    assert_int_equal(rig->state.lamps.leds, 0);
    assert_int_equal(rig->state.lamps.color[EPUCK2_RGB_LED4], EPUCK2_COLOR_YELLOW);
    assert_int_equal(rig->state.lamps.color[EPUCK2_RGB_LED8], 0);
    rig_free(rig);
}

static void an_led_has_three_channels(void **state)
{
    (void)state;
    const uint8_t percent[] = {10, 20, 30, 40};
    static struct epuck2_lamps lamps;
    for (unsigned led = 0; led + 1 < EPUCK2_RGB_COUNT; led++) {
        epuck2_lamps_rgb(&lamps, led, percent);
        assert_memory_equal(lamps.rgb[led], percent, 3);
        assert_int_equal(lamps.rgb[led + 1][0], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_those_that_the_timer_can_make),
        cmocka_unit_test(speeds_beyond_1100_are_clamped),
        cmocka_unit_test(counters_count_steps_and_wrap_at_16_bits),
        cmocka_unit_test(bit_2_of_the_settings_sets_the_counters_and_moves_nothing),
        cmocka_unit_test(the_force_field_is_that_of_the_firmware),
        cmocka_unit_test(obstacle_avoidance_turns_it_away_and_off_again),
        cmocka_unit_test(keys_of_the_remote_set_the_speeds),
        cmocka_unit_test(a_channel_above_100_percent_leaves_an_led_as_it_is),
        cmocka_unit_test(an_led_has_three_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
