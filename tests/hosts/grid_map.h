/* An occupancy grid, and the true map: rays go in, a score and a picture come out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct grid_map;

/* Reads the map of a map_server YAML file (image, resolution, origin). The grid starts unknown,
 * with cells of half the pixel size. NULL: it cannot be read. */
struct grid_map *grid_map_open(const char *yaml);
void grid_map_close(struct grid_map *self);

/* The cells between the scanner and the end of the ray are free; the end is occupied. */
void grid_map_ray(struct grid_map *self, double from_x_m, double from_y_m, double to_x_m,
                  double to_y_m);

struct grid_map_score {
    size_t cells;  /* occupied cells */
    double good;   /* fraction of them within 0.1 m of the surface of a wall */
    double mean_m; /* distance to that */
    double seen;   /* fraction of the walls' surface with an occupied cell within 0.1 m */
};
struct grid_map_score grid_map_compare(const struct grid_map *self);

/* Writes a picture: free white, walls black, unknown gray, and undetected parts of the true walls
 * red. */
bool grid_map_picture(const struct grid_map *self, const char *path);
