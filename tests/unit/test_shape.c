/* Where two boxes touch: both ends of the edge on which one lies, and a corner once. */
#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_that_lies_on_a_longer_one_touches_it_at_both_its_corners),
        cmocka_unit_test(a_box_beyond_the_end_touches_at_one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
