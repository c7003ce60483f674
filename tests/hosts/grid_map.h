/* An occupancy grid beside the map that is the truth: rays go in, a score and a picture come out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct grid_map;

/* Reads the map of a map_server YAML file (image, resolution, origin); the grid begins unknown, of
 * half that resolution. NULL: it cannot be read. */
struct grid_map *grid_map_open(const char *yaml);
void grid_map_close(struct grid_map *self);

/* The way from a scanner to what its ray has met is free, and there is something at its end. */
void grid_map_ray(struct grid_map *self, double from_x_m, double from_y_m, double to_x_m,
                  double to_y_m);

struct grid_map_score {
    size_t cells;  /* occupied */
    double good;   /* share of them within 0.1 m of the surface of a wall */
    double mean_m; /* distance to that */
    double seen;   /* share of the walls' surface that has an occupied cell within 0.1 m */
};
struct grid_map_score grid_map_compare(const struct grid_map *self);

/* Free white, walls black, unknown gray, and the true walls red where nothing was seen. */
bool grid_map_picture(const struct grid_map *self, const char *path);
