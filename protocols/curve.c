/* Interpolation between the points of a curve. */
#include "protocols/curve.h"

double curve_at(const struct curve_point *points, size_t count, double x)
{
    if (x <= points[0].x)
        return points[0].y;
    for (size_t i = 1; i < count; i++) {
        const struct curve_point *from = &points[i - 1];
        const struct curve_point *to = &points[i];
        if (x <= to->x)
            return from->y + (to->y - from->y) * ((x - from->x) / (to->x - from->x));
    }
    return points[count - 1].y;
}

double curve_inverse(const struct curve_point *points, size_t count, double y)
{
    if (y <= points[0].y)
        return points[0].x;
    for (size_t i = 1; i < count; i++) {
        const struct curve_point *from = &points[i - 1];
        const struct curve_point *to = &points[i];
        if (y <= to->y)
            return from->x + (to->x - from->x) * ((y - from->y) / (to->y - from->y));
    }
    return points[count - 1].x;
}
