/* A Kobuki driven by base control through the whole simulation: wire, firmware, motors, wheels and
 * floor. Predictions are the kinematics of the public protocol text, not the firmware's code. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/kobuki_rig.h"

static const char *const quiet[] = {"kobuki.noise=off", NULL};

struct motion {
    int speed_mm_s, radius_mm;
    double v_m_s, w_rad_s; /* predicted */
};

/* Speed is that of the outer wheel: right for radius > 0, left for radius < 0. */
static const struct motion motions[] = {
    {200, 0, 0.2, 0},
    {-200, 0, -0.2, 0},
    {600, 0, 0.6, 0},
    {-600, 0, -0.6, 0},
    {257, 400, 0.2, 0.5},
    {157, 200, 0.1, 0.5},
    {-157, -200, -0.1, 0.5},
    {257, -400, 0.2, -0.5},
    {-257, 400, -0.2, -0.5},
    {115, 1, 0, 1},
    {-115, 1, 0, -1},
    {115, -1, 0.001 * 115 / 116, -115 / 116.0}, // an arc of 1 mm about a point on the right
    {-115, -1, -0.001 * 115 / 116, 115 / 116.0},
    {57, 1, 0, 57 / 115.0},
    {10, 0, 0.01, 0},
    {-10, 0, -0.01, 0},
};

static void check_motion(const struct motion *motion)
{
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, motion->speed_mm_s, motion->radius_mm, 2);
    struct pose from = sim_robot_pose(rig.sim, 0);
    const double seconds = 8;
    rig_drive(&rig, motion->speed_mm_s, motion->radius_mm, seconds);
    struct pose to = sim_robot_pose(rig.sim, 0);

    // The exact arc from the pose at two seconds.
    double turn = motion->w_rad_s * seconds;
    double chord = fabs(turn) < 1e-9 ? motion->v_m_s * seconds
                                     : 2 * motion->v_m_s / motion->w_rad_s * sin(turn / 2);
    double x = from.x_m + chord * cos(from.heading_rad + turn / 2);
    double y = from.y_m + chord * sin(from.heading_rad + turn / 2);
    double path = fabs(motion->v_m_s) * seconds;
    double off = hypot(to.x_m - x, to.y_m - y);
    double off_turn = fabs(to.heading_rad - from.heading_rad - turn);
    if (off > 0.01 * path + 1e-4 || off_turn > 0.01 * fabs(turn) + 0.002)
        fail_msg("base control %d, %d: %.4f m and %.4f rad off after %.3f m and %.3f rad",
                 motion->speed_mm_s, motion->radius_mm, off, off_turn, path, turn);
    assert_int_equal(rig.bad_packets, 0);
    rig_close(&rig);
}

static void every_motion_ends_within_one_percent_of_the_kinematics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; i++)
        check_motion(&motions[i]);
}

static void a_whole_move_from_rest_to_rest_covers_the_commanded_way(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    double x = rig_get(&rig, "kobuki.x_m");
    rig_drive(&rig, 200, 0, 10);
    rig_drive(&rig, 0, 0, 2);
    assert_true(fabs(rig_get(&rig, "kobuki.x_m") - x - 2) < 0.02);
    assert_true(fabs(rig_get(&rig, "kobuki.speed_m_s")) < 1e-6);
    rig_close(&rig);
}

static void wheel_speed_saturates_at_seventy_centimeters_a_second(void **state)
{
    (void)state;
    static const int speeds[] = {900, 10000, 32767, -900, -32768};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct rig rig = rig_open(quiet);
        rig_drive(&rig, speeds[i], 0, 4);
        double speed = rig_get(&rig, "kobuki.speed_m_s");
        assert_true(fabs(speed - (speeds[i] > 0 ? 0.70 : -0.70)) < 0.007);
        rig_close(&rig);
    }
}

