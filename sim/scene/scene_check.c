/* What would not fit together in a scene: places. Works without a file too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/room/dock.h"
#include "sim/scene/scene.h"
#include "sim/scene/scene_check.h"
#include "sim/scene/scene_shape.h"

/* ---- Things in the room ---- */

/* The upper right corner of the room. */
static struct vec2 check_high(const struct scene *scene)
{
    return (struct vec2){scene->low.x + scene->size_x_m, scene->low.y + scene->size_y_m};
}

static bool check_is_in_room(const struct scene *scene, double x_m, double y_m)
{
    struct vec2 low = scene->low;
    struct vec2 high = check_high(scene);
    return x_m >= low.x && y_m >= low.y && x_m <= high.x && y_m <= high.y;
}

static bool check_thing(const struct scene *scene, struct scene_place place, const char *list,
                        size_t item, const char *what, struct vec2 point, struct error *error)
{
    if (check_is_in_room(scene, point.x, point.y))
        return true;
    return scene_check_fail(
        scene, place, error,
        "world.%s[%zu]: %s (%g, %g) is outside the room; allowed: x from %g to %g, "
        "y from %g to %g",
        list, item, what, point.x, point.y, scene->low.x, scene->low.x + scene->size_x_m,
        scene->low.y, scene->low.y + scene->size_y_m);
}

static bool check_things(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->wall_count; i++) {
        const struct scene_wall *wall = &scene->walls[i];
        if (!check_thing(scene, wall->place, "walls", i, "the end", wall->from, error) ||
            !check_thing(scene, wall->place, "walls", i, "the end", wall->to, error))
            return false;
    }
    for (size_t i = 0; i < scene->polygon_count; i++) {
        const struct scene_polygon *polygon = &scene->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++)
            if (!check_thing(scene, polygon->place, "polygons", i, "the corner", polygon->points[k],
                             error))
                return false;
    }
    for (size_t i = 0; i < scene->box_count; i++) {
        const struct scene_box *box = &scene->boxes[i];
        struct vec2 center = {box->pose.x_m, box->pose.y_m};
        if (!check_thing(scene, box->place, "boxes", i, "the center", center, error))
            return false;
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        const struct scene_disc *disc = &scene->discs[i];
        struct vec2 center = {disc->pose.x_m, disc->pose.y_m};
        if (!check_thing(scene, disc->place, "discs", i, "the center", center, error))
            return false;
    }
    for (size_t i = 0; i < scene->cliff_count; i++) {
        const struct scene_cliff *cliff = &scene->cliffs[i];
        for (size_t k = 0; k < cliff->point_count; k++)
            if (!check_thing(scene, cliff->place, "cliffs", i, "the corner", cliff->points[k],
                             error))
                return false;
    }
    return true;
}

/* Edge number I of a polygon. */
static struct scene_shape check_edge(const struct scene_polygon *polygon, size_t i)
{
    const struct scene_wall edge = {.from = polygon->points[i],
                                    .to = polygon->points[(i + 1) % polygon->point_count]};
    return scene_shape_of_wall(&edge);
}

struct called {
    char text[128];
};

/* How a sentence calls a thing: as the file does, or a wall that the file has only as a map. */
static struct called check_call(const struct scene *scene, const char *list, size_t item)
{
    struct called called;
    const struct scene_wall *wall = strcmp(list, "world.walls") == 0 ? &scene->walls[item] : NULL;
    if (wall && scene->has_map && wall->place.line == scene->map_place.line &&
        wall->place.column == scene->map_place.column) {
        snprintf(called.text, sizeof called.text, "a wall of world.map, (%g, %g) to (%g, %g)",
                 wall->from.x, wall->from.y, wall->to.x, wall->to.y);
    } else {
        snprintf(called.text, sizeof called.text, "%s[%zu]", list, item);
    }
    return called;
}

/* ---- Docks ---- */

static bool check_dock_overlap(const struct scene *scene, size_t dock,
                               const struct scene_shape *other, const char *list, size_t item,
                               struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    struct scene_shape shape = scene_shape_of_dock(self);
    if (!scene_shape_overlaps(&shape, other))
        return true;
    return scene_check_fail(
        scene, self->place, error,
        "world.docks[%zu]: %s at (%g, %g) overlaps %s; its housing is %g x %g m: move one of them",
        dock, self->name, self->pose.x_m, self->pose.y_m, check_call(scene, list, item).text,
        DOCK_DEPTH_M, DOCK_WIDTH_M);
}

/* In a polygon, or over one of its edges. */
static bool check_dock_polygon(const struct scene *scene, size_t dock,
                               const struct scene_shape *self, size_t item, struct error *error)
{
    const struct scene_polygon *polygon = &scene->polygons[item];
    if (geom_in_polygon(polygon->points, polygon->point_count, self->center))
        return check_dock_overlap(scene, dock, self, "world.polygons", item, error);
    bool is_good = true;
    for (size_t i = 0; is_good && i < polygon->point_count; i++) {
        struct scene_shape edge = check_edge(polygon, i);
        is_good = check_dock_overlap(scene, dock, &edge, "world.polygons", item, error);
    }
    return is_good;
}

static bool check_dock_name(const struct scene *scene, size_t dock, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    for (size_t i = 0; i < dock; i++) {
        if (strcmp(scene->docks[i].name, self->name) == 0) {
            return scene_check_fail(scene, self->name_place, error,
                                    "world.docks[%zu].name: world.docks[%zu] is called %s already; "
                                    "choose another name",
                                    dock, i, self->name);
        }
    }
    return true;
}

