/* Arithmetic of plane vectors, and of bounds. The functions of libm for the larger of two numbers
 * are not used: they leave the sign of zero open, and so the bits. Private to the physics folder.
 */
#ifndef PTYBOT_PHYSICS_VECTOR_H
#define PTYBOT_PHYSICS_VECTOR_H

#include "physics/geom.h"

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

/* Turned left by a right angle. */
static inline struct vec2 vec2_left(struct vec2 v)
{
    return (struct vec2){-v.y, v.x};
}

static inline double number_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double number_smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The nearest value to VALUE in -LIMIT..LIMIT. */
static inline double number_clamp(double value, double limit)
{
    return value < -limit ? -limit : value > limit ? limit : value;
}

#endif
