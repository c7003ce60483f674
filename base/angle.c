/* Angles. From libm only fabs, copysign and floor are used, which IEEE 754 makes exact. */
#include "base/angle.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* pi/2 in three parts. The first two have 33 significant bits, so that their products with a
 * quadrant number below 2^20 are exact (Cody and Waite's reduction). */
static const double half_pi_high = 0x1.921fb544p+0;
static const double half_pi_middle = 0x1.0b4611a6p-34;
static const double half_pi_low = 0x1.3198a2e037073p-69;

/* Larger angles are beyond the resolution of a double. */
static const double angle_limit_rad = 1e15;

/* Sum of eight terms in z, lowest first. Terms are added in pairs, and the sums in pairs again: a
 * chain of additions takes three times as long. */
static double sum_terms(const double terms[8], double z)
{
    double z2 = z * z;
    double z4 = z2 * z2;
    double low = (terms[0] + terms[1] * z) + (terms[2] + terms[3] * z) * z2;
    double high = (terms[4] + terms[5] * z) + (terms[6] + terms[7] * z) * z2;
    return low + high * z4;
}

/* Taylor series: the first omitted term is below 1e-19 (sine) and 3e-18 (cosine) up to pi/4. */
static double series_sine(double x)
{
    static const double terms[8] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    double z = x * x;
    return x + x * z * sum_terms(terms, z);
}

static double series_cosine(double x)
{
    static const double terms[8] = {
        -1.0 / 24.0,        1.0 / 720.0,         -1.0 / 40320.0,          1.0 / 3628800.0,
        -1.0 / 479001600.0, 1.0 / 87178291200.0, -1.0 / 20922789888000.0, 0.0};
    double z = x * x;
    return 1.0 - (0.5 * z + z * z * sum_terms(terms, z));
}

void angle_sin_cos(double angle_rad, double *sine, double *cosine)
{
    double angle = fabs(angle_rad) < angle_limit_rad ? angle_rad : 0.0;
    double turned = angle * (2.0 / ANGLE_PI);
    int64_t number = (int64_t)(turned + copysign(0.5, turned));
    double quadrant = (double)number;
    double rest = angle - quadrant * half_pi_high;
    rest -= quadrant * half_pi_middle;
    rest -= quadrant * half_pi_low;

    /* No branches on the quadrant: headings are equally frequent in all four, so a branch would be
     * mispredicted. */
    static const double signs[2] = {1.0, -1.0};
    const double parts[2] = {series_sine(rest), series_cosine(rest)};
    uint64_t quarter = (uint64_t)number;
    *sine = parts[quarter % 2] * signs[quarter / 2 % 2];
    *cosine = parts[(quarter + 1) % 2] * signs[(quarter + 1) / 2 % 2];
}

/* The arc tangent of 0..1: from the nearest of nine table values, then a short series. */
static double arc_tangent(double t)
{
    static const double known[9] = {
        0.0, /* atan(k / 8) */
        0x1.fd5ba9aac2f6ep-4,
        0x1.f5b75f92c80ddp-3,
        0x1.6f61941e4def1p-2,
        0x1.dac670561bb4fp-2,
        0x1.1e00babdefeb4p-1,
        0x1.4978fa3269ee1p-1,
        0x1.700a7c5784634p-1,
        0x1.921fb54442d18p-1,
    };
    int step = (int)floor(t * 8.0 + 0.5);
    double near = step / 8.0;
    double x = (t - near) / (1.0 + t * near);

    /* |x| <= 1/16: the first omitted term is below 1e-18 of x. */
    double z = x * x;
    double sum = 1.0 / 13.0;
    sum = sum * z - 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z - 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z - 1.0 / 3.0;
    return known[step] + (x + x * z * sum);
}

double angle_atan2(double y, double x)
{
    double width = fabs(x);
    double height = fabs(y);
    bool is_steep = height > width;
    double t = is_steep ? width / height : height / width;
    if (!(t <= 1.0)) /* the zero vector, or not a number */
        return 0.0;

    double angle = arc_tangent(t);
    if (is_steep)
        angle = ANGLE_PI / 2.0 - angle;
    if (x < 0.0)
        angle = ANGLE_PI - angle;
    return y < 0.0 ? -angle : angle;
}

double angle_wrap(double angle_rad)
{
    double wrapped = angle_rad + 2.0 * ANGLE_PI * floor((ANGLE_PI - angle_rad) / (2.0 * ANGLE_PI));
    if (wrapped <= -ANGLE_PI || wrapped > ANGLE_PI)
        return ANGLE_PI; /* rounding at the seam */
    return wrapped;
}
