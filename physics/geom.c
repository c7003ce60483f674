/* Plane geometry. From libm only sqrt is used, which IEEE 754 makes exact. */
#include "physics/geom.h"

#include <math.h>

#include "base/angle.h"

struct vec2 geom_rotate(double angle_rad, struct vec2 v)
{
    double sine, cosine;
    angle_sin_cos(angle_rad, &sine, &cosine);
    return (struct vec2){cosine * v.x - sine * v.y, sine * v.x + cosine * v.y};
}

struct vec2 geom_to_world(struct pose pose, struct vec2 local)
{
    struct vec2 turned = geom_rotate(pose.heading_rad, local);
    return (struct vec2){pose.x_m + turned.x, pose.y_m + turned.y};
}

struct vec2 geom_to_local(struct pose pose, struct vec2 world)
{
    struct vec2 arm = {world.x - pose.x_m, world.y - pose.y_m};
    return geom_rotate(-pose.heading_rad, arm);
}

bool geom_in_polygon(const struct vec2 *corners, size_t count, struct vec2 point)
{
    /* Count the edges that a ray to the right crosses. */
    bool is_inside = false;
    for (size_t i = 0; i < count; i++) {
        struct vec2 a = corners[i];
        struct vec2 b = corners[(i + 1) % count];
        if ((a.y > point.y) == (b.y > point.y))
            continue;
        if (point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x))
            is_inside = !is_inside;
    }
    return is_inside;
}

double geom_to_segment_m(struct vec2 a, struct vec2 b, struct vec2 point)
{
    struct vec2 span = {b.x - a.x, b.y - a.y};
    struct vec2 arm = {point.x - a.x, point.y - a.y};
    double square = span.x * span.x + span.y * span.y;
    double part = square > 0.0 ? (arm.x * span.x + arm.y * span.y) / square : 0.0;
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    double x = arm.x - part * span.x;
    double y = arm.y - part * span.y;
    return sqrt(x * x + y * y);
}
