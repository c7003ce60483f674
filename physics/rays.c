/* Single rays, and fans of rays from one point. */
#include <math.h>

#include "base/angle.h"
#include "physics/world_state.h"

/* Replaces a hit by a nearer one. At the same distance a wall comes first, then the lower index, so
 * that the order of the search does not matter. */
static bool hit_offer(struct world_hit *hit, double distance_m, size_t other, double reflectance)
{
    bool is_before =
        !hit->is_hit || (hit->other != WORLD_WALL && (other == WORLD_WALL || other < hit->other));
    if (!(distance_m < hit->distance_m || (distance_m == hit->distance_m && is_before)))
        return false;
    *hit = (struct world_hit){distance_m, true, other, reflectance};
    return true;
}

/* ---- One ray ---- */

struct ray {
    const struct world *world;
    struct vec2 from, direction;
    size_t skip;
    struct world_hit hit; /* nearest hit so far */
    /* Height of a beam; 0: on the floor, where every object is high enough. */
    double z_m;
    const struct body_part *skip_part;
    uint32_t tried[2];            /* the last bodies that were tested: most are in several cells */
    const struct wall *wall;      /* the wall that was hit */
    const struct body_part *part; /* part of the body that was hit; NULL: its outline */
};

static void try_wall(struct ray *ray, size_t index)
{
    const struct wall *wall = &ray->world->walls[index];
    if (ray->z_m > wall->def.height_m)
        return;
    double distance = shape_ray_wall_m(&wall->shape, ray->from, ray->direction);
    if (hit_offer(&ray->hit, distance, WORLD_WALL, wall->def.reflectance))
        ray->wall = wall;
}

static struct shape part_shape(const struct body *body, const struct body_part *part)
{
    return (struct shape){.is_disc = true,
                          .radius_m = part->radius_m,
                          .center = {body->pose.x_m + body->shape.axis.x * part->place.x -
                                         body->shape.axis.y * part->place.y,
                                     body->pose.y_m + body->shape.axis.y * part->place.x +
                                         body->shape.axis.x * part->place.y}};
}

static void try_parts(struct ray *ray, size_t index)
{
    const struct body *body = &ray->world->bodies[index];
    for (size_t i = 0; i < body->def.part_count; i++) {
        const struct body_part *part = &body->def.parts[i];
        if (ray->z_m < part->low_m || ray->z_m > part->high_m || part == ray->skip_part)
            continue;
        struct shape shape = part_shape(body, part);
        double distance = shape_ray_m(&shape, ray->from, ray->direction);
        if (hit_offer(&ray->hit, distance, index, body->def.reflectance))
            ray->part = part;
    }
}

static void try_body(struct ray *ray, size_t index)
{
    const struct body *body = &ray->world->bodies[index];
    if (index == ray->skip || body->is_lifted)
        return;
    if (ray->z_m > body->def.height_m) {
        try_parts(ray, index);
        return;
    }
    double distance = shape_ray_m(&body->shape, ray->from, ray->direction);
    if (hit_offer(&ray->hit, distance, index, body->def.reflectance))
        ray->part = NULL;
}

static void try_cell(struct ray *ray, size_t cell)
{
    const struct grid *grid = &ray->world->grid;
    for (uint32_t i = grid->wall_start[cell]; i < grid->wall_start[cell + 1]; i++)
        try_wall(ray, grid->items[i]);
    for (uint32_t at = grid->body_first[cell]; at != GRID_NONE; at = grid->entries[at].next) {
        uint32_t body = grid->entries[at].body;
        if (body == ray->tried[0] || body == ray->tried[1])
            continue;
        ray->tried[1] = ray->tried[0];
        ray->tried[0] = body;
        try_body(ray, body);
    }
}

static bool is_empty(const struct grid *grid, size_t cell)
{
    return grid->wall_start[cell] == grid->wall_start[cell + 1] &&
           grid->body_first[cell] == GRID_NONE;
}

