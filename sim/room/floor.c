/* The shade of the floor: a picture, polygons upon it, lines upon all. */
#include "sim/room/floor.h"

#include <stdlib.h>
#include <string.h>

#include "sim/state/state.h"

/* The pixel under a point, without blending: a line in a picture keeps its edge. */
static double picture_at(const struct sim *sim, struct vec2 point)
{
    const struct scene_floor *floor = &sim->floor;
    double x = (point.x - sim->low.x) / sim->size_x_m * (double)floor->width;
    double y = (point.y - sim->low.y) / sim->size_y_m * (double)floor->height;
    double right = (double)floor->width - 1, top = (double)floor->height - 1;
    size_t column = x > 0 ? (size_t)(x < right ? x : right) : 0;
    size_t row = y > 0 ? (size_t)(y < top ? y : top) : 0;
    return floor->gray[(floor->height - 1 - row) * floor->width + column] / 255.0;
}

double floor_reflectance(const struct sim *sim, struct vec2 point)
{
    for (size_t i = sim->line_count; i-- > 0;) {
        const struct scene_line *line = &sim->lines[i];
        if (geom_to_segment_m(line->from, line->to, point) <= line->width_m / 2)
            return line->reflectance;
    }
    for (size_t i = sim->shade_count; i-- > 0;) {
        const struct scene_shade *shade = &sim->shades[i];
        if (geom_in_polygon(shade->points, shade->point_count, point))
            return shade->reflectance;
    }
    return sim->floor.gray ? picture_at(sim, point) : 1;
}

static bool copy_shades(struct sim *sim, const struct scene *scene)
{
    sim->shades = calloc(scene->shade_count + 1, sizeof *sim->shades);
    if (!sim->shades)
        return false;
    for (size_t i = 0; i < scene->shade_count; i++) {
        struct scene_shade *shade = &sim->shades[i];
        size_t size = scene->shades[i].point_count * sizeof *shade->points;
        *shade = scene->shades[i];
        shade->points = malloc(size);
        if (!shade->points)
            return false;
        memcpy(shade->points, scene->shades[i].points, size);
        sim->shade_count++;
    }
    return true;
}

bool floor_create(struct sim *sim, const struct scene *scene)
{
    sim->lines = calloc(scene->line_count + 1, sizeof *sim->lines);
    if (!sim->lines || !copy_shades(sim, scene))
        return false;
    for (size_t i = 0; i < scene->line_count; i++)
        sim->lines[i] = scene->lines[i];
    sim->line_count = scene->line_count;
    if (!scene->floor.gray)
        return true;
    size_t size = scene->floor.width * scene->floor.height;
    sim->floor = scene->floor;
    sim->floor.gray = malloc(size);
    if (sim->floor.gray)
        memcpy(sim->floor.gray, scene->floor.gray, size);
    return sim->floor.gray != NULL;
}

void floor_destroy(struct sim *sim)
{
    for (size_t i = 0; i < sim->shade_count; i++)
        free(sim->shades[i].points);
    free(sim->shades);
    free(sim->lines);
    free(sim->floor.gray);
}
