/* Measured curves as tables of points with linear interpolation. */
#pragma once

#include <stddef.h>

struct curve_point {
    double x, y;
};

/* Y at X; the points are sorted by X. Before the first and after the last point: the Y of that
 * point. NaN: the Y of the last point. */
double curve_at(const struct curve_point *points, size_t count, double x);

/* Inverse of a curve whose Y rises: X at Y, limited to the ends of the curve. */
double curve_inverse(const struct curve_point *points, size_t count, double y);
