/* A scanning range finder by its single points: which distances it returns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "protocols/lidar.h"

/* White paper at CONTEXT. */
static void cast(void *context, size_t sensor, double heading_rad, double aside_m, int64_t at_us,
                 struct robot_echo *echo)
{
    (void)sensor, (void)heading_rad, (void)aside_m, (void)at_us;
    *echo = (struct robot_echo){*(const double *)context, 1, 1};
}

static void the_range_includes_its_ends(void **state)
{
    (void)state;
    static const struct lidar_optics optics = {.range_min_m = 0.125, .range_max_m = 8};
    static const double rows[][2] = {{0.124, 0}, {0.125, 0.125}, {1, 1},       {7.999, 7.999},
                                     {8, 8},     {8.001, 0},     {INFINITY, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct lidar lidar;
        double away_m = rows[i][0];
        const struct robot_rays rays = {.context = &away_m, .cast = cast};
        struct lidar_point point = lidar_measure(&lidar, &optics, &rays, 0.25, 0, 0);
        if (fabs(point.distance_m - rows[i][1]) > 1e-9)
            fail_msg("%g m reads %g m", away_m, point.distance_m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_range_includes_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
