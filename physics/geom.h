/* Plane geometry: vectors and poses. */
#ifndef PTYBOT_PHYSICS_GEOM_H
#define PTYBOT_PHYSICS_GEOM_H

#include <stdbool.h>
#include <stddef.h>

struct vec2 {
    double x, y;
};

/* A place and a heading: x forward, y left, counter-clockwise positive, continuous over turns. */
struct pose {
    double x_m, y_m, heading_rad;
};

/* A point of a body's frame in the frame that the pose is in, and back; and for directions. */
struct vec2 geom_to_world(struct pose pose, struct vec2 local);
struct vec2 geom_to_local(struct pose pose, struct vec2 world);
struct vec2 geom_rotate(double angle_rad, struct vec2 v);

/* Whether a point lies inside a polygon of COUNT corners (either orientation, no self-crossing).
 * Points on an edge may count either way. */
bool geom_in_polygon(const struct vec2 *corners, size_t count, struct vec2 point);

/* Distance from a point to a segment. */
double geom_to_segment_m(struct vec2 a, struct vec2 b, struct vec2 point);

#endif
