/* The places where two boxes touch: at both ends of an edge, at a corner once. Discs, a disc and a
 * box, and distances of rays to walls. */
#include <math.h>

#include "base/array.h"
#include "physics/shape.h"
#include "tests/unit/physics_fixture.h"

static const struct shape floor_box = {.axis = {1, 0}, .half_x_m = 1, .half_y_m = 0.125};
#define MARGIN_M 0.1

static struct shape crate_at(double x_m, double y_m)
{
    return (struct shape){
        .center = {x_m, y_m}, .axis = {1, 0}, .half_x_m = 0.125, .half_y_m = 0.125};
}

static void a_box_that_lies_on_a_longer_one_touches_it_at_both_its_corners(void **state)
{
    (void)state;
    struct touch touches[SHAPE_TOUCHES_MAX];
    const struct shape crate = crate_at(0.25, 0.1875);
    assert_int_equal(shape_touch(&crate, &floor_box, MARGIN_M, touches), 2);
    double left = fmin(touches[0].point.x, touches[1].point.x);
    double right = fmax(touches[0].point.x, touches[1].point.x);
    assert_true(fabs(left - 0.125) < 1e-12 && fabs(right - 0.375) < 1e-12);
    for (size_t i = 0; i < 2; i++) {
        assert_true(fabs(touches[i].gap_m + 0.0625) < 1e-12);
        assert_true(touches[i].normal.x == 0 && touches[i].normal.y == 1);
    }
}

static void a_box_beyond_the_end_touches_at_one_point(void **state)
{
    (void)state;
    struct touch touches[SHAPE_TOUCHES_MAX];
    const struct shape crate = crate_at(1.125, 0.3125); /* its corner is above the end */
    assert_int_equal(shape_touch(&crate, &floor_box, MARGIN_M, touches), 1);
    assert_true(touches[0].point.x == 1 && fabs(touches[0].gap_m - 0.0625) < 1e-12);
}

/* Also with its center inside: then out through the nearest side. */
static void a_disc_touches_a_box_at_the_nearest_side(void **state)
{
    (void)state;
    static const struct {
        struct vec2 center, normal;
        double gap_m;
    } rows[] = {
        {{1.05, 0.02}, {1, 0}, -0.05},      {{-1.05, 0.02}, {-1, 0}, -0.05},
        {{0.3, 0.2}, {0, 1}, -0.025},       {{0.3, -0.2}, {0, -1}, -0.025},
        {{1.03, 0.165}, {0.6, 0.8}, -0.05}, {{0.95, 0.02}, {1, 0}, -0.15},
        {{-0.95, 0.02}, {-1, 0}, -0.15},    {{0.3, 0.1}, {0, 1}, -0.125},
        {{0.3, -0.1}, {0, -1}, -0.125},
    };
    for (int is_turned = 0; is_turned < 2; is_turned++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            struct touch touch;
            struct shape box = floor_box, disc = {.is_disc = true, .radius_m = 0.1};
            struct vec2 normal = is_turned ? vec2_left(rows[i].normal) : rows[i].normal;
            disc.center = is_turned ? vec2_left(rows[i].center) : rows[i].center;
            box.axis = is_turned ? (struct vec2){0, 1} : box.axis;
            assert_int_equal(shape_touch(&disc, &box, MARGIN_M, &touch), 1);
            assert_true(fabs(touch.gap_m - rows[i].gap_m) < 1e-12);
            assert_true(fabs(touch.normal.x - normal.x) < 1e-12);
            assert_true(fabs(touch.normal.y - normal.y) < 1e-12);
            assert_true(fabs(touch.point.x - (disc.center.x - 0.1 * normal.x)) < 1e-12);
            assert_true(fabs(touch.point.y - (disc.center.y - 0.1 * normal.y)) < 1e-12);
        }
}

/* The crate points a corner at each side of the long box in turn, from two centimeters; either may
 * be the first of the two. */
