/* What would not fit together in a scene: places, names, links. Works without a file too. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/dock.h"
#include "sim/scene.h"
#include "sim/scene_address.h"
#include "sim/scene_shape.h"
#include "sim/sim.h"

/* Fails with `file:line:column: sentence`; without line and column for a place of line 0. */
static bool check_fail(const struct scene *scene, struct scene_place place, struct error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool check_fail(const struct scene *scene, struct scene_place place, struct error *error,
                       const char *format, ...)
{
    struct error sentence;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence.text, sizeof sentence.text, format, arguments);
    va_end(arguments);
    if (place.line == 0) {
        return error_set(error, "%s: %s", scene->file, sentence.text);
    }
    return error_set(error, "%s:%u:%u: %s", scene->file, place.line, place.column, sentence.text);
}

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
    if (check_is_in_room(scene, point.x, point.y)) {
        return true;
    }
    return check_fail(scene, place, error,
                      "world.%s[%zu]: %s (%g, %g) is outside the room; allowed: x from %g to %g, "
                      "y from %g to %g",
                      list, item, what, point.x, point.y, scene->low.x,
                      scene->low.x + scene->size_x_m, scene->low.y, scene->low.y + scene->size_y_m);
}

static bool check_things(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->wall_count; i++) {
        const struct scene_wall *wall = &scene->walls[i];
        if (!check_thing(scene, wall->place, "walls", i, "the end", wall->from, error) ||
            !check_thing(scene, wall->place, "walls", i, "the end", wall->to, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->polygon_count; i++) {
        const struct scene_polygon *polygon = &scene->polygons[i];
        for (size_t k = 0; k < polygon->point_count; k++) {
            if (!check_thing(scene, polygon->place, "polygons", i, "the corner", polygon->points[k],
                             error)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < scene->box_count; i++) {
        const struct scene_box *box = &scene->boxes[i];
        struct vec2 center = {box->pose.x_m, box->pose.y_m};
        if (!check_thing(scene, box->place, "boxes", i, "the center", center, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        const struct scene_disc *disc = &scene->discs[i];
        struct vec2 center = {disc->pose.x_m, disc->pose.y_m};
        if (!check_thing(scene, disc->place, "discs", i, "the center", center, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->cliff_count; i++) {
        const struct scene_cliff *cliff = &scene->cliffs[i];
        for (size_t k = 0; k < cliff->point_count; k++) {
            if (!check_thing(scene, cliff->place, "cliffs", i, "the corner", cliff->points[k],
                             error)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Docks ---- */

static bool check_dock_overlap(const struct scene *scene, size_t dock,
                               const struct scene_shape *other, const char *list, size_t item,
                               struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    struct scene_shape shape = scene_shape_of_dock(self);
    if (!scene_shape_overlaps(&shape, other)) {
        return true;
    }
    return check_fail(
        scene, self->place, error,
        "world.docks[%zu]: %s at (%g, %g) overlaps world.%s[%zu]; its housing is %g x "
        "%g m: move one of them",
        dock, self->name, self->pose.x_m, self->pose.y_m, list, item, DOCK_DEPTH_M, DOCK_WIDTH_M);
}

static bool check_dock_name(const struct scene *scene, size_t dock, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    for (size_t i = 0; i < dock; i++) {
        if (strcmp(scene->docks[i].name, self->name) == 0) {
            return check_fail(scene, self->name_place, error,
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
        return check_fail(scene, self->place, error,
                          "world.docks[%zu]: %s at (%g, %g) is not inside the room of %g x %g m; "
                          "its housing is %g m deep and %g m wide around that place",
                          dock, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m,
                          scene->size_y_m, DOCK_DEPTH_M, DOCK_WIDTH_M);
    }
    bool is_good = check_dock_name(scene, dock, error);
    for (size_t i = 0; is_good && i < scene->wall_count; i++) {
        struct scene_shape wall = scene_shape_of_wall(&scene->walls[i]);
        is_good = check_dock_overlap(scene, dock, &wall, "walls", i, error);
    }
    for (size_t i = 0; is_good && i < scene->box_count; i++) {
        struct scene_shape box = scene_shape_of_box(&scene->boxes[i]);
        is_good = check_dock_overlap(scene, dock, &box, "boxes", i, error);
    }
    for (size_t i = 0; is_good && i < scene->disc_count; i++) {
        struct scene_shape disc = scene_shape_of_disc(&scene->discs[i]);
        is_good = check_dock_overlap(scene, dock, &disc, "discs", i, error);
    }
    for (size_t i = 0; is_good && i < dock; i++) {
        struct scene_shape other = scene_shape_of_dock(&scene->docks[i]);
        is_good = check_dock_overlap(scene, dock, &other, "docks", i, error);
    }
    return is_good;
}

static bool check_docks(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->dock_count; i++) {
        if (!check_dock(scene, i, error)) {
            return false;
        }
    }
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
    if (scene_shape_is_inside(shape, scene->low, check_high(scene))) {
        return true;
    }
    return check_fail(scene, self->pose_place, error,
                      "robots[%zu].pose: %s at (%g, %g) is not inside the room of %g x %g m; keep "
                      "its middle %.3f m from the walls, or enlarge world.size",
                      robot, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m,
                      scene->size_y_m, check_reach_m(shape));
}

static bool check_overlap(const struct scene *scene, size_t robot, const struct scene_shape *shape,
                          const struct scene_shape *other, const char *list, size_t item,
                          struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    if (!scene_shape_overlaps(shape, other)) {
        return true;
    }
    return check_fail(scene, self->pose_place, error,
                      "robots[%zu].pose: %s at (%g, %g) overlaps %s[%zu]; it reaches %.3f m around "
                      "its middle: move one of them",
                      robot, self->name, self->pose.x_m, self->pose.y_m, list, item,
                      check_reach_m(shape));
}

static bool check_polygon(const struct scene *scene, size_t robot, const struct scene_shape *self,
                          size_t item, struct error *error)
{
    const struct scene_polygon *polygon = &scene->polygons[item];
    if (geom_in_polygon(polygon->points, polygon->point_count, self->center)) {
        return check_overlap(scene, robot, self, self, "world.polygons", item, error);
    }
    for (size_t i = 0; i < polygon->point_count; i++) {
        const struct scene_wall edge = {.from = polygon->points[i],
                                        .to = polygon->points[(i + 1) % polygon->point_count]};
        struct scene_shape shape = scene_shape_of_wall(&edge);
        if (!check_overlap(scene, robot, self, &shape, "world.polygons", item, error)) {
            return false;
        }
    }
    return true;
}

static bool check_robot(const struct scene *scene, size_t robot, const struct scene_shape *shapes,
                        struct error *error)
{
    const struct scene_shape *self = &shapes[robot];
    if (!check_room(scene, robot, self, error)) {
        return false;
    }
    for (size_t i = 0; i < scene->wall_count; i++) {
        struct scene_shape wall = scene_shape_of_wall(&scene->walls[i]);
        if (!check_overlap(scene, robot, self, &wall, "world.walls", i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->polygon_count; i++) {
        if (!check_polygon(scene, robot, self, i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->box_count; i++) {
        struct scene_shape box = scene_shape_of_box(&scene->boxes[i]);
        if (!check_overlap(scene, robot, self, &box, "world.boxes", i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        struct scene_shape disc = scene_shape_of_disc(&scene->discs[i]);
        if (!check_overlap(scene, robot, self, &disc, "world.discs", i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->dock_count; i++) {
        struct scene_shape dock = scene_shape_of_dock(&scene->docks[i]);
        if (!check_overlap(scene, robot, self, &dock, "world.docks", i, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < robot; i++) {
        if (!check_overlap(scene, robot, self, &shapes[i], "robots", i, error)) {
            return false;
        }
    }
    return true;
}

static bool check_places(const struct scene *scene, struct error *error)
{
    if (!check_things(scene, error) || !check_docks(scene, error)) {
        return false;
    }
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

/* ---- Names and links ---- */

static bool check_names(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(scene->robots[i].name, scene->robots[k].name) == 0) {
                return check_fail(scene, scene->robots[i].name_place, error,
                                  "robots[%zu].name: robots[%zu] is called %s already; choose "
                                  "another name",
                                  i, k, scene->robots[k].name);
            }
        }
    }
    return true;
}

/* One link against all links before it. */
static bool check_link(const struct scene *scene, size_t robot, size_t number, struct error *error)
{
    const struct scene_link *self = &scene->robots[robot].links[number];
    for (size_t i = 0; i <= robot; i++) {
        size_t count = i < robot ? scene->robots[i].link_count : number;
        for (size_t k = 0; k < count; k++) {
            const struct scene_link *other = &scene->robots[i].links[k];
            if (scene_address_clash(self, other)) {
                return check_fail(scene, self->place, error,
                                  "robots[%zu].links[%zu]: %s cannot be used beside %s of "
                                  "robots[%zu].links[%zu]; give each link %s of its own",
                                  robot, number, self->address, other->address, i, k,
                                  self->carrier == SCENE_TCP ? "an address" : "a path");
            }
        }
    }
    return true;
}

static bool check_links(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < scene->robots[i].link_count; k++) {
            if (!check_link(scene, i, k, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Two robots would overwrite each other's memory. */
static bool check_storage(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *self = &scene->robots[i];
        for (size_t k = 0; k < i && self->storage[0] != '\0'; k++) {
            if (strcmp(self->storage, scene->robots[k].storage) == 0) {
                return check_fail(scene, self->storage_place, error,
                                  "robots[%zu].storage: %s is the memory of robots[%zu] already; "
                                  "give each robot a file of its own",
                                  i, self->storage, k);
            }
        }
    }
    return true;
}

bool scene_check(const struct scene *scene, struct error *error)
{
    return check_names(scene, error) && check_storage(scene, error) && check_places(scene, error) &&
           check_links(scene, error) && sim_check_script(scene, error);
}
