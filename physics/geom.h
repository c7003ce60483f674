/* Plane geometry: vectors, poses, polygons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct vec2 {
    double x, y;
};

/* A position and a heading: x forward, y left, counter-clockwise positive, continuous over full
 * turns. */
struct pose {
    double x_m, y_m, heading_rad;
};

static inline struct vec2 vec2_add(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x + b.x, a.y + b.y};
}

static inline struct vec2 vec2_sub(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x - b.x, a.y - b.y};
}

static inline struct vec2 vec2_scale(double s, struct vec2 v)
{
    return (struct vec2){s * v.x, s * v.y};
}

static inline double vec2_dot(struct vec2 a, struct vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline double vec2_cross(struct vec2 a, struct vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

/* The vector, rotated left by a right angle. */
static inline struct vec2 vec2_left(struct vec2 v)
{
    return (struct vec2){-v.y, v.x};
}

/* Transforms a point from a body's frame to the frame of its pose, and back; and rotates a vector
 * by an angle. */
struct vec2 geom_to_world(struct pose pose, struct vec2 local);
struct vec2 geom_to_local(struct pose pose, struct vec2 world);
struct vec2 geom_rotate(double angle_rad, struct vec2 v);

/* Whether a point lies inside a polygon of COUNT corners (either orientation, no self-crossing).
 * For points on an edge the result is undefined. */
bool geom_in_polygon(const struct vec2 *corners, size_t count, struct vec2 point);

/* Distance from a point to a segment. */
double geom_to_segment_m(struct vec2 a, struct vec2 b, struct vec2 point);
