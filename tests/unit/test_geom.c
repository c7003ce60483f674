/* Geometry: frames, polygons and segments. */
#include <math.h>

#include "base/angle.h"
#include "tests/unit/physics_fixture.h"

static void a_point_goes_to_the_world_and_back(void **state)
{
    (void)state;
    const struct pose pose = {1.0, -2.0, ANGLE_PI / 2.0};
    struct vec2 world = geom_to_world(pose, (struct vec2){3.0, 1.0});
    assert_true(fabs(world.x - 0.0) < 1e-15 && fabs(world.y - 1.0) < 1e-15);
    struct vec2 local = geom_to_local(pose, world);
    assert_true(fabs(local.x - 3.0) < 1e-15 && fabs(local.y - 1.0) < 1e-15);
}

static void a_polygon_with_a_notch_knows_its_inside(void **state)
{
    (void)state;
    const struct vec2 corners[] = {{0, 0}, {4, 0}, {4, 4}, {2, 1}, {0, 4}};
    assert_true(geom_in_polygon(corners, 5, (struct vec2){1.0, 1.0}));
    assert_true(geom_in_polygon(corners, 5, (struct vec2){3.8, 3.0}));
    assert_false(geom_in_polygon(corners, 5, (struct vec2){2.0, 2.0}));
    assert_false(geom_in_polygon(corners, 5, (struct vec2){-0.1, 1.0}));
    assert_false(geom_in_polygon(corners, 5, (struct vec2){2.0, -0.1}));
}

static void the_distance_to_a_segment_respects_its_ends(void **state)
{
    (void)state;
    const struct vec2 a = {0.0, 0.0}, b = {4.0, 0.0};
    assert_true(fabs(geom_to_segment_m(a, b, (struct vec2){2.0, -3.0}) - 3.0) < 1e-15);
    assert_true(fabs(geom_to_segment_m(a, b, (struct vec2){7.0, 4.0}) - 5.0) < 1e-15);
    assert_true(fabs(geom_to_segment_m(a, b, (struct vec2){-3.0, 4.0}) - 5.0) < 1e-15);
    assert_true(fabs(geom_to_segment_m(a, a, (struct vec2){0.0, 2.0}) - 2.0) < 1e-15);
}

/* Only the COUNT corners, even if the array contains more. */
static void a_polygon_ends_with_its_last_corner(void **state)
{
    (void)state;
    const struct vec2 corners[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {9, 9}, {9, -9}};
    for (int i = -3; i < 14; i++)
        for (int k = -3; k < 14; k++) {
            double x = 0.5 * i + 0.25, y = 0.5 * k + 0.25;
            bool is_inside = x > 0.0 && x < 4.0 && y > 0.0 && y < 4.0;
            assert_true(geom_in_polygon(corners, 4, (struct vec2){x, y}) == is_inside);
        }
}

/* Points to the left, to the right, in line with it and beyond its ends, at every angle, for short
 * and long segments. */
static void the_distance_to_a_segment_is_the_same_however_it_lies(void **state)
{
    (void)state;
    static const double lengths_m[] = {0.0, 0.05, 0.7, 1.0, 3.0};
    for (int turn = 0; turn < 16; turn++) {
        const struct pose pose = {0.3, -1.2, turn * ANGLE_PI / 8.0};
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 17 * 5; k++) {
                double length = lengths_m[i];
                struct vec2 point = {0.25 * (k % 17) - 0.5, 0.4 * (k / 17) - 0.8};
                double beyond = fmax(0.0, fmax(-point.x, point.x - length));
                double distance = geom_to_segment_m(geom_to_world(pose, (struct vec2){0.0, 0.0}),
                                                    geom_to_world(pose, (struct vec2){length, 0.0}),
                                                    geom_to_world(pose, point));
                assert_true(fabs(distance - hypot(beyond, point.y)) < 1e-12);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_goes_to_the_world_and_back),
        cmocka_unit_test(a_polygon_with_a_notch_knows_its_inside),
        cmocka_unit_test(a_polygon_ends_with_its_last_corner),
        cmocka_unit_test(the_distance_to_a_segment_respects_its_ends),
        cmocka_unit_test(the_distance_to_a_segment_is_the_same_however_it_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
