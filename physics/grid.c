/* Walls and bodies in the cells of a uniform grid, and the lists of nearby objects of each body. */
#include "physics/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "physics/world_state.h"

/* All chosen. A cell about as wide as a robot contains few objects. A body over many cells is
 * cheaper in the list of loose bodies. */
static const double cell_least_m = 0.25;
enum { CELLS_LEAST = 4096, CELLS_A_WALL = 4, ITEMS_A_WALL = 8, CELLS_A_BODY = 56 };
/* A wall also belongs to cells that it misses by this distance, so that rounding along a ray causes
 * no miss. */
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

/* Sets the rectangle around all walls and bodies, and the smallest cells that the memory allows. */
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

/* Counts the walls of every cell; false if there are too many. */
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

/* Inserts all walls, then all bodies. */
static void grid_build(struct world *world)
{
    struct grid *grid = &world->grid;
    lay_out(world, cell_least_m);
    while (!count_walls(world))
        lay_out(world, 1.25 * grid->cell_m);

    /* First wall_start contains each cell's end. Inserting from the last wall to the first turns it
     * into the start. */
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

/* Sets the cells of a body's bounds, and whether the body is loose: it covers too many cells, or is
 * outside the grid. */
static void find_cells(const struct grid *grid, struct body *body)
{
    struct grid_range range = find_range(grid, &body->bounds);
    size_t cells =
        (size_t)(range.last_column - range.column + 1) * (range.last_row - range.row + 1);
    body->range = range;
    body->is_loose = cells > CELLS_A_BODY || !is_inside(grid, &body->bounds);
}

/* Two fixed bodies never touch. A lifted body is not fixed, because it may be put down. */
static bool is_fixed(const struct world *world, size_t body)
{
    return world->bodies[body].def.mass_kg == 0.0;
}

/* Fixed bodies come last in each chain. The search for a fixed body therefore ends at the first
 * fixed one. */
static void chain_body(struct world *world, size_t index)
{
    struct grid *grid = &world->grid;
    const struct body *body = &world->bodies[index];
    uint32_t at = (uint32_t)(index * CELLS_A_BODY);
    for (size_t row = body->range.row; row <= body->range.last_row; row++) {
        for (size_t column = body->range.column; column <= body->range.last_column; column++) {
            uint32_t *place = &grid->body_first[row * grid->columns + column];
            while (is_fixed(world, index) && *place != GRID_NONE &&
                   !is_fixed(world, grid->entries[*place].body))
                place = &grid->entries[*place].next;
            grid->entries[at] = (struct grid_entry){(uint32_t)index, *place};
            *place = at++;
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
            chain_body(world, i);
    }
}

/* Inserts one body again. False if it is or becomes loose: it is then not inserted, and grid_fill
 * must be called. */
static bool grid_move(struct world *world, size_t index)
{
    struct grid *grid = &world->grid;
    struct body *body = &world->bodies[index];
    if (body->is_loose)
        return false;
    struct grid_range range = find_range(grid, &body->bounds);
    if (memcmp(&range, &body->range, sizeof range) == 0 && is_inside(grid, &body->bounds))
        return true;
    unchain_body(grid, body, index);
    find_cells(grid, body);
    if (!body->is_loose)
        chain_body(world, index);
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

/* Moves the number at position I of the heap down to its place. Heapsort needs no memory. */
static void sift(uint32_t *heap, size_t i, size_t count)
{
    for (size_t child = 2 * i + 1; child < count; i = child, child = 2 * i + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[i] >= heap[child])
            return;
        uint32_t swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Sorts the result, so that the order of cells does not matter. */
static void sort(uint32_t *found, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(found, i, count);
    for (size_t left = count; left > 1; left--) {
        uint32_t most = found[0];
        found[0] = found[left - 1];
        found[left - 1] = most;
        sift(found, 0, left - 1);
    }
}

/* Whether a cell is the first one of the intersection of both ranges. */
static bool is_first_cell(const struct grid_range *a, const struct grid_range *b, size_t column,
                          size_t row)
{
    return column == (a->column > b->column ? a->column : b->column) &&
           row == (a->row > b->row ? a->row : b->row);
}

/* Keeps FOUND sorted and unique. The walls of a cell are sorted already. */
static size_t note(uint32_t *found, size_t count, uint32_t number)
{
    size_t low = 0, high = count;
    if (count > 0 && found[count - 1] < number)
        low = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (found[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && found[low] == number)
        return count;
    memmove(found + low + 1, found + low, (count - low) * sizeof *found);
    found[low] = number;
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
    bool fixed = is_fixed(world, body);
    size_t count = 0;
    if (world->bodies[body].is_loose) {
        for (size_t i = least; i < world->body_count; i++)
            if (!fixed || !is_fixed(world, i))
                world->found[count++] = (uint32_t)i;
        return count;
    }
    struct grid_range range = world->bodies[body].range;
    for (size_t row = range.row; row <= range.last_row; row++) {
        for (size_t column = range.column; column <= range.last_column; column++) {
            uint32_t at = grid->body_first[row * grid->columns + column];
            for (; at != GRID_NONE; at = grid->entries[at].next) {
                uint32_t other = grid->entries[at].body;
                if (fixed && is_fixed(world, other))
                    break;
                if (other >= least &&
                    is_first_cell(&range, &world->bodies[other].range, column, row))
                    world->found[count++] = other;
            }
        }
    }
    for (size_t i = 0; i < grid->loose_count; i++)
        if (grid->loose[i] >= least && !(fixed && is_fixed(world, grid->loose[i])))
            world->found[count++] = grid->loose[i];
    sort(world->found, count);
    return count;
}

/* ---- Objects near each body ----
 *
 * A list is valid for several steps, because bounds are wide enough for a while. Most bodies are
 * near nothing. The users of a list check exact distances, so a list with too many entries changes
 * no result. A body that leaves its bounds therefore gets a new list and is added to the lists of
 * others, but is not removed from old ones. */

static uint32_t *list_of(const struct world *world, size_t index)
{
    return world->near + WORLD_NEAR_A_BODY * index;
}

/* Every step skips the bodies that are near nothing. */
static void watch(struct world *world, size_t index)
{
    const struct body *body = &world->bodies[index];
    uint64_t bit = (uint64_t)1 << index % WORLD_WATCH_BITS;
    uint64_t *word = &world->watched[index / WORLD_WATCH_BITS];
    if (body->near_walls + body->near_bodies > 0 || body->is_crowded)
        *word |= bit;
    else
        *word &= ~bit;
}

static uint32_t list_walls(struct world *world, size_t index)
{
    const struct body *body = &world->bodies[index];
    uint32_t *list = list_of(world, index);
    size_t found = grid_find_walls(world, index);
    uint32_t count = 0;
    for (size_t n = 0; n < found; n++) {
        uint32_t wall = world->found[n];
        if (!bounds_meet(&body->bounds, &world->walls[wall].bounds))
            continue;
        if (count < WORLD_NEAR_A_BODY)
            list[count] = wall;
        count++;
    }
    return count;
}

/* Adds a body of a higher number to a sorted list. False: the list is full. */
static bool add_body(struct world *world, size_t index, uint32_t other)
{
    struct body *body = &world->bodies[index];
    uint32_t *list = list_of(world, index) + body->near_walls;
    uint32_t at = body->near_bodies;
    while (at > 0 && list[at - 1] > other)
        at--;
    if (at > 0 && list[at - 1] == other)
        return true;
    if (body->near_walls + body->near_bodies == WORLD_NEAR_A_BODY)
        return false;
    for (uint32_t i = body->near_bodies; i > at; i--)
        list[i] = list[i - 1];
    list[at] = other;
    body->near_bodies++;
    return true;
}

/* Lists the objects near a body, and adds the body to the lists of nearby bodies with numbers from
 * LEAST up to its own. */
static void list_near(struct world *world, size_t index, size_t least)
{
    struct body *body = &world->bodies[index];
    body->near_bodies = 0;
    body->near_walls = list_walls(world, index);
    body->is_crowded = body->near_walls > WORLD_NEAR_A_BODY;
    size_t found = grid_find_bodies(world, index, least);
    for (size_t n = 0; n < found; n++) {
        size_t other = world->found[n];
        if (other == index || !bounds_meet(&body->bounds, &world->bodies[other].bounds))
            continue;
        size_t lower = other < index ? other : index;
        if (!world->bodies[lower].is_crowded &&
            !add_body(world, lower, (uint32_t)(other + index - lower))) {
            if (lower == index)
                body->is_crowded = true;
            else
                world->is_stale = true; /* what is no longer near takes up the room */
        }
        watch(world, lower);
    }
    if (body->is_crowded)
        body->near_walls = body->near_bodies = 0;
    watch(world, index);
}

static void update_all(struct world *world)
{
    for (size_t i = 0; i < world->body_count; i++)
        body_file(&world->bodies[i]);
    if (world->grid.is_ready)
        grid_fill(world);
    else
        grid_build(world);
    for (size_t i = 0; i < world->body_count; i++)
        list_near(world, i, i + 1);
    world->is_stale = false;
}

void near_update(struct world *world)
{
    for (size_t n = 0; n < world->left_count && !world->is_stale; n++) {
        body_file(&world->bodies[world->left[n]]);
        world->is_stale = !grid_move(world, world->left[n]);
    }
    for (size_t n = 0; n < world->left_count && !world->is_stale; n++)
        list_near(world, world->left[n], 0);
    world->left_count = 0;
    if (world->is_stale)
        update_all(world);
}
