/* Shapes placed in the world: where two of them touch, and where a ray hits one. A wall is a box
 * without width. Private to the physics folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "physics/geom.h"

struct shape {
    struct vec2 center;
    struct vec2 axis;          /* box: direction of its x */
    double radius_m;           /* disc */
    double half_x_m, half_y_m; /* box */
    bool is_disc;
};

/* A point where two shapes touch or are about to touch. */
struct touch {
    struct vec2 point;
    struct vec2 normal; /* from the second shape towards the first */
    double gap_m;       /* negative: overlap */
};

enum { SHAPE_TOUCHES_MAX = 2 };

/* Half the side lengths of the smallest axis-aligned box around the shape. */
struct vec2 shape_extent(const struct shape *shape);

/* The points whose gap is less than MARGIN_M, at most SHAPE_TOUCHES_MAX. */
size_t shape_touch(const struct shape *first, const struct shape *second, double margin_m,
                   struct touch *touches);

/* Distance along the unit vector DIRECTION to the point where a ray hits the shape; 0 if it starts
 * inside; infinite if it misses. */
double shape_ray_m(const struct shape *shape, struct vec2 from, struct vec2 direction);
/* The same for a wall, which has no width. */
double shape_ray_wall_m(const struct shape *wall, struct vec2 from, struct vec2 direction);
