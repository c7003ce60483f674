/* Several rays from one point: what is near the point is gathered once for all of them. */
#include <math.h>

#include "physics/world_state.h"

/* Chosen: a short fan covers a few cells and meets a few things; for others each ray looks for
 * itself, which is quicker where it is long. */
static const double slack_m = 1e-6; /* rounding does no harm then */
enum { CELLS_MAX = 9, THINGS_MAX = 24 };

/* What is near: walls, and bodies beyond them in number. */
struct crowd {
    uint32_t walls[THINGS_MAX], bodies[THINGS_MAX];
    size_t wall_count, body_count;
};

/* False where there is no room. */
static bool note(uint32_t *list, size_t *count, uint32_t number)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == number)
            return true;
    if (*count == THINGS_MAX)
        return false;
    list[(*count)++] = number;
    return true;
}

static bool is_wall_near(const struct wall *wall, const struct world_fan *fan)
{
    struct vec2 arm = vec2_sub(wall->shape.center, fan->from);
    return fabs(vec2_cross(wall->shape.axis, arm)) <= fan->max_m + slack_m &&
           fabs(vec2_dot(wall->shape.axis, arm)) <= fan->max_m + wall->shape.half_x_m + slack_m;
}

static bool is_body_near(const struct body *body, const struct world_fan *fan)
{
    struct vec2 arm = vec2_sub(body->shape.center, fan->from);
    double reach = fan->max_m + body->extent_m + slack_m;
    return vec2_dot(arm, arm) <= reach * reach && !body->is_lifted;
}

static bool gather_cell(const struct world *world, const struct world_fan *fan, size_t cell,
                        struct crowd *crowd)
{
    const struct grid *grid = &world->grid;
    bool is_all = true;
    for (uint32_t i = grid->wall_start[cell]; i < grid->wall_start[cell + 1]; i++)
        if (is_wall_near(&world->walls[grid->items[i]], fan))
            is_all = is_all && note(crowd->walls, &crowd->wall_count, grid->items[i]);
    for (uint32_t at = grid->body_first[cell]; at != GRID_NONE; at = grid->entries[at].next) {
        uint32_t body = grid->entries[at].body;
        if (body != fan->skip && is_body_near(&world->bodies[body], fan))
            is_all = is_all && note(crowd->bodies, &crowd->body_count, body);
    }
    return is_all;
}

/* False where that is too much, or beyond the cells. */
static bool gather(const struct world *world, const struct world_fan *fan, struct crowd *crowd)
{
    struct grid_range range;
    if (!grid_range_around(&world->grid, fan->from, fan->max_m, &range) ||
        (range.last_column - range.column + 1) * (range.last_row - range.row + 1) > CELLS_MAX)
        return false;
    crowd->wall_count = crowd->body_count = 0;
    bool is_all = true;
    for (size_t row = range.row; row <= range.last_row; row++)
        for (size_t column = range.column; column <= range.last_column; column++)
            is_all = is_all && gather_cell(world, fan, row * world->grid.columns + column, crowd);
    for (size_t i = 0; i < world->grid.loose_count; i++) {
        uint32_t body = world->grid.loose[i];
        if (body != fan->skip && is_body_near(&world->bodies[body], fan))
            is_all = is_all && note(crowd->bodies, &crowd->body_count, body);
    }
    return is_all;
}

static void meet_wall(const struct wall *wall, const struct world_fan *fan, struct world_hit *hits)
{
    for (size_t i = 0; i < fan->count; i++) {
        double distance = shape_ray_wall_m(&wall->shape, fan->from, fan->directions[i]);
        if (hit_is_nearer(&hits[i], distance, WORLD_WALL))
            hits[i] = (struct world_hit){distance, true, WORLD_WALL, wall->def.reflectance};
    }
}

static void meet_body(const struct body *body, size_t index, const struct world_fan *fan,
                      struct world_hit *hits)
{
    for (size_t i = 0; i < fan->count; i++) {
        double distance = shape_ray_m(&body->shape, fan->from, fan->directions[i]);
        if (hit_is_nearer(&hits[i], distance, index))
            hits[i] = (struct world_hit){distance, true, index, body->def.reflectance};
    }
}

void world_ray_fan(const struct world *world, const struct world_fan *fan, struct world_hit *hits)
{
    struct crowd crowd;
    if (!world->grid.is_ready || !gather(world, fan, &crowd)) {
        for (size_t i = 0; i < fan->count; i++)
            hits[i] = world_ray_toward(world, fan->from, fan->directions[i], fan->max_m, fan->skip);
        return;
    }
    for (size_t i = 0; i < fan->count; i++)
        hits[i] = (struct world_hit){.distance_m = fan->max_m, .other = WORLD_WALL};
    for (size_t i = 0; i < crowd.wall_count; i++)
        meet_wall(&world->walls[crowd.walls[i]], fan, hits);
    for (size_t i = 0; i < crowd.body_count; i++)
        meet_body(&world->bodies[crowd.bodies[i]], crowd.bodies[i], fan, hits);
}