static void a_corner_beside_a_box_is_as_far_from_it_as_from_its_side(void **state)
{
    (void)state;
    const double away_m = 0.125 * sqrt(2.0) + 0.02;
    static const struct vec2 normals[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (size_t i = 0; i < 4; i++) {
        struct touch touch[SHAPE_TOUCHES_MAX];
        struct shape crate = crate_at(normals[i].x * (1 + away_m), normals[i].y * (0.125 + away_m));
        crate.axis = (struct vec2){sqrt(0.5), sqrt(0.5)};
        for (int is_first = 0; is_first < 2; is_first++) {
            const struct shape *one = is_first ? &crate : &floor_box;
            const struct shape *two = is_first ? &floor_box : &crate;
            assert_int_equal(shape_touch(one, two, MARGIN_M, touch), 1);
            assert_true(fabs(touch[0].gap_m - 0.02) < 1e-12);
            double sign = is_first ? 1.0 : -1.0;
            assert_true(fabs(touch[0].normal.x - sign * normals[i].x) < 1e-12);
            assert_true(fabs(touch[0].normal.y - sign * normals[i].y) < 1e-12);
        }
    }
}

static void what_is_farther_apart_than_the_margin_does_not_touch(void **state)
{
    (void)state;
    struct touch touch[SHAPE_TOUCHES_MAX];
    struct shape disc = {.center = {0.5, 0.0}, .radius_m = 0.125, .is_disc = true};
    struct shape other = {.center = {0.875, 0.0}, .radius_m = 0.125, .is_disc = true};
    struct shape crate = crate_at(0.875, 0.0), turned = crate_at(0.5, 0.0);
    assert_int_equal(shape_touch(&disc, &other, 0.126, touch), 1);
    assert_int_equal(shape_touch(&disc, &other, 0.124, touch), 0);
    assert_int_equal(shape_touch(&disc, &crate, 0.124, touch), 0);
    assert_int_equal(shape_touch(&crate, &disc, 0.124, touch), 0);
    assert_int_equal(shape_touch(&turned, &crate, 0.124, touch), 0);
}

/* At each side of a square. Either the square or the other shape is the first of the two. */
static void a_box_beside_a_box_touches_it_at_both_its_corners(void **state)
{
    (void)state;
    static const struct vec2 sides[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const struct shape square = crate_at(0.0, 0.0);
    for (size_t i = 0; i < 8; i++) {
        struct touch touches[SHAPE_TOUCHES_MAX];
        struct vec2 side = sides[i / 2], along = vec2_left(side);
        const struct shape crate = crate_at(0.3125 * side.x, 0.3125 * side.y);
        size_t count = i % 2 ? shape_touch(&crate, &square, MARGIN_M, touches)
                             : shape_touch(&square, &crate, MARGIN_M, touches);
        assert_int_equal(count, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_true(touches[k].gap_m == 0.0625);
            assert_true(fabs(vec2_dot(touches[k].point, along)) == 0.125);
            assert_true(vec2_dot(touches[k].normal, side) == (i % 2 ? 1.0 : -1.0));
        }
        assert_true(vec2_dot(touches[0].point, along) == -vec2_dot(touches[1].point, along));
    }
}

/* Although each box is near the lines of the other box's sides. */
static void boxes_whose_corners_are_far_apart_do_not_touch(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct touch touches[SHAPE_TOUCHES_MAX];
        double right = i % 2 ? 1.0 : -1.0, up = i / 2 % 2 ? 1.0 : -1.0;
        double wider_m = i / 4 ? 0.001 : -0.001;
        const struct shape crate =
            crate_at(right * (1.125 + 0.08 + wider_m), up * (0.25 + 0.08 - wider_m));
        assert_int_equal(shape_touch(&crate, &floor_box, MARGIN_M, touches), 0);
        assert_int_equal(shape_touch(&floor_box, &crate, MARGIN_M, touches), 0);
    }
}

/* A rod ahead of the long box, at heights from one of its corners to the other. */
static void a_rod_touches_the_end_at_which_it_points_once(void **state)
{
    (void)state;
    for (int i = -2; i <= 2; i++) {
        struct touch touches[SHAPE_TOUCHES_MAX];
        const struct shape rod = {
            .center = {1.5625, 0.0625 * i}, .axis = {0, 1}, .half_y_m = 0.5}; /* from x = 1.0625 */
        assert_int_equal(shape_touch(&floor_box, &rod, MARGIN_M, touches), 1);
        assert_true(touches[0].gap_m == 0.0625 && touches[0].normal.x == -1);
        assert_true(touches[0].point.x == 1 && touches[0].point.y == 0.0625 * i);
    }
}

static void discs_touch_between_their_centers(void **state)
{
    (void)state;
    const struct shape disc = {.center = {0.5, 0.25}, .radius_m = 0.125, .is_disc = true};
    for (int i = 0; i < 5; i++) { /* at the end on the same spot, where any direction parts them */
        struct touch touch;
        struct shape other = {.radius_m = 0.0625, .is_disc = true};
        double away_m = 0.0625 * (4 - i);
        other.center = (struct vec2){0.5 - 0.6 * away_m, 0.25 - 0.8 * away_m};
        assert_int_equal(shape_touch(&disc, &other, MARGIN_M, &touch), 1);
        assert_true(fabs(touch.gap_m - (away_m - 0.1875)) < 1e-12);
        assert_true(fabs(vec2_dot(touch.normal, touch.normal) - 1.0) < 1e-12);
        if (away_m > 0.0)
            assert_true(fabs(touch.normal.x - 0.6) < 1e-12);
    }
}

/* As a wall, and as a box without a width. Also from a point of the wall itself, and along the
 * wall. */
static void a_ray_meets_a_wall_wherever_it_crosses_or_begins(void **state)
{
    (void)state;
    const struct shape wall = {.center = {2, 1}, .axis = {0, 1}, .half_x_m = 1};
    static const struct {
        struct vec2 from, direction;
        double distance_m;
    } rows[] = {
        {{0, 1}, {1, 0}, 2},        {{0, 0.5}, {0.8, 0.6}, 2.5}, {{5, 2}, {-1, 0}, 3},
        {{2, 0.5}, {1, 0}, 0},      {{2, 1.5}, {-0.6, 0.8}, 0},  {{2, -1}, {0, 1}, 1},
        {{2, 4}, {0, -1}, 2},       {{2, 1}, {0, 1}, 0},         {{0, 1}, {-1, 0}, INFINITY},
        {{0, 3}, {1, 0}, INFINITY}, {{1, -1}, {0, 1}, INFINITY}, {{2, 4}, {0, 1}, INFINITY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double as_wall_m = shape_ray_wall_m(&wall, rows[i].from, rows[i].direction);
        double as_box_m = shape_ray_m(&wall, rows[i].from, rows[i].direction);
        double expected_m = rows[i].distance_m;
        if (as_wall_m != expected_m && fabs(as_wall_m - expected_m) > 1e-12)
            fail_msg("row %zu: %g m", i, as_wall_m);
        if (as_box_m != expected_m && fabs(as_box_m - expected_m) > 1e-12)
            fail_msg("row %zu, as a box: %g m", i, as_box_m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_lies_on_a_longer_one_touches_it_at_both_its_corners),
        cmocka_unit_test(a_box_beyond_the_end_touches_at_one_point),
        cmocka_unit_test(a_disc_touches_a_box_at_the_nearest_side),
        cmocka_unit_test(a_corner_beside_a_box_is_as_far_from_it_as_from_its_side),
        cmocka_unit_test(a_box_beside_a_box_touches_it_at_both_its_corners),
        cmocka_unit_test(boxes_whose_corners_are_far_apart_do_not_touch),
        cmocka_unit_test(a_rod_touches_the_end_at_which_it_points_once),
        cmocka_unit_test(discs_touch_between_their_centers),
        cmocka_unit_test(a_ray_meets_a_wall_wherever_it_crosses_or_begins),
        cmocka_unit_test(what_is_farther_apart_than_the_margin_does_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
