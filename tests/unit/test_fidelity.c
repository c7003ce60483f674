/* A virtual Kobuki in the complete simulation, compared with published data of the real one: each
 * point of a plot or table with its tolerance. ./dev bench fidelity prints them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/array.h"
#include "sim/state/state.h"
#include "tests/unit/kobuki_bench.h"
#include "tests/unit/kobuki_rig.h"

/* Prints one line as the benchmark does, and fails the test if the tolerance is exceeded. */
static void compare(const char *name, double value, const char *unit, double published,
                    double tolerance)
{
    printf("fidelity.%s\t%.4g\t%s\t%.3f\tof the tolerance %.4g around the published %.4g\n", name,
           value, unit, fabs(value - published) / tolerance, tolerance, published);
    fflush(stdout);
    if (!(fabs(value - published) <= tolerance))
        fail_msg("%s is %g, published is %g, allowed %g more or less", name, value, published,
                 tolerance);
}

static const char *const quiet[] = {"kobuki.noise=off", NULL};

/* kobuki_core: doxygen/linear_acceleration.png, a step to the maximum. Tolerance 0.1 m/s, because
 * the plot can be read to a few cm/s and its speed oscillates about the mean. At 80 ms the real
 * speed dips but the simulated speed does not, so the tolerance is larger there. */
static void the_step_to_the_maximum(void **state)
{
    (void)state;
    static const struct {
        int ms;
        double m_s, tolerance;
    } plot[] = {{20, 0.24, 0.1},  {40, 0.30, 0.1},  {80, 0.24, 0.2},  {140, 0.40, 0.1},
                {240, 0.56, 0.1}, {340, 0.60, 0.1}, {480, 0.66, 0.1}, {560, 0.70, 0.1}};
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 1);
    /* Times are relative to the firmware pass that executes the command. */
    rig_base(&rig, 700, 0);
    while (rig_get(&rig, "kobuki.left_duty") == 0)
        rig_run(&rig, 0.001);
    int64_t start_us = sim_now_us(rig.sim);
    for (size_t i = 0; i < COUNT(plot); i++) {
        double left_s = plot[i].ms * 1e-3 - (double)(sim_now_us(rig.sim) - start_us) * 1e-6;
        rig_run(&rig, left_s);
        char name[32];
        snprintf(name, sizeof name, "step.%dms", plot[i].ms);
        compare(name, rig_get(&rig, "kobuki.speed_m_s"), "m/s", plot[i].m_s, plot[i].tolerance);
    }
    rig_close(&rig);
}

struct moment {
    double time, volts;
};

/* Compares the battery byte with a plot over time. Tolerance 0.1 V: the resolution of the plots. */
static void follow_plot(const char *curve, const char *pack, bool is_charging, double length,
                        const struct moment *plot, size_t count)
{
    const char *const options[] = {pack, "kobuki.noise=off", NULL};
    for (size_t i = 0; i < count; i++) {
        struct rig rig = rig_open(options);
        double charge = is_charging ? plot[i].time / length : 1 - plot[i].time / length;
        if (is_charging)
            rig_do(&rig, "kobuki.plug what=adapter");
        rig.sim->robots[0].charge = charge;
        rig_run(&rig, 0.1);
        size_t size;
        const uint8_t *basic = rig_part(&rig, 1, &size);
        assert_non_null(basic);
        char name[48];
        snprintf(name, sizeof name, "%s.%g", curve, plot[i].time);
        /* Offset of the battery in Basic Sensor Data: Kobuki protocol. */
        compare(name, basic[13] * 0.1, "V", plot[i].volts, 0.1001);
        rig_close(&rig);
    }
}

/* kobuki_documentation: battery_discharging_profile.jpg (time in h) and the charging plots (min).
 */
static void the_curves_of_the_battery(void **state)
{
    (void)state;
    static const struct moment out_1p[] = {{1, 15.4}, {2, 14.6},    {3, 14.2},
                                           {4, 13.7}, {4.33, 13.4}, {4.55, 10.7}};
    static const struct moment out_2p[] = {{2, 15.6}, {4, 14.8},   {6, 14.4},
                                           {8, 13.8}, {8.5, 13.5}, {8.9, 11.1}};
    static const struct moment in_1p[] = {{0, 14.1},  {3, 14.8},  {10, 15.1}, {20, 15.3},
                                          {32, 15.5}, {42, 15.7}, {51, 16.0}, {60, 16.5},
                                          {65, 16.6}, {80, 16.7}};
    static const struct moment in_2p[] = {{0, 13.3},   {6, 14.5},   {30, 15.0},
                                          {58, 15.3},  {79, 15.6},  {98, 16.1},
                                          {112, 16.5}, {118, 16.6}, {150, 16.7}};
    follow_plot("discharge.4s1p", "kobuki.battery_pack=4s1p", false, 4.55, out_1p, COUNT(out_1p));
    follow_plot("discharge.4s2p", "kobuki.battery_pack=4s2p", false, 8.9, out_2p, COUNT(out_2p));
    follow_plot("charge.4s1p", "kobuki.battery_pack=4s1p", true, 87, in_1p, COUNT(in_1p));
    follow_plot("charge.4s2p", "kobuki.battery_pack=4s2p", true, 156, in_2p, COUNT(in_2p));
}

