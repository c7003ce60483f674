/* The Kobuki's sensor data about its surroundings: switches, cliffs, dock light, inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kobuki_bench.h"

static void bumpers_are_right_1_center_2_left_4(void **unused)
{
    (void)unused;
    static const char *const names[] = {"right", "center", "left"};
    struct bench b;
    bench_open(&b, NULL);
    assert_int_equal(b.body.bumper_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(b.body.bumpers[i].name, names[i]);
        b.sensors.bumpers = 1u << i;
        bench_run(&b, 20);
        assert_int_equal(bench_basic(&b).bumper, 1u << i);
    }
    assert_true(b.body.bumpers[0].to_rad < 0 && b.body.bumpers[2].from_rad > 0);
    bench_close(&b);
}

static void wheel_drops_are_right_1_left_2(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.sensors.wheel_dropped[KOBUKI_LEFT] = true;
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).wheel_drop, 0x02);
    b.sensors.wheel_dropped[KOBUKI_RIGHT] = true;
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).wheel_drop, 0x03);
    b.sensors.wheel_dropped[KOBUKI_LEFT] = false;
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).wheel_drop, 0x01);
    bench_close(&b);
}

static void at_most_one_button_is_pressed(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned pressed = 0; pressed < 8; pressed++) {
        b.sensors.buttons = pressed;
        bench_run(&b, 20);
        unsigned shown = bench_basic(&b).buttons;
        assert_true((shown & (shown - 1)) == 0 && (shown & ~pressed) == 0);
        assert_int_equal(shown != 0, pressed != 0);
    }
    bench_close(&b);
}

static void a_touch_between_two_packets_shows_in_the_next_one_alone(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 25);
    b.sensors.bumpers = 0x04;
    bench_run(&b, 10);
    b.sensors.bumpers = 0;
    bench_run(&b, 5);
    assert_int_equal(bench_basic(&b).bumper, 0x04);
    bench_run(&b, 20);
    assert_int_equal(bench_basic(&b).bumper, 0);
    bench_close(&b);
}

/* ---- Cliffs ---- */

static struct kobuki_cliff cliffs_at(struct bench *b, double right, double center, double left)
{
    struct kobuki_cliff cliff;
    b->sensors.sensor[KOBUKI_CLIFF_RIGHT].distance_m = right;
    b->sensors.sensor[KOBUKI_CLIFF_CENTER].distance_m = center;
    b->sensors.sensor[KOBUKI_CLIFF_LEFT].distance_m = left;
    bench_run(b, 20);
    bench_read(b, &kobuki_cliff_packet, &cliff);
    return cliff;
}

static void cliff_counts_follow_the_datasheet(void **unused)
{
    (void)unused;
    static const struct {
        double distance_m, volts;
    } rows[] = {{0.02, 2.0}, {0.032, 1.4}, {0.06, 0.9}, {0.08, 0.7}, {0.15, 0.4}};
    struct bench b;
    bench_open(&b, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kobuki_cliff cliff = cliffs_at(&b, rows[i].distance_m, 0.03, 0.03);
        ASSERT_NEAR(cliff.right, rows[i].volts / 3.3 * 4095, 1);
    }
    int before = 4096;
    for (int mm = 20; mm < 500; mm++) {
        int counts = cliffs_at(&b, mm * 1e-3, 0.03, 0.03).right;
        assert_true(counts <= before && counts > 0);
        before = counts;
    }
    assert_true(cliffs_at(&b, INFINITY, 0.03, 0.03).right <= before);
    bench_close(&b);
}

static void cliff_flags_trip_beyond_8_cm_each_on_its_side(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    cliffs_at(&b, 0.0316, 0.0316, 0.0316);
    assert_int_equal(bench_basic(&b).cliff, 0);
    struct kobuki_cliff cliff = cliffs_at(&b, INFINITY, 0.0316, 0.0316);
    assert_int_equal(bench_basic(&b).cliff, 0x01);
    assert_true(cliff.right < 400 && cliff.center > 1400 && cliff.left > 1400);
    cliffs_at(&b, 0.0316, 0.3, 0.0316);
    assert_int_equal(bench_basic(&b).cliff, 0x02);
    cliffs_at(&b, 0.0316, 0.0316, 0.10);
    assert_int_equal(bench_basic(&b).cliff, 0x04);
    cliffs_at(&b, 0.078, 0.08, 0.082);
    assert_int_equal(bench_basic(&b).cliff, 0x04);
    bench_close(&b);

    bench_open(&b, "cliff_threshold_m=0.04", NULL);
    cliffs_at(&b, 0.042, 0.038, 0.06);
    assert_int_equal(bench_basic(&b).cliff, 0x05);
    bench_close(&b);
}

