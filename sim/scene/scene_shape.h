/* Outlines on the floor and whether two overlap: for checking a scene before there is a world. */
#ifndef PTYBOT_SIM_SCENE_SCENE_SHAPE_H
#define PTYBOT_SIM_SCENE_SCENE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "physics/geom.h"
#include "sim/scene/scene.h"

/* A disc (one point and a radius), a segment (two points) or a box (four, radius 0). */
struct scene_shape {
    struct vec2 points[4];
    size_t count;
    double radius_m;
    struct vec2 center;
    double reach_m; /* no point of the shape is farther from the center */
};

struct scene_shape scene_shape_of_robot(const struct scene_robot *robot);
struct scene_shape scene_shape_of_wall(const struct scene_wall *wall);
struct scene_shape scene_shape_of_box(const struct scene_box *box);
struct scene_shape scene_shape_of_dock(const struct scene_dock *dock); /* its housing */
struct scene_shape scene_shape_of_disc(const struct scene_disc *disc);

/* More than a touch: by at least a micrometer (chosen: far above rounding, below any gap meant). */
bool scene_shape_overlaps(const struct scene_shape *a, const struct scene_shape *b);

/* Whether the shape lies in the rectangle from LOW to HIGH; touching its edge is inside. */
bool scene_shape_is_inside(const struct scene_shape *shape, struct vec2 low, struct vec2 high);

#endif