static unsigned encoder(const struct rig *rig, int right)
{
    size_t size;
    const uint8_t *basic = rig_part(rig, 1, &size);
    assert_non_null(basic);
    assert_int_equal(size, 15);
    return basic[5 + 2 * right] | (unsigned)basic[6 + 2 * right] << 8;
}

static void reversing_from_zero_wraps_the_encoders_down(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    assert_int_equal(encoder(&rig, 0), 0);
    assert_int_equal(encoder(&rig, 1), 0);
    rig_drive(&rig, -100, 0, 2);
    assert_in_range(encoder(&rig, 0), 60000, 65535);
    assert_in_range(encoder(&rig, 1), 60000, 65535);
    rig_close(&rig);
}

static void encoders_wrap_both_ways_and_count_the_wheels(void **state)
{
    (void)state;
    // 65536 ticks are 5.59 m, so 9 m at 0.6 m/s pass the wrap once each way.
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.1);
    for (int sign = 1; sign >= -1; sign -= 2) {
        unsigned last = encoder(&rig, 0);
        double way_ticks = 0, x = rig_get(&rig, "kobuki.x_m");
        int wraps = 0;
        for (int i = 0; i < 750; i++) {
            rig_drive(&rig, sign * 600, 0, 0.02);
            unsigned now = encoder(&rig, 0);
            wraps += sign > 0 ? now < last : now > last;
            way_ticks += (int16_t)(uint16_t)(now - last);
            last = now;
        }
        rig_drive(&rig, 0, 0, 1);
        way_ticks += (int16_t)(uint16_t)(encoder(&rig, 0) - last);
        assert_true(wraps >= 1);
        // 11724.4166 ticks a meter (kobuki_documentation: conversions.rst)
        double way_m = rig_get(&rig, "kobuki.x_m") - x;
        assert_true(fabs(way_ticks / 11724.41658 - way_m) < 0.002 * fabs(way_m));
    }
    rig_close(&rig);
}

static void silence_stops_the_wheels_after_the_watchdog(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 300, 0, 2);
    rig_run(&rig, 1.3);
    assert_true(rig_get(&rig, "kobuki.speed_m_s") > 0.29);
    rig_run(&rig, 1.2);
    assert_true(fabs(rig_get(&rig, "kobuki.speed_m_s")) < 0.001);
    rig_close(&rig);

    const char *const short_leash[] = {"kobuki.noise=off", "kobuki.watchdog_s=0.5", NULL};
    rig = rig_open(short_leash);
    rig_drive(&rig, 300, 0, 2);
    rig_run(&rig, 0.4);
    assert_true(rig_get(&rig, "kobuki.speed_m_s") > 0.29);
    rig_run(&rig, 1.1);
    assert_true(fabs(rig_get(&rig, "kobuki.speed_m_s")) < 0.001);
    rig_close(&rig);
}

static void a_wall_stops_the_robot_and_presses_the_bumper_it_meets(void **state)
{
    (void)state;
    static const char room[] = "world: {size: {x: 3, y: 3}}\n"
                               "robots: [{name: kobuki, type: kobuki, "
                               "pose: {x: 1.5, y: 1.5, heading: 0}}]\n";
    static const char *const sectors[] = {"kobuki.place x=2 y=1.5 heading=0",
                                          "kobuki.place x=2 y=1.5 heading=-45",
                                          "kobuki.place x=2 y=1.5 heading=45"};
    static const uint8_t bumpers[] = {0x02, 0x04, 0x01}; // center, left, right
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_open_scene(room, quiet);
        rig_run(&rig, 0.1);
        rig_do(&rig, sectors[i]);
        uint8_t seen = 0;
        for (int n = 0; n < 300; n++) {
            rig_drive(&rig, 300, 0, 0.02);
            size_t size;
            seen |= rig_part(&rig, 1, &size)[2];
            if (seen)
                break;
        }
        assert_int_equal(seen, bumpers[i]);
        assert_true(rig_get(&rig, "kobuki.collisions") >= 1);
        assert_true(rig_get(&rig, "kobuki.x_m") < 3 - 0.17);
        rig_close(&rig);
    }
}