/* A ray's path through the cells along one coordinate. */
struct walk {
    ptrdiff_t cell, cell_step, left; /* LEFT: number of cells up to the end of the grid */
    double next_m, step_m;           /* distance to the start of the next cell */
};

/* PLACE: start of the walk, in cells. The ray reaches it after START_M. */
static struct walk start_walk(double place, double slope, double start_m, double cell_m,
                              size_t count)
{
    struct walk walk = {.next_m = INFINITY, .step_m = INFINITY};
    /* Rounding may put the entry one cell outside. */
    double most = (double)count - 1.0;
    walk.cell = place > 0.0 ? (ptrdiff_t)(place < most ? place : most) : 0;
    walk.cell_step = slope < 0.0 ? -1 : 1;
    walk.left = slope < 0.0 ? walk.cell : (ptrdiff_t)count - 1 - walk.cell;
    if (slope != 0.0) {
        walk.step_m = cell_m / fabs(slope);
        double part = slope > 0.0 ? (double)walk.cell + 1.0 - place : place - (double)walk.cell;
        walk.next_m = start_m + part * walk.step_m;
    }
    return walk;
}

/* Handles a ray that ends in its first cell or in an adjacent one; false for a longer ray. PLACE:
 * its start, in cells, inside the grid. */
static bool try_short(struct ray *ray, struct vec2 place)
{
    const struct grid *grid = &ray->world->grid;
    double length = ray->hit.distance_m * grid->inverse_cell;
    struct vec2 end = vec2_add(place, vec2_scale(length, ray->direction));
    if (length > 2.0 || !(end.x >= 0.0 && end.x < (double)grid->columns && end.y >= 0.0 &&
                          end.y < (double)grid->rows))
        return false;
    ptrdiff_t column = (ptrdiff_t)place.x, row = (ptrdiff_t)place.y;
    ptrdiff_t right = (ptrdiff_t)end.x - column, up = (ptrdiff_t)end.y - row;
    if (right * right + up * up > 1)
        return false;
    ptrdiff_t columns = (ptrdiff_t)grid->columns;
    try_cell(ray, (size_t)(row * columns + column));
    if (right != 0 || up != 0)
        try_cell(ray, (size_t)((row + up) * columns + column + right));
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
    } else if (try_short(ray, place)) {
        return;
    }
    struct walk x = start_walk(place.x, ray->direction.x, start, grid->cell_m, grid->columns);
    struct walk y = start_walk(place.y, ray->direction.y, start, grid->cell_m, grid->rows);
    ptrdiff_t cell = y.cell * (ptrdiff_t)grid->columns + x.cell;
    y.cell_step *= (ptrdiff_t)grid->columns;
    // No branches on the direction of a step: they cannot be predicted.
    for (bool is_x = false; is_x ? x.left >= 0 : y.left >= 0;) {
        if (!is_empty(grid, (size_t)cell))
            try_cell(ray, (size_t)cell);
        is_x = x.next_m < y.next_m;
        if ((is_x ? x.next_m : y.next_m) > ray->hit.distance_m)
            return;
        cell += is_x ? x.cell_step : y.cell_step;
        x.next_m += is_x ? x.step_m : 0.0;
        y.next_m += is_x ? 0.0 : y.step_m;
        x.left -= is_x;
        y.left -= !is_x;
    }
}

static void cast(struct ray *ray, double max_m)
{
    const struct world *world = ray->world;
    const struct grid *grid = &world->grid;
    ray->hit = (struct world_hit){.distance_m = max_m, .other = WORLD_WALL};
    ray->tried[0] = ray->tried[1] = GRID_NONE;
    if (grid->is_ready) {
        for (size_t i = 0; i < grid->loose_count; i++)
            try_body(ray, grid->loose[i]);
        walk_cells(ray);
        return;
    }
    for (size_t i = 0; i < world->wall_count; i++)
        try_wall(ray, i);
    for (size_t i = 0; i < world->body_count; i++)
        try_body(ray, i);
}

