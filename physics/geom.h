/* Plane geometry: vectors, poses, angles, and a sine and cosine of our own, so that every compiler
 * and libc gives the same bits. */
#ifndef PTYBOT_PHYSICS_GEOM_H
#define PTYBOT_PHYSICS_GEOM_H

#include <stdbool.h>
#include <stddef.h>

#define GEOM_PI 3.14159265358979323846

struct vec2 {
    double x, y;
};

/* A place and a heading: x forward, y left, counter-clockwise positive, continuous over turns. */
struct pose {
    double x_m, y_m, heading_rad;
};

/* Sine and cosine of any finite angle, within 1e-15 of the true values for |angle| < 1e5 rad. */
void geom_sin_cos(double angle_rad, double *sine, double *cosine);

/* The angle of a vector, -pi..pi; 0 for the zero vector. Within 1e-15 rad relative. */
double geom_atan2(double y, double x);

/* The same angle in -pi (excluded) .. pi. */
double geom_wrap(double angle_rad);

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
