/* Filing walls and bodies in the cells of a uniform grid, and finding them there. */
#include "physics/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "physics/world_state.h"

/* All chosen. Cells about as wide as a robot hold few things each; a body over more cells than a
 * few is cheaper on the list of loose ones. */
static const double cell_least_m = 0.25;
enum { CELLS_LEAST = 4096, CELLS_A_WALL = 4, ITEMS_A_WALL = 8, CELLS_A_BODY = 56 };
/* Walls count for cells that they miss by this, so that rounding along a ray does no harm. */
static const double slack_m = 1e-6;

bool grid_reserve(struct grid *grid, size_t walls, size_t bodies)
{
    grid->cells_max = CELLS_LEAST + CELLS_A_WALL * walls;
    grid->items_max = grid->cells_max + ITEMS_A_WALL * walls;
    grid->entries_max = CELLS_A_BODY * bodies;
    grid->wall_start = calloc(grid->cells_max + 1, sizeof *grid->wall_start);
    grid->items = calloc(grid->items_max, sizeof *grid->items);
    grid->body_first = calloc(grid->cells_max, sizeof *grid->body_first);
    grid->entries = calloc(grid->entries_max + 1, sizeof *grid->entries);
    grid->loose = calloc(bodies + 1, sizeof *grid->loose);
    return grid->wall_start && grid->items && grid->body_first && grid->entries && grid->loose;
}

void grid_free(struct grid *grid)
{
    free(grid->wall_start);
    free(grid->items);
    free(grid->body_first);
    free(grid->entries);
    free(grid->loose);
}

static uint32_t to_cell(double offset_m, double inverse_cell, size_t count)
{
    double cell = offset_m * inverse_cell;
    if (!(cell > 0.0))
        return 0;
    return cell < (double)count ? (uint32_t)cell : (uint32_t)count - 1;
}

static struct grid_range find_range(const struct grid *grid, const struct box2 *box)
{
    return (struct grid_range){
        .column = to_cell(box->low.x - slack_m - grid->low.x, grid->inverse_cell, grid->columns),
        .row = to_cell(box->low.y - slack_m - grid->low.y, grid->inverse_cell, grid->rows),
        .last_column =
            to_cell(box->high.x + slack_m - grid->low.x, grid->inverse_cell, grid->columns),
        .last_row = to_cell(box->high.y + slack_m - grid->low.y, grid->inverse_cell, grid->rows),
    };
}

static void extend(struct box2 *box, const struct box2 *by)
{
    box->low.x = number_smaller(box->low.x, by->low.x);
    box->low.y = number_smaller(box->low.y, by->low.y);
    box->high.x = number_larger(box->high.x, by->high.x);
    box->high.y = number_larger(box->high.y, by->high.y);
}

/* The rectangle around all walls and bodies, and the finest cells that there is room for. */
static void lay_out(struct world *world, double cell_m)
{
    struct grid *grid = &world->grid;
    struct box2 box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (size_t i = 0; i < world->wall_count; i++)
        extend(&box, &world->walls[i].bounds);
    for (size_t i = 0; i < world->body_count; i++)
        extend(&box, &world->bodies[i].bounds);
    if (!(box.low.x <= box.high.x && box.low.y <= box.high.y))
        box = (struct box2){{0.0, 0.0}, {0.0, 0.0}};

    double width = box.high.x - box.low.x;
    double height = box.high.y - box.low.y;
    while ((floor(width / cell_m) + 2.0) * (floor(height / cell_m) + 2.0) > (double)grid->cells_max)
        cell_m *= 1.25;
    grid->low = vec2_sub(box.low, (struct vec2){0.5 * cell_m, 0.5 * cell_m});
    grid->cell_m = cell_m;
    grid->inverse_cell = 1.0 / cell_m;
    grid->columns = (size_t)floor(width / cell_m) + 2;
    grid->rows = (size_t)floor(height / cell_m) + 2;
}

static bool wall_meets_cell(const struct grid *grid, const struct wall *wall, size_t column,
                            size_t row)
{
    struct vec2 middle = {grid->low.x + ((double)column + 0.5) * grid->cell_m,
                          grid->low.y + ((double)row + 0.5) * grid->cell_m};
    struct vec2 axis = wall->shape.axis;
    double reach = 0.5 * grid->cell_m * (fabs(axis.x) + fabs(axis.y)) + slack_m;
    return fabs(vec2_cross(axis, vec2_sub(middle, wall->shape.center))) <= reach;
}

/* Counts the walls of every cell (WALL_START one ahead); false if there are too many. */
static bool count_walls(struct world *world)
{
    struct grid *grid = &world->grid;
    size_t total = 0;
    for (size_t i = 0; i <= grid->columns * grid->rows; i++)
        grid->wall_start[i] = 0;
    for (size_t i = 0; i < world->wall_count; i++) {
        struct grid_range range = find_range(grid, &world->walls[i].bounds);
        for (size_t row = range.row; row <= range.last_row; row++) {
            for (size_t column = range.column; column <= range.last_column; column++) {
                if (!wall_meets_cell(grid, &world->walls[i], column, row))
                    continue;
                grid->wall_start[row * grid->columns + column]++;
                total++;
            }
        }
    }
    return total <= grid->items_max;
}