/* From full to empty while the robot spins, and from empty to full. The tolerance of the former is
 * 20 %, because the load in the plots (a Kinect, and rotation at some rate) is not known in
 * numbers. */
static void the_times_of_the_battery(void **state)
{
    (void)state;
    static const struct {
        const char *name, *option;
        double out_h, in_min;
    } packs[] = {{"4s1p", "kobuki.battery_pack=4s1p", 4.55, 87},
                 {"4s2p", "kobuki.battery_pack=4s2p", 8.9, 156}};
    for (size_t i = 0; i < COUNT(packs); i++) {
        const char *const options[] = {packs[i].option, "kobuki.noise=off", NULL};
        struct rig rig = rig_open(options);
        rig.sim->robots[0].charge = 0.5;
        rig_drive(&rig, 150, 1, 2);
        double before = rig.sim->robots[0].charge;
        rig_drive(&rig, 150, 1, 20);
        double out_s = 20 / (before - rig.sim->robots[0].charge);
        rig_drive(&rig, 0, 0, 2);
        rig_do(&rig, "kobuki.plug what=adapter");
        rig_run(&rig, 2);
        before = rig.sim->robots[0].charge;
        rig_run(&rig, 20);
        double in_s = 20 / (rig.sim->robots[0].charge - before);
        char name[32];
        snprintf(name, sizeof name, "discharge_time.%s", packs[i].name);
        compare(name, out_s / 3600, "h", packs[i].out_h, 0.2 * packs[i].out_h);
        snprintf(name, sizeof name, "charge_time.%s", packs[i].name);
        compare(name, in_s / 60, "min", packs[i].in_min, 0.1 * packs[i].in_min);
        rig_close(&rig);
    }
}

static double turned_deg(double before, double after)
{
    double turned = after - before;
    return turned > 180 ? turned - 360 : turned < -180 ? turned + 360 : turned;
}

/* The gyro's error for one full rotation, in degrees. */
static double gyro_error_deg(double rate_deg_s, double *true_rate_deg_s)
{
    static const char *const noisy[] = {"kobuki.noise=on", NULL};
    struct rig rig = rig_open(noisy);
    int speed = (int)lround(rate_deg_s * ANGLE_PI / 180 * 115);
    rig_drive(&rig, speed, 1, 2);
    double start = sim_robot_pose(rig.sim, 0).heading_rad, start_s = rig.sim->time_s;
    double gyro = rig_get(&rig, "kobuki.gyro_angle_deg"), seen = 0, turned = 0;
    while (fabs(turned) < 2 * ANGLE_PI) {
        rig_drive(&rig, speed, 1, 0.02);
        double now = rig_get(&rig, "kobuki.gyro_angle_deg");
        seen += turned_deg(gyro, now);
        gyro = now;
        turned = sim_robot_pose(rig.sim, 0).heading_rad - start;
    }
    turned *= 180 / ANGLE_PI;
    *true_rate_deg_s = turned / (rig.sim->time_s - start_s);
    rig_close(&rig);
    return (seen - turned) / fabs(turned) * 360;
}

/* kobuki_documentation: gyro_in_place_rotation.jpg. Tolerance: half a degree (the scatter of its
 * points) plus the rotation during one packet, because start and end are read from packets. */
static void the_gyro_table(void **state)
{
    (void)state;
    static const struct {
        double rate, error;
    } plot[] = {{5, -1.5},  {20, -2.3}, {45, -1.2}, {70, -0.6}, {100, 0},
                {-20, 1.8}, {-45, 0.9}, {-75, 0.4}, {-100, 0}};
    for (size_t i = 0; i < COUNT(plot); i++) {
        double rate;
        double error = gyro_error_deg(plot[i].rate, &rate);
        assert_true(fabs(rate - plot[i].rate) < 0.02 * fabs(plot[i].rate) + 0.5);
        char name[32];
        snprintf(name, sizeof name, "gyro.%+g", plot[i].rate);
        compare(name, error, "deg per turn", plot[i].error, 0.5 + 0.02 * fabs(plot[i].rate));
    }
}

/* GP2Y0A51SK0F: typical curve of its datasheet, converted with 12 bits at 3.3 V; tolerance 0.05 V.
 * The sensor looks down from a height of 32 mm. */
