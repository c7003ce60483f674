/* Sine and cosine against the C library's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/angle.h"

static void sine_and_cosine_are_those_of_the_library(void **state)
{
    (void)state;
    for (int i = -100000; i <= 100000; i++) {
        double angle = i * 0.0007, sine, cosine;
        angle_sin_cos(angle, &sine, &cosine);
        assert_true(fabs(sine - sin(angle)) < 1e-14);
        assert_true(fabs(cosine - cos(angle)) < 1e-14);
    }
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
        cmocka_unit_test(sine_and_cosine_are_those_of_the_library),
        cmocka_unit_test(small_angles_keep_their_digits),
        cmocka_unit_test(what_is_no_angle_counts_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
