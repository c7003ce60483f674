/* Measured curves as tables of points, straight lines between them. */
#ifndef PTYBOT_PROTOCOLS_CURVE_H
#define PTYBOT_PROTOCOLS_CURVE_H

#include <stddef.h>

struct curve_point {
    double x, y;
};

/* Y at X; points are in rising X. Outside: the Y of the nearest end; NaN: that of the last. */
double curve_at(const struct curve_point *points, size_t count, double x);

/* X at which a curve of rising Y has Y, limited to its ends. */
double curve_inverse(const struct curve_point *points, size_t count, double y);

#endif