static void the_curve_of_the_cliff_sensors(void **state)
{
    (void)state;
    static const struct {
        double distance_m, volts;
        bool is_cliff;
    } curve[] = {{0.032, 1.4, false}, {0.06, 0.9, false}, {0.079, 0.7, false}, {0.15, 0.4, true}};
    for (size_t i = 0; i < COUNT(curve); i++) {
        char yaml[512];
        int used = snprintf(yaml, sizeof yaml, "world:\n  size: {x: 4, y: 4}\n");
        if (i > 0)
            used += snprintf(yaml + used, sizeof yaml - (size_t)used,
                             "  cliffs: [{depth: %g, points: [{x: 2.1, y: 1.9}, {x: 2.2, y: 1.9}, "
                             "{x: 2.2, y: 2.1}, {x: 2.1, y: 2.1}]}]\n",
                             curve[i].distance_m - 0.0316);
        snprintf(yaml + used, sizeof yaml - (size_t)used,
                 "robots: [{name: kobuki, type: kobuki, pose: {x: 2, y: 2}}]\n");
        struct rig rig = rig_open_scene(yaml, quiet);
        rig_run(&rig, 0.5);
        size_t size;
        const uint8_t *cliff = rig_part(&rig, 5, &size);
        assert_true(cliff && size == 6);
        int counts = cliff[2] | cliff[3] << 8; /* right, center, left: Kobuki protocol, Cliff */
        char name[32];
        snprintf(name, sizeof name, "cliff.%gcm", 100 * curve[i].distance_m);
        compare(name, counts * 3.3 / 4095, "V", curve[i].volts, 0.05);
        assert_true((rig_get(&rig, "kobuki.cliff_center") == 1) == curve[i].is_cliff);
        rig_close(&rig);
    }
}

/* kobuki_documentation, anatomy.rst: power is cut above 3 A. The motor takes 0.21 A without load
 * and 6.1 A stalled at 12 V, but its 1.5506 ohm give 7.7 A. The tolerance of 2 A accepts both. The
 * wheel is jammed on a bench, because on the floor it slips before it stalls. */
static void the_current_of_a_stalled_wheel(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, NULL);
    bench_drive(&b, 300, 0, 2000);
    compare("current.free", fabs(b.sensors.motor_a[KOBUKI_RIGHT]), "A", 0.21, 0.1);
    b.is_jammed[KOBUKI_RIGHT] = true;
    double highest = 0;
    int ms = 0;
    for (; ms < 2000 && bench_basic(&b).over_current == 0; ms += 20) {
        highest = fmax(highest, fabs(b.sensors.motor_a[KOBUKI_RIGHT]));
        bench_drive(&b, 700, 0, 20);
    }
    assert_true(highest > 3);
    compare("current.stall_at_12v", highest * 12 / b.body.supply_v, "A", 6.1, 2);
    compare("current.cut", bench_basic(&b).over_current, "flag", 2, 0.1);
    compare("current.cut_time", ms * 1e-3, "s", 0.15, 0.15);
    bench_close(&b);
}

/* Melodies and lamps of the charger and of a low battery (out_of_the_box.rst, anatomy.rst;
 * yujinrobot/kobuki#18 for the voltages and rates). */
static void the_sounds_and_lamps_of_charging(void **state)
{
    (void)state;
    static const char *const half[] = {"kobuki.battery_v=15.0", NULL};
    struct rig rig = rig_open(half);
    rig_run(&rig, 5); /* until after the greeting of the host */
    compare("lamp.on", rig_get(&rig, "kobuki.status"), "word", 0, 0.1);
    rig_do(&rig, "kobuki.plug what=adapter");
    rig_run(&rig, 0.1);
    compare("sound.recharge", rig_get(&rig, "kobuki.melody"), "melody", 2, 0.1);
    compare("lamp.charging", rig_get(&rig, "kobuki.status"), "word", 3, 0.1);
    compare("charger.charging", rig_get(&rig, "kobuki.charger"), "byte", 22, 0.1);
    rig.sim->robots[0].charge = 1;
    rig_run(&rig, 0.1);
    compare("charger.charged", rig_get(&rig, "kobuki.charger"), "byte", 18, 0.1);
    rig_do(&rig, "kobuki.unplug what=adapter");
    rig_run(&rig, 0.1);
    compare("charger.none", rig_get(&rig, "kobuki.charger"), "byte", 0, 0.1);

    static const struct {
        const char *name, *option;
        double status, blinks_hz;
    } low[] = {{"lamp.low", "kobuki.battery_v=13.3", 1, 2},
               {"lamp.emergency", "kobuki.battery_v=12.5", 2, 4}};
    rig_close(&rig);
    for (size_t i = 0; i < COUNT(low); i++) {
        const char *const options[] = {low[i].option, NULL};
        rig = rig_open(options);
        rig_run(&rig, 1);
        compare(low[i].name, rig_get(&rig, "kobuki.status"), "word", low[i].status, 0.1);
        int changes = 0;
        double lit = rig_get(&rig, "kobuki.status_orange");
        for (int ms = 0; ms < 5000; ms += 10) {
            rig_run(&rig, 0.01);
            double now = rig_get(&rig, "kobuki.status_orange");
            changes += now != lit;
            lit = now;
        }
        char name[32];
        snprintf(name, sizeof name, "%s_rate", low[i].name);
        compare(name, changes / 10.0, "Hz", low[i].blinks_hz, 0.2);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_to_the_maximum),
        cmocka_unit_test(the_curves_of_the_battery),
        cmocka_unit_test(the_times_of_the_battery),
        cmocka_unit_test(the_gyro_table),
        cmocka_unit_test(the_curve_of_the_cliff_sensors),
        cmocka_unit_test(the_current_of_a_stalled_wheel),
        cmocka_unit_test(the_sounds_and_lamps_of_charging),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
