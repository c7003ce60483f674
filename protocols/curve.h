/* Measured curves as tables of points, straight lines between them. */
#pragma once

#include <stddef.h>

struct curve_point {
    double x, y;
};

/* Y at X; the points are sorted by X. Beyond an end: the Y of that end. NaN: the Y of the last. */
double curve_at(const struct curve_point *points, size_t count, double x);

/* The X at which a curve with rising Y reaches Y, limited to its ends. */
double curve_inverse(const struct curve_point *points, size_t count, double y);
