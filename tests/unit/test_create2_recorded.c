/* The Create 2 against recordings of real robots: run-out, speeds, bits of the light sensors.
 * README.md of protocols/create2 lists the recordings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/create2_rig.h"

/* Runs until just after the next slot. */
static void next_slot(struct create *create)
{
    double slots = create_get(create, "slots");
    while (create_get(create, "slots") == slots)
        create_run(create, 1);
}

/* Drives both wheels at SPEED for 3 s. Returns the counts of the left wheel in one second at steady
 * speed, in mm/s, and in RUN_OUT the counts after the slot that stops it. */
static double steady_mm_s(struct create *create, int speed, int *run_out)
{
    static const uint8_t stop[] = {0x91, 0, 0, 0, 0};
    char hex[24];
    unsigned bits = (uint16_t)speed;
    snprintf(hex, sizeof hex, "91 %02x %02x %02x %02x", bits >> 8, bits & 255, bits >> 8,
             bits & 255);
    create_say(create, hex);
    create_run(create, 1000);
    double from = create_get(create, "left_counts");
    create_run(create, 2000);
    double counts = create_get(create, "left_counts") - from;
    sim_host_bytes(create->rig.sim, create->rig.channel, stop, sizeof stop);
    next_slot(create);
    from = create_get(create, "left_counts");
    create_run(create, 1000);
    *run_out = (int)round(create_get(create, "left_counts") - from);
    return counts / 2 * 226.195 / 508.8;
}

/* Recorded: a run-out of 10 counts from 100 mm/s. */
static void a_stop_runs_out_as_recorded(void **state)
{
    (void)state;
    struct create create;
    int run_out = 0;
    create_open(&create, NULL);
    create_say(&create, "80 84");
    assert_true(fabs(steady_mm_s(&create, 100, &run_out) - 100) < 1);
    assert_in_range(run_out, 9, 12);
    create_close(&create);
}

static void recorded_wheels_miss_their_speed(void **state)
{
    (void)state;
    static const struct {
        int told;
        double least, most;
    } speeds[] = {{28, 45, 47},    {50, 62, 72},      {78, 94, 97},      {100, 111, 120},
                  {128, 140, 144}, {199, 184, 194.5}, {-100, -120, -111}};
    static const char *const recorded[] = {"create.wheel_error=recorded", NULL};
    struct create create;
    int run_out = 0;
    create_open(&create, recorded);
    create_say(&create, "80 84");
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        double mm_s = steady_mm_s(&create, speeds[i].told, &run_out);
        if (mm_s < speeds[i].least || mm_s > speeds[i].most)
            fail_msg("told %d: %g mm/s", speeds[i].told, mm_s);
        double left = create_get(&create, "left_counts"),
               right = create_get(&create, "right_counts");
        assert_true(fabs(left - right) <= 0.03 * fabs(left) + 2);
    }
    create_close(&create);
}

/* A wheel errs by the same share at all speeds, so their ratios are those of the middles. */
static void recorded_wheels_have_the_middles_of_the_recordings(void **state)
{
    (void)state;
    static const struct {
        int told;
        double middle;
    } speeds[] = {{100, 115.5}, {28, 46}, {50, 67},   {78, 95.5}, {128, 142},
                  {199, 189},   {14, 23}, {500, 475}, {-50, -67}};
    static const char *const recorded[] = {"create.wheel_error=recorded", NULL};
    struct create create;
    int run_out = 0;
    create_open(&create, recorded);
    create_say(&create, "80 84");
    double share = steady_mm_s(&create, speeds[0].told, &run_out) / speeds[0].middle;
    assert_true(fabs(share - 1) < 0.02);
    for (size_t i = 1; i < sizeof speeds / sizeof speeds[0]; i++) {
        double mm_s = steady_mm_s(&create, speeds[i].told, &run_out) / share;
        if (fabs(mm_s - speeds[i].middle) > 0.4 + 0.005 * fabs(speeds[i].middle))
            fail_msg("told %d: %g mm/s", speeds[i].told, mm_s);
    }
    create_close(&create);
}

static void requested_speeds_come_in_steps_of_a_count_in_a_sixteenth(void **state)
{
    (void)state;
    static const int told[][2] = {{1, 0},     {4, 7},     {50, 50},   {100, 100},
                                  {195, 192}, {196, 199}, {200, 199}, {-100, -100}};
    struct create create;
    create_open(&create, NULL);
    create_say(&create, "80 84");
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        char hex[24];
        unsigned bits = (uint16_t)told[i][0];
        snprintf(hex, sizeof hex, "91 %02x %02x 00 00", bits >> 8, bits & 255);
        create_say(&create, hex);
        assert_int_equal(create_i16(&create, 41), told[i][1]);
        assert_int_equal(create_i16(&create, 42), 0);
    }
    create_close(&create);
}

/* Approaches a wall and returns the smallest signal with the bit set. The bit is from the
 * previous slot, so the robot stays in each place for some slots. */
static int least_signal(struct create *create, unsigned sensor)
{
    int least = 4096, most_without = 0;
    for (double gap_m = 0.30; gap_m > 0.01; gap_m -= 0.002) {
        char line[80];
        snprintf(line, sizeof line, "create.place x=10 y=%g heading=%d", 20 - 0.17425 - gap_m,
                 sensor == 5 ? 155 : 76);
        rig_do(&create->rig, line);
        create_run(create, 80);
        int signal = create_u16(create, (uint8_t)(46 + sensor));
        bool has_bit = create_u8(create, 45) >> sensor & 1;
        least = has_bit && signal < least ? signal : least;
        most_without = !has_bit && signal > most_without ? signal : most_without;
    }
    assert_true(most_without > 0 && most_without <= least);
    return least;
}

/* Recorded: 124 to 127 on two robots; 284 to 288 for the right sensor. */
static void light_bumper_bits_have_the_recorded_edges(void **state)
{
    (void)state;
    static const char *const quiet[] = {"create.noise=off", NULL};
    struct create create;
    create_open(&create, quiet);
    create_say(&create, "80 84");
    for (unsigned sensor = 0; sensor < 5; sensor++)
        assert_in_range(least_signal(&create, sensor), 125, 145);
    assert_in_range(least_signal(&create, 5), 285, 320);
    create_close(&create);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_runs_out_as_recorded),
        cmocka_unit_test(recorded_wheels_miss_their_speed),
        cmocka_unit_test(recorded_wheels_have_the_middles_of_the_recordings),
        cmocka_unit_test(requested_speeds_come_in_steps_of_a_count_in_a_sixteenth),
        cmocka_unit_test(light_bumper_bits_have_the_recorded_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
