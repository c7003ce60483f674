/* A uniform grid that finds nearby walls and bodies. Walls are inserted once. Bodies are inserted
 * again when they leave the bounds of their last insertion. Walls and bodies that are outside the
 * grid or cover too many cells are in a separate list, and are always checked. The grid therefore
 * changes no result. Private to the physics folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "physics/geom.h"

struct world;

#define GRID_NONE UINT32_MAX

/* Cells that a rectangle covers, both ends included. */
struct grid_range {
    uint32_t column, row, last_column, last_row;
};

/* A body in a cell, linked to the next one there. Each body has separate entries, one per cell.
 * Fixed bodies come last. */
struct grid_entry {
    uint32_t body, next;
};

struct grid {
    bool is_ready; /* false: walls were added since it was built; all walls and bodies are checked
                      one by one */
    struct vec2 low;
    double cell_m, inverse_cell;
    size_t columns, rows;
    size_t cells_max, items_max, entries_max;
    uint32_t *wall_start; /* by cell, plus one: index of its first wall in ITEMS */
    uint32_t *items;
    uint32_t *body_first; /* by cell: the first entry, or GRID_NONE */
    struct grid_entry *entries;
    uint32_t *loose; /* bodies that are not in the cells */
    size_t loose_count;
};

bool grid_reserve(struct grid *grid, size_t walls, size_t bodies);
void grid_free(struct grid *grid);

/* Inserts all bodies again; does nothing before the grid is built. */
void grid_fill(struct world *world);

/* The cells that a circle may touch. False: the circle reaches beyond the grid. */
bool grid_range_around(const struct grid *grid, struct vec2 middle, double radius_m,
                       struct grid_range *range);

/* Writes the walls near a body, or the bodies near it with numbers of at least LEAST (the body
 * itself may be among them), to the world's FOUND, in order. Returns their number. Two fixed bodies
 * are never near each other. */
size_t grid_find_walls(struct world *world, size_t body);
size_t grid_find_bodies(struct world *world, size_t body, size_t least);