static bool check_dock(const struct scene *scene, size_t dock, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    struct scene_shape shape = scene_shape_of_dock(self);
    if (!scene_shape_is_inside(&shape, scene->low, check_high(scene))) {
        return scene_check_fail(
            scene, self->place, error,
            "world.docks[%zu]: %s at (%g, %g) is not inside the room of %g x %g m; "
            "its housing is %g m deep and %g m wide around that place",
            dock, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m, scene->size_y_m,
            DOCK_DEPTH_M, DOCK_WIDTH_M);
    }
    bool is_good = check_dock_name(scene, dock, error);
    for (size_t i = 0; is_good && i < scene->wall_count; i++) {
        struct scene_shape wall = scene_shape_of_wall(&scene->walls[i]);
        is_good = check_dock_overlap(scene, dock, &wall, "world.walls", i, error);
    }
    for (size_t i = 0; is_good && i < scene->polygon_count; i++)
        is_good = check_dock_polygon(scene, dock, &shape, i, error);
    for (size_t i = 0; is_good && i < scene->box_count; i++) {
        struct scene_shape box = scene_shape_of_box(&scene->boxes[i]);
        is_good = check_dock_overlap(scene, dock, &box, "world.boxes", i, error);
    }
    for (size_t i = 0; is_good && i < scene->disc_count; i++) {
        struct scene_shape disc = scene_shape_of_disc(&scene->discs[i]);
        is_good = check_dock_overlap(scene, dock, &disc, "world.discs", i, error);
    }
    for (size_t i = 0; is_good && i < dock; i++) {
        struct scene_shape other = scene_shape_of_dock(&scene->docks[i]);
        is_good = check_dock_overlap(scene, dock, &other, "world.docks", i, error);
    }
    return is_good;
}

static bool check_docks(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->dock_count; i++)
        if (!check_dock(scene, i, error))
            return false;
    return true;
}

/* ---- Robots among them ---- */

/* Rounded up to a millimeter, so that whoever obeys a message has done enough. */
static double check_reach_m(const struct scene_shape *shape)
{
    return ceil(shape->reach_m * 1000) / 1000;
}

static bool check_room(const struct scene *scene, size_t robot, const struct scene_shape *shape,
                       struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    if (scene_shape_is_inside(shape, scene->low, check_high(scene)))
        return true;
    return scene_check_fail(
        scene, self->pose_place, error,
        "robots[%zu].pose: %s at (%g, %g) is not inside the room of %g x %g m; keep "
        "its middle %.3f m from the walls, or enlarge world.size",
        robot, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m, scene->size_y_m,
        check_reach_m(shape));
}

static bool check_overlap(const struct scene *scene, size_t robot, const struct scene_shape *shape,
                          const struct scene_shape *other, const char *list, size_t item,
                          struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    if (!scene_shape_overlaps(shape, other))
        return true;
    return scene_check_fail(
        scene, self->pose_place, error,
        "robots[%zu].pose: %s at (%g, %g) overlaps %s; it reaches %.3f m around its "
        "middle: move one of them",
        robot, self->name, self->pose.x_m, self->pose.y_m, check_call(scene, list, item).text,
        check_reach_m(shape));
}

static bool check_polygon(const struct scene *scene, size_t robot, const struct scene_shape *self,
                          size_t item, struct error *error)
{
    const struct scene_polygon *polygon = &scene->polygons[item];
    if (geom_in_polygon(polygon->points, polygon->point_count, self->center))
        return check_overlap(scene, robot, self, self, "world.polygons", item, error);
    for (size_t i = 0; i < polygon->point_count; i++) {
        struct scene_shape shape = check_edge(polygon, i);
        if (!check_overlap(scene, robot, self, &shape, "world.polygons", item, error))
            return false;
    }
    return true;
}

static bool check_robot(const struct scene *scene, size_t robot, const struct scene_shape *shapes,
                        struct error *error)
{
    const struct scene_shape *self = &shapes[robot];
    if (!check_room(scene, robot, self, error))
        return false;
    for (size_t i = 0; i < scene->wall_count; i++) {
        struct scene_shape wall = scene_shape_of_wall(&scene->walls[i]);
        if (!check_overlap(scene, robot, self, &wall, "world.walls", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->polygon_count; i++)
        if (!check_polygon(scene, robot, self, i, error))
            return false;
    for (size_t i = 0; i < scene->box_count; i++) {
        struct scene_shape box = scene_shape_of_box(&scene->boxes[i]);
        if (!check_overlap(scene, robot, self, &box, "world.boxes", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        struct scene_shape disc = scene_shape_of_disc(&scene->discs[i]);
        if (!check_overlap(scene, robot, self, &disc, "world.discs", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->dock_count; i++) {
        struct scene_shape dock = scene_shape_of_dock(&scene->docks[i]);
        if (!check_overlap(scene, robot, self, &dock, "world.docks", i, error))
            return false;
    }
    for (size_t i = 0; i < robot; i++)
        if (!check_overlap(scene, robot, self, &shapes[i], "robots", i, error))
            return false;
    return true;
}

static bool check_places(const struct scene *scene, struct error *error)
{
    if (!check_things(scene, error) || !check_docks(scene, error))
        return false;
    struct scene_shape *shapes = calloc(scene->robot_count, sizeof *shapes);
    if (!shapes) {
        return error_set(error, "%s: out of memory for %zu robots", scene->file,
                         scene->robot_count);
    }
    bool is_good = true;
    for (size_t i = 0; is_good && i < scene->robot_count; i++) {
        shapes[i] = scene_shape_of_robot(&scene->robots[i]);
        is_good = check_robot(scene, i, shapes, error);
    }
    free(shapes);
    return is_good;
}

bool scene_check(const struct scene *scene, struct error *error)
{
    return scene_check_names(scene, error) && check_places(scene, error) &&
           scene_check_links(scene, error);
}