static void a_blocked_robot_draws_more_current_and_its_wheels_go_on_or_stall(void **state)
{
    (void)state;
    static const char room[] = "world: {size: {x: 3, y: 3}}\n"
                               "robots: [{name: kobuki, type: kobuki, "
                               "pose: {x: 2.7, y: 1.5, heading: 0}}]\n";
    struct rig rig = rig_open_scene(room, quiet);
    rig_drive(&rig, 300, 0, 2);
    size_t size;
    const uint8_t *current = rig_part(&rig, 6, &size);
    assert_int_equal(size, 2);
    double blocked_a = current[0] * 0.01;
    assert_true(rig_get(&rig, "kobuki.x_m") < 3 - 0.17);

    struct rig open = rig_open(quiet);
    rig_drive(&open, 300, 0, 2);
    double free_a = rig_part(&open, 6, &size)[0] * 0.01;
    assert_true(blocked_a > free_a);
    rig_close(&rig);
    rig_close(&open);
}

static void a_lifted_robot_spins_its_wheels_and_stays(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_do(&rig, "kobuki.lift");
    double x = rig_get(&rig, "kobuki.x_m");
    rig_drive(&rig, 300, 0, 2);
    size_t size;
    assert_int_equal(rig_part(&rig, 1, &size)[3], 0x03); // both wheels dropped
    assert_int_equal(rig_part(&rig, 1, &size)[4], 0x07); // all cliffs
    assert_true(rig_get(&rig, "kobuki.x_m") == x);
    assert_true(encoder(&rig, 0) > 3000);
    rig_do(&rig, "kobuki.lift up=false");
    rig_drive(&rig, 300, 0, 2);
    assert_int_equal(rig_part(&rig, 1, &size)[3], 0);
    assert_true(rig_get(&rig, "kobuki.x_m") > x + 0.4);
    rig_close(&rig);
}

static void a_step_to_the_maximum_follows_the_vendors_plot(void **state)
{
    (void)state;
    // kobuki_core: doxygen/linear_acceleration.png, without its dip to 0.24 m/s at 80 ms
    static const struct {
        double after_s, speed_m_s;
    } plot[] = {{0.04, 0.30}, {0.14, 0.40}, {0.24, 0.56}, {0.34, 0.60}, {0.48, 0.66}, {0.56, 0.70}};
    struct rig rig = rig_open(quiet);
    rig_run(&rig, 0.2);
    rig_base(&rig, 700, 0);
    double passed_s = 0;
    for (size_t i = 0; i < sizeof plot / sizeof plot[0]; i++) {
        rig_run(&rig, plot[i].after_s - passed_s);
        passed_s = plot[i].after_s;
        double off_m_s = rig_get(&rig, "kobuki.speed_m_s") - plot[i].speed_m_s;
        if (fabs(off_m_s) > 0.1)
            fail_msg("after %g s: %+.3f m/s off", passed_s, off_m_s);
    }
    assert_true(rig_get(&rig, "kobuki.over_currents") == 0);
    rig_close(&rig);
}

static void full_reversals_cut_no_motor(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    for (int i = 0; i < 8; i++) {
        rig_drive(&rig, i % 2 ? -700 : 700, i % 3, 1);
        assert_true(rig_part(&rig, 1, &(size_t){0})[14] == 0);
    }
    assert_true(rig_get(&rig, "kobuki.over_currents") == 0);
    rig_close(&rig);
}

