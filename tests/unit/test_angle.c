/* Sine, cosine and angles against the C library's. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/angle.h"
#include "base/rng.h"

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
    for (uint64_t i = 0; i < 100000; i++)
        assert_sin_cos((rng_uniform(1, i) - 0.5) * 2e5);
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
    assert_true(angle_atan2(3.0, 3.0) == ANGLE_PI / 4.0);
    assert_true(angle_atan2(-3.0, -3.0) == -3.0 * ANGLE_PI / 4.0);
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
    for (int i = -1000; i <= 1000; i++) { // at the seam and next to it
        const double seam = (2 * i + 1) * ANGLE_PI;
        const double angles[] = {nextafter(seam, -1e9), seam, nextafter(seam, 1e9)};
        for (size_t k = 0; k < 3; k++) {
            double wrapped = angle_wrap(angles[k]);
            assert_true(wrapped > -ANGLE_PI && wrapped <= ANGLE_PI);
            assert_true(fabs(wrapped) > ANGLE_PI - 1e-11);
        }
    }
    assert_true(angle_wrap(ANGLE_PI) == ANGLE_PI);
    assert_true(angle_wrap(-ANGLE_PI) == ANGLE_PI);
    assert_true(angle_wrap(0.25) == 0.25);
}

static void small_angles_keep_their_digits(void **state)
{
    (void)state;
    double angle = 1, sine, cosine;
    for (int digits = 0; digits < 300; digits++) {
        angle_sin_cos(angle, &sine, &cosine);
        assert_true(fabs(sine - sin(angle)) <= 1e-15 * angle);
        angle /= 10;
    }
    angle_sin_cos(0, &sine, &cosine);
    assert_true(sine == 0 && cosine == 1);
}

static void what_is_no_angle_counts_as_none(void **state)
{
    (void)state;
    double sine, cosine;
    angle_sin_cos((double)NAN, &sine, &cosine);
    assert_true(sine == 0 && cosine == 1);
    angle_sin_cos(-(double)INFINITY, &sine, &cosine);
    assert_true(sine == 0 && cosine == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_right_up_to_a_hundred_thousand),
        cmocka_unit_test(sine_and_cosine_stay_finite_for_any_number),
        cmocka_unit_test(small_angles_keep_their_digits),
        cmocka_unit_test(what_is_no_angle_counts_as_none),
        cmocka_unit_test(the_angle_of_a_vector_is_right_all_around),
        cmocka_unit_test(wrapping_keeps_the_direction_and_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
