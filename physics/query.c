/* Questions to a world that change nothing: rays, and whether a place is free. */
#include <assert.h>
#include <math.h>

#include "physics/world_state.h"

bool world_overlaps(const struct world *world, const struct body_def *def, size_t skip,
                    double slack_m)
{
    struct shape shape = body_shape(def, def->pose);
    struct vec2 extent = shape_extent(&shape);
    struct box2 bounds = {vec2_sub(shape.center, extent), vec2_add(shape.center, extent)};
    struct touch touches[SHAPE_TOUCHES_MAX];
    for (size_t i = 0; i < world->wall_count; i++) {
        const struct wall *wall = &world->walls[i];
        if (!bounds_meet(&bounds, &wall->bounds))
            continue;
        size_t count = shape_touch(&shape, &wall->shape, 0.0, touches);
        for (size_t k = 0; k < count; k++) {
            if (touches[k].gap_m < -slack_m)
                return true;
        }
    }
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        if (i == skip || body->is_lifted)
            continue;
        size_t count = shape_touch(&shape, &body->shape, 0.0, touches);
        for (size_t k = 0; k < count; k++) {
            if (touches[k].gap_m < -slack_m)
                return true;
        }
    }
    return false;
}

struct world_hit world_ray(const struct world *world, struct vec2 from, double heading_rad,
                           double max_m, size_t skip)
{
    struct world_hit hit = {.distance_m = max_m, .other = WORLD_WALL};
    struct vec2 direction;
    geom_sin_cos(heading_rad, &direction.y, &direction.x);
    for (size_t i = 0; i < world->wall_count; i++) {
        const struct wall *wall = &world->walls[i];
        double distance = shape_ray_m(&wall->shape, from, direction);
        if (distance > hit.distance_m || (hit.is_hit && distance == hit.distance_m))
            continue;
        hit = (struct world_hit){distance, true, WORLD_WALL, wall->def.reflectance};
    }
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        if (i == skip || body->is_lifted)
            continue;
        double distance = shape_ray_m(&body->shape, from, direction);
        if (distance > hit.distance_m || (hit.is_hit && distance == hit.distance_m))
            continue;
        hit = (struct world_hit){distance, true, i, body->def.reflectance};
    }
    return hit;
}
