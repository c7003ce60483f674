/* The scanners of a TurtleBot3, in whole simulations, as their drivers read them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocols/ld06/ld06.h"
#include "tests/support/simulation.h"

static const double PI = 3.14159265358979323846;

enum { HEARD_MAX = 65536 };

struct bench {
    struct simulation s;
    uint8_t heard[HEARD_MAX];
    size_t size;
};

static void open_bench(struct bench *bench, const char *type, const char *options)
{
    char yaml[512];
    snprintf(
        yaml, sizeof yaml,
        "seed: 5\nworld: {size: {x: 6, y: 4}}\nrobots:\n- {name: lidar, type: %s, pose: {x: 2, "
        "y: 1.5, heading: 20}, options: {noise_mm: 0, noise_near_percent: 0, "
        "noise_far_percent: 0, dropout_percent: 0, range_max_m: 8%s}}\n",
        type, options);
    memset(bench, 0, sizeof *bench);
    bench->s = simulation_open(yaml, NULL);
    sim_host_present(bench->s.sim, 0, true);
}

static void run(struct bench *bench, int milliseconds)
{
    for (int i = 0; i < milliseconds; i++) {
        const uint8_t *bytes;
        size_t size;
        sim_step(bench->s.sim);
        while (sim_output(bench->s.sim, 0, &bytes, &size)) {
            assert_true(bench->size + size <= sizeof bench->heard);
            memcpy(bench->heard + bench->size, bytes, size);
            bench->size += size;
        }
    }
}

/* Distance from the scanner to the wall, in a direction that is measured counter-clockwise from the
 * scanner's zero. */
static double wall_m(double toward_rad)
{
    double heading = toward_rad + 20 * PI / 180, x = cos(heading), y = sin(heading);
    double to_x = x > 0 ? (6 - 2) / x : x < 0 ? 2 / -x : INFINITY;
    double to_y = y > 0 ? (4 - 1.5) / y : y < 0 ? 1.5 / -y : INFINITY;
    return fmin(to_x, to_y);
}

static unsigned u16(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

/* As hls_lfcd_lds_driver: a turn from FA A0 on, 2520 bytes; beam 6 n + j at 359 - (6 n + j). */
static void lds_01_turns_are_what_its_driver_reads(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench, "lds_01", "");
    run(&bench, 1000);
    size_t at = 0;
    while (bench.heard[at] != 0xFA || bench.heard[at + 1] != 0xA0)
        at++;
    assert_true(at + 3 * 2520 <= bench.size); // five turns a second
    assert_in_range(bench.size, 5 * 2520 - 2 * 42, 5 * 2520 + 2 * 42);
    for (size_t i = 0; i < 60; i++) {
        const uint8_t *packet = bench.heard + at + i * LDS_01_PACKET_BYTES;
        unsigned sum = 0;
        for (int k = 0; k < 40; k++)
            sum += packet[k];
        assert_int_equal(packet[0], 0xFA);
        assert_int_equal(packet[1], 0xA0 + i);
        assert_int_equal(u16(packet + 2), 3000);
        assert_int_equal(packet[40], 0xFF - (sum & 0xFF));
        assert_int_equal(packet[41], packet[40]);
        for (size_t j = 0; j < LDS_01_POINTS; j++) {
            double toward = (359.0 - (double)(6 * i + j)) * PI / 180;
            assert_true(fabs(u16(packet + 6 + 6 * j) * 1e-3 - wall_m(toward)) < 0.0006);
            assert_true(u16(packet + 4 + 6 * j) > 100 && u16(packet + 8 + 6 * j) == 0);
        }
    }
    simulation_close(&bench.s);
}

static void lds_01_obeys_b_and_e(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench, "lds_01", ", autostart: no");
    run(&bench, 3000);
    assert_int_equal(bench.size, 0);
    sim_host_bytes(bench.s.sim, 0, (const uint8_t *)"xb", 2);
    run(&bench, 1400);
    assert_int_equal(bench.size, 0); // it speeds up
    run(&bench, 1600);
    assert_true(bench.size > 5000);
    assert_int_equal(bench.heard[1], 0xA0);
    assert_true(simulation_get(bench.s.sim, "lidar.uart.noise_bytes") == 1);
    assert_true(simulation_get(bench.s.sim, "lidar.uart.frames") == 1);
    sim_host_bytes(bench.s.sim, 0, (const uint8_t *)"e", 1);
    run(&bench, 500);
    size_t size = bench.size;
    run(&bench, 2000);
    assert_int_equal(bench.size, size);
    run(&bench, 3000);
    assert_true(simulation_get(bench.s.sim, "lidar.motor_hz") == 0);
    simulation_close(&bench.s);
}

/* As ld08_driver: x = d + 5.9, y = 0.11923 d - 20.14; 360 - a + atan(y / x). */
static void lds_02_points_lie_on_the_walls_after_its_driver(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench, "lds_02", "");
    run(&bench, 1000);
    size_t packets = bench.size / LD06_PACKET_BYTES, points = 0;
    assert_in_range(packets, 189, 193); // 2300 points a second
    for (size_t i = 0; i < packets; i++) {
        const uint8_t *packet = bench.heard + i * LD06_PACKET_BYTES;
        double start = u16(packet + 4) / 100.0, end = u16(packet + 42) / 100.0;
        double step = (end < start ? end + 360 - start : end - start) / 11;
        assert_int_equal(packet[0], 0x54);
        assert_int_equal(wire_crc8(packet, 46), packet[46]);
        assert_int_equal(u16(packet + 2), 2160);
        assert_true(step * 11 <= u16(packet + 2) * 12.0 / 2300 * 1.5);
        for (size_t j = 0; j < LD06_POINTS; j++, points++) {
            double d = u16(packet + 6 + 3 * j), a = start + step * (double)j;
            double x = d + 5.9, y = 0.11923 * d - 20.14;
            double toward = (360 - a) * PI / 180 + atan2(y, x);
            assert_true(fabs(hypot(x, y) * 1e-3 - wall_m(toward)) < 0.002);
        }
    }
    assert_true(points > 2200);
    simulation_close(&bench.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lds_01_turns_are_what_its_driver_reads),
        cmocka_unit_test(lds_01_obeys_b_and_e),
        cmocka_unit_test(lds_02_points_lie_on_the_walls_after_its_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
