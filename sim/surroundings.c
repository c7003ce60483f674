/* Copies of the shapes of a scene. */
#include "sim/surroundings.h"

#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *copy = calloc(count + 1, size);
    if (copy && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

static bool copy_polygons(struct surroundings *self, const struct scene *scene)
{
    self->polygons = calloc(scene->polygon_count + 1, sizeof *self->polygons);
    if (!self->polygons)
        return false;
    for (size_t i = 0; i < scene->polygon_count; i++) {
        struct scene_polygon *polygon = &self->polygons[self->polygon_count++];
        *polygon = scene->polygons[i];
        polygon->points =
            copy_of(scene->polygons[i].points, polygon->point_count, sizeof *polygon->points);
        if (!polygon->points)
            return false;
    }
    return true;
}

bool surroundings_create(struct surroundings *self, const struct scene *scene)
{
    memcpy(self->title, scene->name, sizeof self->title);
    self->generation = 1;
    self->walls = copy_of(scene->walls, scene->wall_count, sizeof *self->walls);
    self->boxes = copy_of(scene->boxes, scene->box_count, sizeof *self->boxes);
    self->discs = copy_of(scene->discs, scene->disc_count, sizeof *self->discs);
    self->dock_names = calloc(scene->dock_count + 1, sizeof *self->dock_names);
    if (!self->walls || !self->boxes || !self->discs || !self->dock_names)
        return false;
    self->wall_count = scene->wall_count;
    self->box_count = scene->box_count;
    self->disc_count = scene->disc_count;
    self->dock_count = scene->dock_count;
    for (size_t i = 0; i < scene->dock_count; i++)
        memcpy(self->dock_names[i], scene->docks[i].name, sizeof self->dock_names[i]);
    return copy_polygons(self, scene);
}

void surroundings_destroy(struct surroundings *self)
{
    for (size_t i = 0; i < self->polygon_count; i++)
        free(self->polygons[i].points);
    free(self->polygons);
    free(self->walls);
    free(self->boxes);
    free(self->discs);
    free(self->dock_names);
}
