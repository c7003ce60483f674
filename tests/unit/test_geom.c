/* Geometry: our sine, cosine and angles against libm, frames, polygons and segments. */
#include <float.h>
#include <math.h>

#include "base/angle.h"
#include "tests/unit/physics_fixture.h"

static void assert_sin_cos(double angle_rad)
{
    double sine, cosine;
    angle_sin_cos(angle_rad, &sine, &cosine);
    assert_true(fabs(sine - sin(angle_rad)) < 1e-15);
    assert_true(fabs(cosine - cos(angle_rad)) < 1e-15);
}

static void sine_and_cosine_are_right_up_to_a_hundred_thousand(void **state)
{
    (void)state;
    for (int i = -2000; i <= 2000; i++) {
        assert_sin_cos(i * 0.01);
        assert_sin_cos(i * 50.0 + 0.3);
        assert_sin_cos(i * ANGLE_PI / 4.0);
        assert_sin_cos(nextafter(i * ANGLE_PI / 4.0, 1e9));
    }
    uint64_t sequence = 1;
    for (int i = 0; i < 100000; i++)
        assert_sin_cos((next_number(&sequence) - 0.5) * 2e5);
}

static void sine_and_cosine_stay_finite_for_any_number(void **state)
{
    (void)state;
    static const double angles[] = {1e7, -1e12, 1e15, 1e300, -DBL_MAX, INFINITY, NAN, 5e-324};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        double sine, cosine;
        angle_sin_cos(angles[i], &sine, &cosine);
        assert_true(fabs(sine) <= 1.0 + 1e-9 && fabs(cosine) <= 1.0 + 1e-9);
    }
}

static void the_angle_of_a_vector_is_right_all_around(void **state)
{
    (void)state;
    for (int i = -1800; i <= 1800; i++) {
        double angle = i * ANGLE_PI / 1800.0 * 0.9999;
        for (double size = 1e-9; size < 1e10; size *= 1e3) {
            double y = size * sin(angle);
            double x = size * cos(angle);
            double expected = atan2(y, x);
            assert_true(fabs(angle_atan2(y, x) - expected) <= 1e-15 * fabs(expected));
        }
    }
    assert_true(angle_atan2(1e-200, 1.0) == 1e-200);
    assert_true(angle_atan2(0.0, 0.0) == 0.0);
    assert_true(angle_atan2(0.0, -1.0) == ANGLE_PI);
    assert_true(angle_atan2(1.0, 0.0) == ANGLE_PI / 2.0);
    assert_true(angle_atan2(-1.0, 0.0) == -ANGLE_PI / 2.0);
}

static void wrapping_keeps_the_direction_and_the_range(void **state)
{
    (void)state;
    for (int i = -1000; i <= 1000; i++) {
        double angle = i * 0.37;
        double wrapped = angle_wrap(angle);
        assert_true(wrapped > -ANGLE_PI && wrapped <= ANGLE_PI);
        assert_true(fabs(sin(wrapped) - sin(angle)) < 1e-12);
        assert_true(fabs(cos(wrapped) - cos(angle)) < 1e-12);
    }
    assert_true(angle_wrap(ANGLE_PI) == ANGLE_PI);
    assert_true(angle_wrap(-ANGLE_PI) == ANGLE_PI);
    assert_true(angle_wrap(0.25) == 0.25);
}

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
        cmocka_unit_test(sine_and_cosine_are_right_up_to_a_hundred_thousand),
        cmocka_unit_test(sine_and_cosine_stay_finite_for_any_number),
        cmocka_unit_test(the_angle_of_a_vector_is_right_all_around),
        cmocka_unit_test(wrapping_keeps_the_direction_and_the_range),
        cmocka_unit_test(a_point_goes_to_the_world_and_back),
        cmocka_unit_test(a_polygon_with_a_notch_knows_its_inside),
        cmocka_unit_test(the_distance_to_a_segment_respects_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
