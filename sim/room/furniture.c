/* Copies of the shapes of a scene. */
#include "sim/room/furniture.h"

#include <stdlib.h>
#include <string.h>

#include "sim/room/scenery.h"

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

static bool copy_things(struct surroundings *self, const struct scene *scene)
{
    self->wall_room = scene->wall_count + SURROUNDINGS_SPARE_WALLS;
    self->box_room = scene->box_count + SURROUNDINGS_SPARE_BOXES;
    self->walls = calloc(self->wall_room, sizeof *self->walls);
    self->boxes = calloc(self->box_room, sizeof *self->boxes);
    self->discs = calloc(scene->disc_count + 1, sizeof *self->discs);
    if (!self->walls || !self->boxes || !self->discs)
        return false;
    for (size_t i = 0; i < scene->wall_count; i++)
        self->walls[self->wall_count++].wall = scene->walls[i];
    for (size_t i = 0; i < scene->box_count; i++)
        self->boxes[self->box_count++].box = scene->boxes[i];
    for (size_t i = 0; i < scene->disc_count; i++)
        self->discs[self->disc_count++].disc = scene->discs[i];
    return true;
}

bool surroundings_create(struct surroundings *self, const struct scene *scene)
{
    memcpy(self->title, scene->name, sizeof self->title);
    self->generation = 1;
    self->room = scenery_room(scene);
    self->dock_names = calloc(scene->dock_count + 1, sizeof *self->dock_names);
    if (!self->dock_names || !copy_things(self, scene))
        return false;
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