static void a_stop_ends_at_rest_within_ten_centimeters_and_never_rolls_back(void **state)
{
    (void)state;
    static const int speeds[] = {700, 200, 50, 10};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct rig rig = rig_open(quiet);
        rig_drive(&rig, speeds[i], 0, 3);
        double from = rig_get(&rig, "kobuki.x_m"), furthest = from;
        for (int n = 0; n < 100; n++) {
            rig_drive(&rig, 0, 0, 0.02);
            furthest = fmax(furthest, rig_get(&rig, "kobuki.x_m"));
        }
        assert_true(fabs(rig_get(&rig, "kobuki.speed_m_s")) < 1e-6);
        assert_true(rig_get(&rig, "kobuki.left_duty") == 0);
        assert_true(furthest - from < 0.1);
        assert_true(furthest - rig_get(&rig, "kobuki.x_m") < 0.0005);
        rig_close(&rig);
    }
}

static void a_robot_freed_from_a_wall_neither_bolts_nor_creeps(void **state)
{
    (void)state;
    static const char room[] = "world: {size: {x: 3, y: 3}}\n"
                               "robots: [{name: kobuki, type: kobuki, "
                               "pose: {x: 2.8, y: 1.5, heading: 0}}]\n";
    struct rig rig = rig_open_scene(room, quiet);
    rig_drive(&rig, 100, 0, 10);
    rig_do(&rig, "kobuki.place x=0.5 y=1.5 heading=0");
    double x = rig_get(&rig, "kobuki.x_m");
    for (int i = 0; i < 50; i++) {
        rig_drive(&rig, 100, 0, 0.02);
        assert_true(rig_get(&rig, "kobuki.speed_m_s") < 0.15);
    }
    double way = rig_get(&rig, "kobuki.x_m") - x;
    assert_true(way > 0.06 && way < 0.13);
    rig_drive(&rig, 0, 0, 1);
    double still = rig_get(&rig, "kobuki.x_m");
    rig_drive(&rig, 0, 0, 5);
    assert_true(rig_get(&rig, "kobuki.x_m") == still);
    rig_close(&rig);
}

static void a_robot_switched_off_and_on_counts_from_0_and_stays_where_it_is(void **state)
{
    (void)state;
    struct rig rig = rig_open(quiet);
    rig_drive(&rig, 500, 0, 2);
    rig_drive(&rig, 0, 0, 1);
    double x = rig_get(&rig, "kobuki.x_m");
    assert_true(encoder(&rig, 0) > 10000);
    rig_do(&rig, "kobuki.reset");
    for (int i = 0; i < 50; i++) {
        rig_run(&rig, 0.02);
        assert_true(fabs(rig_get(&rig, "kobuki.x_m") - x) < 1e-6);
    }
    assert_int_equal(encoder(&rig, 0), 0);
    assert_int_equal(encoder(&rig, 1), 0);
    rig_drive(&rig, 100, 0, 1);
    assert_in_range(encoder(&rig, 0), 700, 1200);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_motion_ends_within_one_percent_of_the_kinematics),
        cmocka_unit_test(a_whole_move_from_rest_to_rest_covers_the_commanded_way),
        cmocka_unit_test(wheel_speed_saturates_at_seventy_centimeters_a_second),
        cmocka_unit_test(reversing_from_zero_wraps_the_encoders_down),
        cmocka_unit_test(encoders_wrap_both_ways_and_count_the_wheels),
        cmocka_unit_test(silence_stops_the_wheels_after_the_watchdog),
        cmocka_unit_test(a_wall_stops_the_robot_and_presses_the_bumper_it_meets),
        cmocka_unit_test(a_blocked_robot_draws_more_current_and_its_wheels_go_on_or_stall),
        cmocka_unit_test(a_lifted_robot_spins_its_wheels_and_stays),
        cmocka_unit_test(a_step_to_the_maximum_follows_the_vendors_plot),
        cmocka_unit_test(full_reversals_cut_no_motor),
        cmocka_unit_test(a_stop_ends_at_rest_within_ten_centimeters_and_never_rolls_back),
        cmocka_unit_test(a_robot_freed_from_a_wall_neither_bolts_nor_creeps),
        cmocka_unit_test(a_robot_switched_off_and_on_counts_from_0_and_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
