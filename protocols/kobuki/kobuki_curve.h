/* Measured curves as tables of points, straight lines between them. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_CURVE_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_CURVE_H

#include <stddef.h>

struct kobuki_point {
    double x, y;
};

/* Y at X; points are in rising X. Outside: the Y of the nearest end; NaN: that of the last. */
double kobuki_curve(const struct kobuki_point *points, size_t count, double x);

/* X at which a curve of rising Y has Y, limited to its ends. */
double kobuki_curve_inverse(const struct kobuki_point *points, size_t count, double y);

#endif