struct world_hit world_ray_toward(const struct world *world, struct vec2 from,
                                  struct vec2 direction, double max_m, size_t skip)
{
    struct ray ray = {.world = world, .from = from, .direction = direction, .skip = skip};
    cast(&ray, max_m);
    return ray.hit;
}

/* The cosine of the angle of incidence. */
static double incidence(const struct ray *ray)
{
    if (ray->hit.other == WORLD_WALL)
        return fabs(vec2_cross(ray->direction, ray->wall->shape.axis));
    const struct body *body = &ray->world->bodies[ray->hit.other];
    struct shape shape = ray->part ? part_shape(body, ray->part) : body->shape;
    struct vec2 arm = vec2_sub(vec2_add(ray->from, vec2_scale(ray->hit.distance_m, ray->direction)),
                               shape.center);
    if (shape.is_disc)
        return fmin(1.0, fabs(vec2_dot(arm, ray->direction)) / shape.radius_m);
    // The point is on the side of the box that is nearest to it.
    double along = fabs(vec2_dot(arm, shape.axis)), across = fabs(vec2_cross(arm, shape.axis));
    return shape.half_x_m - along < shape.half_y_m - across
               ? fabs(vec2_dot(ray->direction, shape.axis))
               : fabs(vec2_cross(ray->direction, shape.axis));
}

struct world_hit world_ray_beam(const struct world *world, const struct world_beam *beam,
                                double *cosine)
{
    struct ray ray = {.world = world,
                      .from = beam->from,
                      .direction = beam->direction,
                      .skip = beam->skip,
                      .z_m = beam->z_m,
                      .skip_part = beam->skip_part};
    cast(&ray, beam->max_m);
    *cosine = ray.hit.is_hit ? incidence(&ray) : 0.0;
    return ray.hit;
}

struct world_hit world_ray(const struct world *world, struct vec2 from, double heading_rad,
                           double max_m, size_t skip)
{
    struct vec2 direction;
    angle_sin_cos(heading_rad, &direction.y, &direction.x);
    return world_ray_toward(world, from, direction, max_m, skip);
}

/* ---- A fan: objects near its point are collected once for all rays ---- */

/* Chosen: limits of a short fan. In a longer fan each ray searches separately, which is faster. */
enum { CELLS_MAX = 9, THINGS_MAX = 64 };
static const double slack_m = 1e-6; /* chosen: against rounding */

/* The walls and bodies near the point of a fan. Objects in several cells are listed several
 * times. */
struct nearby {
    uint32_t walls[THINGS_MAX], bodies[THINGS_MAX];
    size_t wall_count, body_count;
};

static bool is_repeated(const uint32_t *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (list[i] == list[at])
            return true;
    return false;
}

/* Appends a number if IS_NEAR. No branch depends on it, because the processor would often
 * mispredict it. False: the list is full. */
static bool note(uint32_t *list, size_t *count, uint32_t number, bool is_near)
{
    list[*count] = number;
    *count += is_near;
    return *count < THINGS_MAX;
}

static bool is_wall_near(const struct wall *wall, const struct world_fan *fan)
{
    struct vec2 arm = vec2_sub(wall->shape.center, fan->from);
    return fabs(vec2_cross(wall->shape.axis, arm)) <= fan->max_m + slack_m &&
           fabs(vec2_dot(wall->shape.axis, arm)) <= fan->max_m + wall->shape.half_x_m + slack_m;
}

static bool note_body(const struct world *world, const struct world_fan *fan, uint32_t number,
                      struct nearby *nearby)
{
    const struct body *body = &world->bodies[number];
    struct vec2 arm = vec2_sub(body->shape.center, fan->from);
    double reach = fan->max_m + body->extent_m + slack_m;
    bool is_near = vec2_dot(arm, arm) <= reach * reach;
    is_near &= number != fan->skip;
    return note(nearby->bodies, &nearby->body_count, number, is_near);
}

