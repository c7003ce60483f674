/* Questions to a world that change nothing: rays, and whether a place is free. */
#include <math.h>

#include "base/angle.h"
#include "physics/world_state.h"

static bool shapes_overlap(const struct shape *a, const struct shape *b, double slack_m)
{
    struct touch touches[SHAPE_TOUCHES_MAX];
    size_t count = shape_touch(a, b, 0.0, touches);
    for (size_t i = 0; i < count; i++)
        if (touches[i].gap_m < -slack_m)
            return true;
    return false;
}

bool world_overlaps(const struct world *world, const struct body_def *def, size_t skip,
                    double slack_m)
{
    struct shape shape = body_shape(def, def->pose);
    struct vec2 extent = shape_extent(&shape);
    struct box2 bounds = {vec2_sub(shape.center, extent), vec2_add(shape.center, extent)};
    for (size_t i = 0; i < world->wall_count; i++) {
        const struct wall *wall = &world->walls[i];
        if (bounds_meet(&bounds, &wall->bounds) && shapes_overlap(&shape, &wall->shape, slack_m))
            return true;
    }
    for (size_t i = 0; i < world->body_count; i++) {
        const struct body *body = &world->bodies[i];
        if (i != skip && !body->is_lifted && shapes_overlap(&shape, &body->shape, slack_m))
            return true;
    }
    return false;
}

struct ray {
    const struct world *world;
    struct vec2 from, direction;
    size_t skip;
    struct world_hit hit; /* the nearest so far */
};

static void try_wall(struct ray *ray, size_t index)
{
    const struct wall *wall = &ray->world->walls[index];
    double distance = shape_ray_wall_m(&wall->shape, ray->from, ray->direction);
    if (hit_is_nearer(&ray->hit, distance, WORLD_WALL))
        ray->hit = (struct world_hit){distance, true, WORLD_WALL, wall->def.reflectance};
}

static void try_body(struct ray *ray, size_t index)
{
    const struct body *body = &ray->world->bodies[index];
    if (index == ray->skip || body->is_lifted)
        return;
    double distance = shape_ray_m(&body->shape, ray->from, ray->direction);
    if (hit_is_nearer(&ray->hit, distance, index))
        ray->hit = (struct world_hit){distance, true, index, body->def.reflectance};
}

static void try_cell(struct ray *ray, size_t cell)
{
    const struct grid *grid = &ray->world->grid;
    for (uint32_t i = grid->wall_start[cell]; i < grid->wall_start[cell + 1]; i++)
        try_wall(ray, grid->items[i]);
    for (uint32_t at = grid->body_first[cell]; at != GRID_NONE; at = grid->entries[at].next)
        try_body(ray, grid->entries[at].body);
}

/* The ray's way through the cells along one coordinate. */
struct walk {
    ptrdiff_t cell, cell_step, count; /* it ends outside 0..COUNT - 1 */
    double next_m, step_m;            /* distance at which the next cell begins */
};

/* PLACE: where the walk starts, in cells, before which the ray has come START_M. */
static struct walk start_walk(double place, double slope, double start_m, double cell_m,
                              size_t count)
{
    struct walk walk = {.next_m = INFINITY, .step_m = INFINITY, .count = (ptrdiff_t)count};
    /* Rounding may put the entry one cell outside. */
    double most = (double)count - 1.0;
    walk.cell = place > 0.0 ? (ptrdiff_t)(place < most ? place : most) : 0;
    walk.cell_step = slope < 0.0 ? -1 : 1;
    if (slope != 0.0) {
        walk.step_m = cell_m / fabs(slope);
        double part = slope > 0.0 ? (double)walk.cell + 1.0 - place : place - (double)walk.cell;
        walk.next_m = start_m + part * walk.step_m;
    }
    return walk;
}

/* A ray that ends in the cell where it starts, or in one beside it. PLACE: of its start, in cells;
 * false for a longer one. */
static bool try_short(struct ray *ray, struct vec2 place)
{
    const struct grid *grid = &ray->world->grid;
    double length = ray->hit.distance_m * grid->inverse_cell;
    struct vec2 end = vec2_add(place, vec2_scale(length, ray->direction));
    if (length > 2.0 || !(end.x >= 0.0 && end.x < (double)grid->columns && end.y >= 0.0 &&
                          end.y < (double)grid->rows))
        return false;
    ptrdiff_t columns = (ptrdiff_t)grid->columns;
    ptrdiff_t cell = (ptrdiff_t)place.y * columns + (ptrdiff_t)place.x;
    ptrdiff_t apart = (ptrdiff_t)end.y * columns + (ptrdiff_t)end.x - cell;
    if (apart > 1 || apart < -1) {
        if (apart != columns && apart != -columns)
            return false;
    }
    try_cell(ray, (size_t)cell);
    if (apart != 0)
        try_cell(ray, (size_t)(cell + apart));
    return true;
}

static void walk_cells(struct ray *ray)
{
    const struct grid *grid = &ray->world->grid;
    struct vec2 place = vec2_scale(grid->inverse_cell, vec2_sub(ray->from, grid->low));
    double columns = (double)grid->columns;
    double rows = (double)grid->rows;
    double start = 0.0;
    if (!(place.x >= 0.0 && place.x < columns && place.y >= 0.0 && place.y < rows)) {
        const struct shape whole = {.center = {0.5 * columns, 0.5 * rows},
                                    .axis = {1.0, 0.0},
                                    .half_x_m = 0.5 * columns,
                                    .half_y_m = 0.5 * rows};
        start = grid->cell_m * shape_ray_m(&whole, place, ray->direction);
        if (start > ray->hit.distance_m)
            return;
        place = vec2_add(place, vec2_scale(start * grid->inverse_cell, ray->direction));
    }
    if (try_short(ray, place))
        return;
    struct walk x = start_walk(place.x, ray->direction.x, start, grid->cell_m, grid->columns);
    struct walk y = start_walk(place.y, ray->direction.y, start, grid->cell_m, grid->rows);
    while (x.cell >= 0 && x.cell < x.count && y.cell >= 0 && y.cell < y.count) {
        try_cell(ray, (size_t)(y.cell * x.count + x.cell));
        struct walk *next = x.next_m < y.next_m ? &x : &y;
        if (next->next_m > ray->hit.distance_m)
            return;
        next->cell += next->cell_step;
        next->next_m += next->step_m;
    }
}

struct world_hit world_ray_toward(const struct world *world, struct vec2 from,
                                  struct vec2 direction, double max_m, size_t skip)
{
    struct ray ray = {.world = world, .from = from, .direction = direction, .skip = skip};
    ray.hit = (struct world_hit){.distance_m = max_m, .other = WORLD_WALL};
    const struct grid *grid = &world->grid;
    if (grid->is_ready) {
        for (size_t i = 0; i < grid->loose_count; i++)
            try_body(&ray, grid->loose[i]);
        walk_cells(&ray);
        return ray.hit;
    }
    for (size_t i = 0; i < world->wall_count; i++)
        try_wall(&ray, i);
    for (size_t i = 0; i < world->body_count; i++)
        try_body(&ray, i);
    return ray.hit;
}

struct world_hit world_ray(const struct world *world, struct vec2 from, double heading_rad,
                           double max_m, size_t skip)
{
    struct vec2 direction;
    angle_sin_cos(heading_rad, &direction.y, &direction.x);
    return world_ray_toward(world, from, direction, max_m, skip);
}