void grid_build(struct world *world)
{
    struct grid *grid = &world->grid;
    lay_out(world, cell_least_m);
    while (!count_walls(world))
        lay_out(world, 1.25 * grid->cell_m);

    /* Each cell's end first; filing from the last wall to the first turns it into its start. */
    size_t cells = grid->columns * grid->rows;
    for (size_t i = 1; i <= cells; i++)
        grid->wall_start[i] += grid->wall_start[i - 1];
    for (size_t i = world->wall_count; i-- > 0;) {
        struct grid_range range = find_range(grid, &world->walls[i].bounds);
        for (size_t row = range.row; row <= range.last_row; row++) {
            for (size_t column = range.column; column <= range.last_column; column++)
                if (wall_meets_cell(grid, &world->walls[i], column, row))
                    grid->items[--grid->wall_start[row * grid->columns + column]] = (uint32_t)i;
        }
    }
    grid->is_ready = true;
    grid_fill(world);
}

static bool is_inside(const struct grid *grid, const struct box2 *box)
{
    return box->low.x > grid->low.x && box->low.y > grid->low.y &&
           box->high.x < grid->low.x + (double)grid->columns * grid->cell_m &&
           box->high.y < grid->low.y + (double)grid->rows * grid->cell_m;
}

/* The cells of a body's bounds; whether they are too many, or the bounds reach beyond them. */
static void find_cells(const struct grid *grid, struct body *body)
{
    struct grid_range range = find_range(grid, &body->bounds);
    size_t cells =
        (size_t)(range.last_column - range.column + 1) * (range.last_row - range.row + 1);
    body->range = range;
    body->is_loose = cells > CELLS_A_BODY || !is_inside(grid, &body->bounds);
}

static void chain_body(struct grid *grid, const struct body *body, size_t index)
{
    uint32_t at = (uint32_t)(index * CELLS_A_BODY);
    for (size_t row = body->range.row; row <= body->range.last_row; row++) {
        for (size_t column = body->range.column; column <= body->range.last_column; column++) {
            uint32_t *first = &grid->body_first[row * grid->columns + column];
            grid->entries[at] = (struct grid_entry){(uint32_t)index, *first};
            *first = at++;
        }
    }
}

static void unchain_body(struct grid *grid, const struct body *body, size_t index)
{
    for (size_t row = body->range.row; row <= body->range.last_row; row++) {
        for (size_t column = body->range.column; column <= body->range.last_column; column++) {
            uint32_t *at = &grid->body_first[row * grid->columns + column];
            while (grid->entries[*at].body != index)
                at = &grid->entries[*at].next;
            *at = grid->entries[*at].next;
        }
    }
}

void grid_fill(struct world *world)
{
    struct grid *grid = &world->grid;
    if (!grid->is_ready)
        return;
    for (size_t i = 0; i < grid->columns * grid->rows; i++)
        grid->body_first[i] = GRID_NONE;
    grid->loose_count = 0;
    for (size_t i = 0; i < world->body_count; i++) {
        struct body *body = &world->bodies[i];
        find_cells(grid, body);
        if (body->is_loose)
            grid->loose[grid->loose_count++] = (uint32_t)i;
        else
            chain_body(grid, body, i);
    }
}

bool grid_move(struct world *world, size_t index)
{
    struct grid *grid = &world->grid;
    struct body *body = &world->bodies[index];
    if (body->is_loose)
        return false;
    unchain_body(grid, body, index);
    find_cells(grid, body);
    if (!body->is_loose)
        chain_body(grid, body, index);
    return !body->is_loose;
}

bool grid_range_around(const struct grid *grid, struct vec2 middle, double radius_m,
                       struct grid_range *range)
{
    double x = middle.x - grid->low.x, y = middle.y - grid->low.y;
    double reach = radius_m + slack_m;
    double right = (x + reach) * grid->inverse_cell, left = (x - reach) * grid->inverse_cell;
    double top = (y + reach) * grid->inverse_cell, bottom = (y - reach) * grid->inverse_cell;
    if (!(left >= 0.0 && bottom >= 0.0 && right < (double)grid->columns &&
          top < (double)grid->rows))
        return false;
    *range = (struct grid_range){(uint32_t)left, (uint32_t)bottom, (uint32_t)right, (uint32_t)top};
    return true;
}

/* Keeps FOUND sorted and without doubles, so that the order of cells does not matter. */
static size_t note(uint32_t *found, size_t count, uint32_t number)
{
    size_t at = count;
    while (at > 0 && found[at - 1] > number)
        at--;
    if (at > 0 && found[at - 1] == number)
        return count;
    for (size_t i = count; i > at; i--)
        found[i] = found[i - 1];
    found[at] = number;
    return count + 1;
}

size_t grid_find_walls(struct world *world, size_t body)
{
    const struct grid *grid = &world->grid;
    struct grid_range range = world->bodies[body].range;
    size_t count = 0;
    for (size_t row = range.row; row <= range.last_row; row++) {
        for (size_t column = range.column; column <= range.last_column; column++) {
            size_t cell = row * grid->columns + column;
            for (uint32_t i = grid->wall_start[cell]; i < grid->wall_start[cell + 1]; i++)
                count = note(world->found, count, grid->items[i]);
        }
    }
    return count;
}

size_t grid_find_bodies(struct world *world, size_t body, size_t least)
{
    const struct grid *grid = &world->grid;
    size_t count = 0;
    if (world->bodies[body].is_loose) {
        for (size_t i = least; i < world->body_count; i++)
            world->found[count++] = (uint32_t)i;
        return count;
    }
    struct grid_range range = world->bodies[body].range;
    for (size_t row = range.row; row <= range.last_row; row++) {
        for (size_t column = range.column; column <= range.last_column; column++) {
            uint32_t at = grid->body_first[row * grid->columns + column];
            for (; at != GRID_NONE; at = grid->entries[at].next)
                if (grid->entries[at].body >= least)
                    count = note(world->found, count, grid->entries[at].body);
        }
    }
    for (size_t i = 0; i < grid->loose_count; i++)
        if (grid->loose[i] >= least)
            count = note(world->found, count, grid->loose[i]);
    return count;
}