static bool gather_cell(const struct world *world, const struct world_fan *fan, size_t cell,
                        struct nearby *nearby)
{
    const struct grid *grid = &world->grid;
    for (uint32_t i = grid->wall_start[cell]; i < grid->wall_start[cell + 1]; i++)
        if (!note(nearby->walls, &nearby->wall_count, grid->items[i],
                  is_wall_near(&world->walls[grid->items[i]], fan)))
            return false;
    for (uint32_t at = grid->body_first[cell]; at != GRID_NONE; at = grid->entries[at].next)
        if (!note_body(world, fan, grid->entries[at].body, nearby))
            return false;
    return true;
}

/* False: there are too many objects, or the fan reaches beyond the grid. */
static bool gather(const struct world *world, const struct world_fan *fan, struct nearby *nearby)
{
    struct grid_range range;
    if (!grid_range_around(&world->grid, fan->from, fan->max_m, &range))
        return false;
    size_t row = range.row, column = range.column;
    size_t width = range.last_column - range.column + 1;
    size_t left = width * (range.last_row - range.row + 1);
    bool is_all = left <= CELLS_MAX;
    nearby->wall_count = nearby->body_count = 0;
    for (; is_all && left > 0; left--) {
        is_all = gather_cell(world, fan, row * world->grid.columns + column, nearby);
        bool is_last = column == range.last_column;
        row += is_last;
        column = is_last ? range.column : column + 1;
    }
    for (size_t i = 0; i < world->grid.loose_count && is_all; i++)
        is_all = note_body(world, fan, world->grid.loose[i], nearby);
    return is_all;
}

static void meet_wall(const struct wall *wall, const struct world_fan *fan, struct world_hit *hits)
{
    for (size_t i = 0; i < fan->count; i++)
        (void)hit_offer(&hits[i], shape_ray_wall_m(&wall->shape, fan->from, fan->directions[i]),
                        WORLD_WALL, wall->def.reflectance);
}

/* The same as shape_ray_m. For a disc, the values that all rays share are calculated once. */
static void meet_body(const struct body *body, size_t index, const struct world_fan *fan,
                      struct world_hit *hits)
{
    const struct shape *shape = &body->shape;
    const struct vec2 arm = vec2_sub(shape->center, fan->from);
    const double square = vec2_dot(arm, arm) - shape->radius_m * shape->radius_m;
    const bool is_disc = shape->is_disc && square > 0.0;
    for (size_t i = 0; i < fan->count; i++) {
        double along = vec2_dot(arm, fan->directions[i]);
        double root = along * along - square;
        bool is_missed = root < 0.0;
        is_missed |= along < 0.0;
        if (is_disc && is_missed)
            continue;
        double distance =
            is_disc ? along - sqrt(root) : shape_ray_m(shape, fan->from, fan->directions[i]);
        (void)hit_offer(&hits[i], distance, index, body->def.reflectance);
    }
}

void world_ray_fan(const struct world *world, const struct world_fan *fan, struct world_hit *hits)
{
    struct nearby nearby;
    if (!world->grid.is_ready || !gather(world, fan, &nearby)) {
        for (size_t i = 0; i < fan->count; i++)
            hits[i] = world_ray_toward(world, fan->from, fan->directions[i], fan->max_m, fan->skip);
        return;
    }
    for (size_t i = 0; i < fan->count; i++)
        hits[i] = (struct world_hit){.distance_m = fan->max_m, .other = WORLD_WALL};
    for (size_t i = 0; i < nearby.wall_count; i++)
        if (!is_repeated(nearby.walls, i))
            meet_wall(&world->walls[nearby.walls[i]], fan, hits);
    for (size_t i = 0; i < nearby.body_count; i++)
        if (!is_repeated(nearby.bodies, i) && !world->bodies[nearby.bodies[i]].is_lifted)
            meet_body(&world->bodies[nearby.bodies[i]], nearby.bodies[i], fan, hits);
}
