/* Arithmetic of plane vectors. */
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

#endif