static void the_floor_is_no_cliff_under_noise(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "noise=on", NULL);
    int lowest = 4095;
    int highest = 0;
    for (int i = 0; i < 500; i++) {
        bench_run(&b, 20);
        struct kobuki_cliff cliff;
        bench_read(&b, &kobuki_cliff_packet, &cliff);
        assert_int_equal(bench_basic(&b).cliff, 0);
        lowest = cliff.center < lowest ? cliff.center : lowest;
        highest = cliff.center > highest ? cliff.center : highest;
    }
    /* A recorded robot shows 2036 to 2041 on the floor. */
    assert_true(lowest > 1990 && highest < 2090 && highest > lowest);
    bench_close(&b);
}

/* Recorded on one robot: 1764 to 1781, 2036 to 2041, 1680 to 1684. Open inputs: 4057 to 4068; the
 * unused word: 4079 or 4080. */
static void noise_has_the_recorded_spread(void **unused)
{
    (void)unused;
    struct bench b;
    struct kobuki_inputs inputs;
    bench_open(&b, "noise=on", NULL);
    double sums[3] = {0};
    unsigned unused_words = 0;
    for (int i = 0; i < 300; i++) {
        struct kobuki_cliff cliff = cliffs_at(&b, 0.032, 0.032, 0.032);
        sums[0] += cliff.right, sums[1] += cliff.center, sums[2] += cliff.left;
        bench_read(&b, &kobuki_inputs_packet, &inputs);
        assert_in_range(inputs.analog0, 4057, 4068);
        assert_in_range(inputs.analog3, 4057, 4068);
        assert_in_range(inputs.unused0, 4079, 4080);
        unused_words |= 1u << (inputs.unused0 - 4079);
    }
    assert_int_equal(unused_words, 3);
    ASSERT_NEAR(sums[0] / 300, 1772, 3);
    ASSERT_NEAR(sums[1] / 300, 2038, 3);
    ASSERT_NEAR(sums[2] / 300, 1682, 3);
    bench_close(&b);
}

/* ---- Dock light, expansion port ---- */

static void dock_bits_come_from_each_receiver(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    b.sensors.sensor[KOBUKI_DOCK_RIGHT].beams = BEAM_NEAR_LEFT | BEAM_FAR_LEFT;
    b.sensors.sensor[KOBUKI_DOCK_CENTER].beams = BEAM_NEAR_CENTER | BEAM_FAR_CENTER;
    b.sensors.sensor[KOBUKI_DOCK_LEFT].beams = 0xFFFFFFFF;
    bench_run(&b, 20);
    struct kobuki_docking docking;
    bench_read(&b, &kobuki_docking_packet, &docking);
    assert_int_equal(docking.right, 0x11);
    assert_int_equal(docking.center, 0x0A);
    assert_int_equal(docking.left, 0x3F);
    assert_true(b.body.sensors[KOBUKI_DOCK_RIGHT].heading_rad < 0);
    assert_true(b.body.sensors[KOBUKI_DOCK_LEFT].heading_rad > 0);
    bench_close(&b);
}

static void inputs_float_until_they_are_driven(void **unused)
{
    (void)unused;
    struct bench b;
    struct kobuki_inputs inputs;
    bench_open(&b, NULL);
    bench_run(&b, 20);
    bench_read(&b, &kobuki_inputs_packet, &inputs);
    assert_int_equal(inputs.digital, 0);
    assert_int_equal(inputs.analog0, 4095);
    assert_int_equal(inputs.analog3, 4095);
    assert_int_equal(inputs.unused0, 0x0FF0);
    assert_int_equal(inputs.unused1, 0);

    bench_command(&b, "analog", "channel=0", "volts=0", NULL);
    bench_command(&b, "analog", "channel=2", "volts=1.65", NULL);
    bench_command(&b, "input", "channel=3", NULL);
    bench_command(&b, "input", "channel=1", "high=yes", NULL);
    bench_command(&b, "test_board", NULL);
    bench_run(&b, 20);
    bench_read(&b, &kobuki_inputs_packet, &inputs);
    assert_int_equal(inputs.analog0, 0);
    assert_int_equal(inputs.analog1, 4095);
    assert_int_equal(inputs.analog2, 2048);
    assert_int_equal(inputs.digital, 64 | 8 | 2);

    bench_command(&b, "analog", "channel=2", "open=yes", NULL);
    bench_command(&b, "input", "channel=3", "high=no", NULL);
    bench_run(&b, 20);
    bench_read(&b, &kobuki_inputs_packet, &inputs);
    assert_int_equal(inputs.analog2, 4095);
    assert_int_equal(inputs.digital, 64 | 2);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bumpers_are_right_1_center_2_left_4),
        cmocka_unit_test(wheel_drops_are_right_1_left_2),
        cmocka_unit_test(at_most_one_button_is_pressed),
        cmocka_unit_test(a_touch_between_two_packets_shows_in_the_next_one_alone),
        cmocka_unit_test(cliff_counts_follow_the_datasheet),
        cmocka_unit_test(cliff_flags_trip_beyond_8_cm_each_on_its_side),
        cmocka_unit_test(the_floor_is_no_cliff_under_noise),
        cmocka_unit_test(noise_has_the_recorded_spread),
        cmocka_unit_test(dock_bits_come_from_each_receiver),
        cmocka_unit_test(inputs_float_until_they_are_driven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
