/* The gyro of the Kobuki, and the heading that the firmware computes from it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/kobuki_bench.h"

static const double RAD_PER_DEG = 0.017453292519943295769;

static void turn(struct bench *b, double x, double y, double z)
{
    b->sensors.gyro_rad_s[0] = x * RAD_PER_DEG;
    b->sensors.gyro_rad_s[1] = y * RAD_PER_DEG;
    b->sensors.gyro_rad_s[2] = z * RAD_PER_DEG;
}

static struct kobuki_gyro_sample first_sample(const struct bench *b)
{
    struct kobuki_gyro_sample sample;
    size_t size;
    const uint8_t *body = bench_part(bench_last(b), 13, &size);
    assert_true(size >= 8);
    assert_true(wire_decode(&kobuki_gyro_sample_packet, body + 2, 6, &sample));
    return sample;
}

static struct kobuki_inertia inertia(const struct bench *b)
{
    struct kobuki_inertia message;
    bench_read(b, &kobuki_inertia_packet, &message);
    return message;
}

static void raw_samples_are_turned_by_90_degrees_and_saturate(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    turn(&b, 8.75, 17.5, -35);
    bench_run(&b, 20);
    /* wx = -0.00875 y, wy = 0.00875 x, wz = 0.00875 z */
    assert_int_equal(first_sample(&b).x, 2000);
    assert_int_equal(first_sample(&b).y, -1000);
    assert_int_equal(first_sample(&b).z, -4000);
    turn(&b, 400, -400, 400);
    bench_run(&b, 40);
    assert_int_equal(first_sample(&b).x, -32768);
    assert_int_equal(first_sample(&b).y, -32768);
    assert_int_equal(first_sample(&b).z, 32767);
    bench_close(&b);
}

static void samples_are_taken_at_their_own_times(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    bench_run(&b, 10);
    turn(&b, 0, 0, 87.5);
    bench_run(&b, 10);
    size_t size;
    const uint8_t *body = bench_part(bench_last(&b), 13, &size);
    assert_int_equal(size, 14);
    assert_int_equal(body[6] | body[7] << 8, 0);
    assert_int_equal(body[12] | body[13] << 8, 10000);
    bench_close(&b);
}

static void the_heading_is_exact_without_noise_and_wraps(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    turn(&b, 0, 0, 90);
    bench_run(&b, 4000);
    assert_int_equal(inertia(&b).rate, 9000);
    turn(&b, 0, 0, 0);
    bench_run(&b, 1000);
    /* The samples see the end of the motion up to 10 ms late. */
    ASSERT_NEAR(inertia(&b).angle, 0, 100);
    assert_int_equal(inertia(&b).rate, 0);
    turn(&b, 0, 0, 100);
    bench_run(&b, 1750);
    turn(&b, 0, 0, 0);
    bench_run(&b, 100);
    assert_true(inertia(&b).angle > 17000);
    turn(&b, 0, 0, 10);
    bench_run(&b, 1000);
    assert_true(inertia(&b).angle < -17000);
    bench_close(&b);
}

static void the_heading_saturates_at_292_degrees_a_second(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, NULL);
    turn(&b, 0, 0, -400);
    bench_run(&b, 100);
    assert_int_equal(inertia(&b).rate, -29200);
    turn(&b, 0, 0, 285);
    bench_run(&b, 100);
    assert_int_equal(inertia(&b).rate, 28500);
    bench_close(&b);
}

static void a_resting_robot_has_raw_bias_and_noise_but_a_still_heading(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "noise=on", "gyro_bias_x=39", "gyro_bias_y=-106", "gyro_bias_z=-69", NULL);
    double sum[3] = {0};
    int span[2] = {0, 0};
    for (int i = 0; i < 3000; i++) {
        bench_run(&b, 20);
        struct kobuki_gyro_sample sample = first_sample(&b);
        sum[0] += sample.x;
        sum[1] += sample.y;
        sum[2] += sample.z;
        span[0] = sample.x < span[0] || i == 0 ? sample.x : span[0];
        span[1] = sample.x > span[1] || i == 0 ? sample.x : span[1];
        assert_int_equal(inertia(&b).rate, 0);
    }
    ASSERT_NEAR(sum[0] / 3000, 39, 0.5);
    ASSERT_NEAR(sum[1] / 3000, -106, 0.5);
    ASSERT_NEAR(sum[2] / 3000, -69, 0.5);
    assert_in_range(span[1] - span[0], 10, 50);
    ASSERT_NEAR(inertia(&b).angle, 0, 100);
    bench_close(&b);
}

static void slow_turns_read_short_under_noise(void **unused)
{
    (void)unused;
    static const struct {
        double rate_deg_s, error_deg;
    } rows[] = {{5, -1.5},  {20, -2.3}, {45, -1.2}, {70, -0.6}, {100, 0},
                {-20, 1.8}, {-45, 0.9}, {-75, 0.4}, {-100, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        bench_open(&b, "noise=on", NULL);
        turn(&b, 0, 0, rows[i].rate_deg_s);
        bench_run(&b, (int)lround(360e3 / fabs(rows[i].rate_deg_s)));
        turn(&b, 0, 0, 0);
        bench_run(&b, 40);
        /* One sample of the motion more or fewer, and noise. */
        double slack_deg = fabs(rows[i].rate_deg_s) * 0.0099 + 0.1;
        ASSERT_NEAR(inertia(&b).angle * 0.01, rows[i].error_deg, slack_deg);
        bench_close(&b);
    }
}

static void firmware_below_1_1_4_drifts(void **unused)
{
    (void)unused;
    struct bench b;
    bench_open(&b, "noise=on", "firmware=1.1.3", NULL);
    bench_run(&b, 60000);
    ASSERT_NEAR(inertia(&b).angle, 200, 20);
    bench_close(&b);
    bench_open(&b, "noise=on", "firmware=1.1.4", NULL);
    bench_run(&b, 60000);
    ASSERT_NEAR(inertia(&b).angle, 0, 20);
    bench_close(&b);
}

static void noise_repeats_with_the_key_and_differs_between_robots(void **unused)
{
    (void)unused;
    struct bench a;
    struct bench b;
    bench_open(&a, "noise=on", NULL);
    bench_open(&b, "noise=on", NULL);
    bench_run(&a, 1000);
    bench_run(&b, 1000);
    assert_memory_equal(a.state, b.state, kobuki_type.state_size);
    struct robot_start other = {.options = &b.options, .rng_key = 77};
    b.due_us = kobuki_type.reset(b.state, &other);
    b.now_us = 0;
    bench_run(&b, 1000);
    assert_memory_not_equal(bench_last(&a)->bytes, bench_last(&b)->bytes, 81);
    bench_close(&a);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_samples_are_turned_by_90_degrees_and_saturate),
        cmocka_unit_test(samples_are_taken_at_their_own_times),
        cmocka_unit_test(the_heading_is_exact_without_noise_and_wraps),
        cmocka_unit_test(the_heading_saturates_at_292_degrees_a_second),
        cmocka_unit_test(a_resting_robot_has_raw_bias_and_noise_but_a_still_heading),
        cmocka_unit_test(slow_turns_read_short_under_noise),
        cmocka_unit_test(firmware_below_1_1_4_drifts),
        cmocka_unit_test(noise_repeats_with_the_key_and_differs_between_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
