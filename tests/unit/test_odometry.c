/* The pose that a driver computes: from the members of a report that belong to its kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/angle.h"
#include "sim/state/odometry.h"

static void report(const void *state, struct robot_odometry *odometry)
{
    const struct robot_odometry *said = state;
    *odometry = *said;
}

static void only_members_of_the_kind_of_a_report_count(void **state)
{
    (void)state;
    static const enum robot_odometry_kind kinds[] = {ROBOT_ODOMETRY_WHEELS, ROBOT_ODOMETRY_SPEEDS,
                                                     ROBOT_ODOMETRY_POSE};
    // All at once, each in a different way: 1 m, 2 m and 3 m ahead.
    static const struct robot_odometry at_first = {
        .left_m = 4, .right_m = 4, .wrap_m = 100, .x_m = 5, .y_m = 6, .x_m_s = 2};
    static const struct robot_odometry later = {
        .left_m = 5, .right_m = 5, .wrap_m = 100, .x_m = 8, .y_m = 6, .x_m_s = 2};
    const struct robot_type type = {.odometry = report};
    const struct pose start = {10, 20, ANGLE_PI / 2};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct odometry odometry;
        struct robot_odometry said = at_first;
        said.kind = kinds[i];
        odometry_init(&odometry, start);
        odometry_begin(&odometry, start);
        odometry_follow(&odometry, &type, &said, 1000000);
        assert_true(odometry.pose.x_m == start.x_m && odometry.pose.y_m == start.y_m);
        assert_false(odometry.is_fresh);
        said = later;
        said.kind = kinds[i];
        odometry_follow(&odometry, &type, &said, 2000000);
        assert_true(odometry.is_fresh);
        assert_true(fabs(odometry.pose.x_m - start.x_m) < 1e-9);
        assert_true(fabs(odometry.pose.y_m - (start.y_m + 1 + (double)i)) < 1e-9);
        assert_true(fabs(odometry.pose.heading_rad - start.heading_rad) < 1e-9);
        said.kind = ROBOT_ODOMETRY_NONE;
        odometry_follow(&odometry, &type, &said, 3000000);
        assert_false(odometry.is_fresh);
        assert_true(fabs(odometry.pose.y_m - (start.y_m + 1 + (double)i)) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_members_of_the_kind_of_a_report_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
