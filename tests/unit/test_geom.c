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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_goes_to_the_world_and_back),
        cmocka_unit_test(a_polygon_with_a_notch_knows_its_inside),
        cmocka_unit_test(the_distance_to_a_segment_respects_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
