/* Whether the parts of a scene fit together: places, where robots and things are outlines on the
 * floor; names, memories and links. Needs neither a file nor a world. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scene/custom_robot.h"
#include "sim/scene/scene.h"

/* ---- Outlines on the floor: discs, segments and boxes, and whether they overlap ---- */

/* Chosen: shapes that overlap by less only touch. Far above rounding errors, below any gap that is
 * meant. */
static const double SHAPE_SLACK_M = 1e-6;

/* A disc (one point and a radius), a segment (two points) or a box (four, radius 0). */
struct shape {
    struct vec2 points[4];
    size_t count;
    double radius_m;
    struct vec2 center;
    double reach_m; /* no point of the shape is farther from the center */
};

static struct shape shape_disc(struct vec2 center, double radius_m)
{
    return (struct shape){.points = {center},
                          .count = 1,
                          .radius_m = radius_m,
                          .center = center,
                          .reach_m = radius_m};
}

/* CENTER_X_M: from the pose to the middle of the box, along its heading. */
static struct shape shape_box(struct pose pose, double length_m, double width_m, double center_x_m)
{
    double x = length_m / 2;
    double y = width_m / 2;
    struct shape shape = {
        .count = 4,
        .center = geom_to_world(pose, (struct vec2){center_x_m, 0}),
        .reach_m = sqrt(x * x + y * y),
    };
    const struct vec2 corners[4] = {{x, y}, {-x, y}, {-x, -y}, {x, -y}};
    for (size_t i = 0; i < 4; i++) {
        struct vec2 corner = {corners[i].x + center_x_m, corners[i].y};
        shape.points[i] = geom_to_world(pose, corner);
    }
    return shape;
}

static struct shape shape_of_robot(const struct scene_robot *robot)
{
    struct robot_body body = {0};
    robot_type_body(robot->type, robot->options, &body);
    if (body.shape == ROBOT_BOX)
        return shape_box(robot->pose, body.length_m, body.width_m, body.center_x_m);
    struct vec2 center = geom_to_world(robot->pose, (struct vec2){body.center_x_m, 0});
    return shape_disc(center, body.radius_m);
}

static struct shape shape_of_wall(const struct scene_wall *wall)
{
    struct vec2 center = {(wall->from.x + wall->to.x) / 2, (wall->from.y + wall->to.y) / 2};
    return (struct shape){.points = {wall->from, wall->to},
                          .count = 2,
                          .center = center,
                          .reach_m = hypot(wall->to.x - center.x, wall->to.y - center.y)};
}

static struct shape shape_of_box(const struct scene_box *box)
{
    return shape_box(box->pose, box->length_m, box->width_m, 0);
}

static struct shape shape_of_dock(const struct scene_dock *dock)
{
    return shape_box(dock->pose, SCENE_DOCK_DEPTH_M, SCENE_DOCK_WIDTH_M, 0);
}

static struct shape shape_of_disc(const struct scene_disc *disc)
{
    return shape_disc((struct vec2){disc->pose.x_m, disc->pose.y_m}, disc->radius_m);
}

/* How far a shape's points reach along an axis. */
static void shape_extent(const struct shape *shape, struct vec2 axis, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < shape->count; i++) {
        double along = shape->points[i].x * axis.x + shape->points[i].y * axis.y;
        *least = fmin(*least, along);
        *most = fmax(*most, along);
    }
}

/* Whether a line along an edge of A separates two convex shapes. They are apart if there is such a
 * line for an edge of either. */
static bool shape_edge_separates(const struct shape *a, const struct shape *b)
{
    for (size_t i = 0; i < a->count; i++) {
        struct vec2 from = a->points[i];
        struct vec2 to = a->points[(i + 1) % a->count];
        double length_m = hypot(to.x - from.x, to.y - from.y);
        if (length_m > 0) {
            struct vec2 axis = {(to.y - from.y) / length_m, (from.x - to.x) / length_m};
            double a_least, a_most, b_least, b_most;
            shape_extent(a, axis, &a_least, &a_most);
            shape_extent(b, axis, &b_least, &b_most);
            if (fmax(b_least - a_most, a_least - b_most) > -SHAPE_SLACK_M)
                return true;
        }
    }
    return false;
}

static bool shape_disc_overlaps(const struct shape *disc, const struct shape *other)
{
    double radii_m = disc->radius_m + other->radius_m - SHAPE_SLACK_M;
    for (size_t i = 0; i < other->count; i++)
        if (geom_to_segment_m(other->points[i], other->points[(i + 1) % other->count],
                              disc->center) < radii_m)
            return true;
    return other->count > 2 && geom_in_polygon(other->points, other->count, disc->center);
}

/* By more than a touch. */
static bool shape_overlaps(const struct shape *a, const struct shape *b)
{
    double distance_m = hypot(a->center.x - b->center.x, a->center.y - b->center.y);
    if (distance_m >= a->reach_m + b->reach_m)
        return false;
    if (a->count == 1)
        return shape_disc_overlaps(a, b);
    if (b->count == 1)
        return shape_disc_overlaps(b, a);
    return !shape_edge_separates(a, b) && !shape_edge_separates(b, a);
}

/* Whether the shape lies in the rectangle from LOW to HIGH; touching its edge is inside. */
static bool shape_is_inside(const struct shape *shape, struct vec2 low, struct vec2 high)
{
    double margin_m = shape->radius_m - SHAPE_SLACK_M;
    for (size_t i = 0; i < shape->count; i++) {
        struct vec2 point = shape->points[i];
        if (point.x < low.x + margin_m || point.y < low.y + margin_m ||
            point.x > high.x - margin_m || point.y > high.y - margin_m)
            return false;
    }
    return true;
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
    if (check_is_in_room(scene, point.x, point.y))
        return true;
    return scene_fail(scene, place, error,
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
static struct shape check_edge(const struct scene_polygon *polygon, size_t i)
{
    const struct scene_wall edge = {.from = polygon->points[i],
                                    .to = polygon->points[(i + 1) % polygon->point_count]};
    return shape_of_wall(&edge);
}

/* Whether a shape lies in a polygon, or over one of its edges. */
static bool check_is_on_polygon(const struct scene_polygon *polygon, const struct shape *self)
{
    bool is_on = geom_in_polygon(polygon->points, polygon->point_count, self->center);
    for (size_t i = 0; !is_on && i < polygon->point_count; i++) {
        struct shape edge = check_edge(polygon, i);
        is_on = shape_overlaps(self, &edge);
    }
    return is_on;
}

struct called {
    char text[128];
};

/* What a message calls a thing: its place in the file, or the ends of a wall that comes from a map.
 */
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

static bool check_dock_overlap(const struct scene *scene, size_t dock, const struct shape *other,
                               const char *list, size_t item, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    struct shape shape = shape_of_dock(self);
    if (!shape_overlaps(&shape, other))
        return true;
    return scene_fail(
        scene, self->place, error,
        "world.docks[%zu]: %s at (%g, %g) overlaps %s; its housing is %g x %g m: move one of them",
        dock, self->name, self->pose.x_m, self->pose.y_m, check_call(scene, list, item).text,
        SCENE_DOCK_DEPTH_M, SCENE_DOCK_WIDTH_M);
}

/* In a polygon, or over one of its edges. */
static bool check_dock_polygon(const struct scene *scene, size_t dock, const struct shape *self,
                               size_t item, struct error *error)
{
    const struct scene_polygon *polygon = &scene->polygons[item];
    if (geom_in_polygon(polygon->points, polygon->point_count, self->center))
        return check_dock_overlap(scene, dock, self, "world.polygons", item, error);
    bool is_good = true;
    for (size_t i = 0; is_good && i < polygon->point_count; i++) {
        struct shape edge = check_edge(polygon, i);
        is_good = check_dock_overlap(scene, dock, &edge, "world.polygons", item, error);
    }
    return is_good;
}

static bool check_dock_name(const struct scene *scene, size_t dock, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    for (size_t i = 0; i < dock; i++) {
        if (strcmp(scene->docks[i].name, self->name) == 0) {
            return scene_fail(scene, self->name_place, error,
                              "world.docks[%zu].name: world.docks[%zu] already has the name %s; "
                              "choose another name",
                              dock, i, self->name);
        }
    }
    return true;
}

static bool check_dock(const struct scene *scene, size_t dock, struct error *error)
{
    const struct scene_dock *self = &scene->docks[dock];
    struct shape shape = shape_of_dock(self);
    if (!shape_is_inside(&shape, scene->low, check_high(scene))) {
        return scene_fail(scene, self->place, error,
                          "world.docks[%zu]: %s at (%g, %g) is not inside the room of %g x %g m; "
                          "its housing is %g m deep and %g m wide around that place",
                          dock, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m,
                          scene->size_y_m, SCENE_DOCK_DEPTH_M, SCENE_DOCK_WIDTH_M);
    }
    bool is_good = check_dock_name(scene, dock, error);
    for (size_t i = 0; is_good && i < scene->wall_count; i++) {
        struct shape wall = shape_of_wall(&scene->walls[i]);
        is_good = check_dock_overlap(scene, dock, &wall, "world.walls", i, error);
    }
    for (size_t i = 0; is_good && i < scene->polygon_count; i++)
        is_good = check_dock_polygon(scene, dock, &shape, i, error);
    for (size_t i = 0; is_good && i < scene->box_count; i++) {
        struct shape box = shape_of_box(&scene->boxes[i]);
        is_good = check_dock_overlap(scene, dock, &box, "world.boxes", i, error);
    }
    for (size_t i = 0; is_good && i < scene->disc_count; i++) {
        struct shape disc = shape_of_disc(&scene->discs[i]);
        is_good = check_dock_overlap(scene, dock, &disc, "world.discs", i, error);
    }
    for (size_t i = 0; is_good && i < dock; i++) {
        struct shape other = shape_of_dock(&scene->docks[i]);
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

/* Rounded up to a millimeter, so that the distance in a message suffices. */
static double check_reach_m(const struct shape *shape)
{
    return ceil(shape->reach_m * 1000) / 1000;
}

static bool check_room(const struct scene *scene, size_t robot, const struct shape *shape,
                       struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    if (shape_is_inside(shape, scene->low, check_high(scene)))
        return true;
    return scene_fail(scene, self->pose_place, error,
                      "robots[%zu].pose: %s at (%g, %g) is not inside the room of %g x %g m; keep "
                      "its middle %.3f m from the walls, or enlarge world.size",
                      robot, self->name, self->pose.x_m, self->pose.y_m, scene->size_x_m,
                      scene->size_y_m, check_reach_m(shape));
}

static bool check_overlap(const struct scene *scene, size_t robot, const struct shape *shape,
                          const struct shape *other, const char *list, size_t item,
                          struct error *error)
{
    const struct scene_robot *self = &scene->robots[robot];
    if (!shape_overlaps(shape, other))
        return true;
    return scene_fail(scene, self->pose_place, error,
                      "robots[%zu].pose: %s at (%g, %g) overlaps %s; its radius is %.3f m: move "
                      "one of them",
                      robot, self->name, self->pose.x_m, self->pose.y_m,
                      check_call(scene, list, item).text, check_reach_m(shape));
}

static bool check_polygon(const struct scene *scene, size_t robot, const struct shape *self,
                          size_t item, struct error *error)
{
    const struct scene_polygon *polygon = &scene->polygons[item];
    if (geom_in_polygon(polygon->points, polygon->point_count, self->center))
        return check_overlap(scene, robot, self, self, "world.polygons", item, error);
    for (size_t i = 0; i < polygon->point_count; i++) {
        struct shape shape = check_edge(polygon, i);
        if (!check_overlap(scene, robot, self, &shape, "world.polygons", item, error))
            return false;
    }
    return true;
}

static bool check_robot(const struct scene *scene, size_t robot, const struct shape *shapes,
                        struct error *error)
{
    const struct shape *self = &shapes[robot];
    if (!check_room(scene, robot, self, error))
        return false;
    for (size_t i = 0; i < scene->wall_count; i++) {
        struct shape wall = shape_of_wall(&scene->walls[i]);
        if (!check_overlap(scene, robot, self, &wall, "world.walls", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->polygon_count; i++)
        if (!check_polygon(scene, robot, self, i, error))
            return false;
    for (size_t i = 0; i < scene->box_count; i++) {
        struct shape box = shape_of_box(&scene->boxes[i]);
        if (!check_overlap(scene, robot, self, &box, "world.boxes", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->disc_count; i++) {
        struct shape disc = shape_of_disc(&scene->discs[i]);
        if (!check_overlap(scene, robot, self, &disc, "world.discs", i, error))
            return false;
    }
    for (size_t i = 0; i < scene->dock_count; i++) {
        struct shape dock = shape_of_dock(&scene->docks[i]);
        if (!check_overlap(scene, robot, self, &dock, "world.docks", i, error))
            return false;
    }
    for (size_t i = 0; i < robot; i++)
        if (scene->robots[i].mount.on[0] == '\0' &&
            !check_overlap(scene, robot, self, &shapes[i], "robots", i, error))
            return false;
    return true;
}

/* ---- Movable things among each other: they would be pushed apart, at a cost that grows with the
 * square of their number ---- */

static bool check_apart(const struct scene *scene, size_t box, const char *list, size_t item,
                        const struct shape *self, const struct shape *other, struct error *error)
{
    if (!shape_overlaps(self, other))
        return true;
    return scene_fail(scene, scene->boxes[box].place, error,
                      "world.boxes: boxes[%zu] and %s[%zu] overlap, and movable "
                      "objects may not overlap: move one of them, or leave out mass",
                      box, list, item);
}

static bool check_box(const struct scene *scene, size_t number, const struct shape *boxes,
                      struct error *error)
{
    bool is_movable = scene->boxes[number].mass_kg > 0;
    for (size_t i = number + 1; i < scene->box_count; i++)
        if ((is_movable || scene->boxes[i].mass_kg > 0) &&
            !check_apart(scene, number, "boxes", i, &boxes[number], &boxes[i], error))
            return false;
    for (size_t i = 0; i < scene->disc_count; i++) {
        struct shape disc = shape_of_disc(&scene->discs[i]);
        if ((is_movable || scene->discs[i].mass_kg > 0) &&
            !check_apart(scene, number, "discs", i, &boxes[number], &disc, error))
            return false;
    }
    return true;
}

static bool check_discs(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->disc_count; i++) {
        struct shape self = shape_of_disc(&scene->discs[i]);
        for (size_t k = i + 1; k < scene->disc_count; k++) {
            struct shape other = shape_of_disc(&scene->discs[k]);
            if ((scene->discs[i].mass_kg > 0 || scene->discs[k].mass_kg > 0) &&
                shape_overlaps(&self, &other))
                return scene_fail(scene, scene->discs[i].place, error,
                                  "world.discs: discs[%zu] and discs[%zu] overlap, and movable "
                                  "objects may not overlap: move one of them, or leave out mass",
                                  i, k);
        }
    }
    return true;
}

/* What can be pushed would be pushed out of a wall, to whichever side. */
static bool check_pushed(const struct scene *scene, struct scene_place place, const char *list,
                         size_t item, const struct shape *self, struct error *error)
{
    struct called other = {0};
    if (!shape_is_inside(self, scene->low, check_high(scene)))
        snprintf(other.text, sizeof other.text, "a wall of the room");
    for (size_t i = 0; !other.text[0] && i < scene->wall_count; i++) {
        struct shape wall = shape_of_wall(&scene->walls[i]);
        if (shape_overlaps(self, &wall))
            other = check_call(scene, "world.walls", i);
    }
    for (size_t i = 0; !other.text[0] && i < scene->polygon_count; i++)
        if (check_is_on_polygon(&scene->polygons[i], self))
            other = check_call(scene, "world.polygons", i);
    return !other.text[0] ||
           scene_fail(
               scene, place, error,
               "world.%s[%zu]: a movable object overlaps %s: move one of them, or leave out mass",
               list, item, other.text);
}

static bool check_movables(const struct scene *scene, struct error *error)
{
    struct shape *boxes = calloc(scene->box_count + 1, sizeof *boxes);
    if (!boxes)
        return error_set(error, "%s: out of memory for %zu boxes", scene->file, scene->box_count);
    for (size_t i = 0; i < scene->box_count; i++)
        boxes[i] = shape_of_box(&scene->boxes[i]);
    bool is_good = check_discs(scene, error);
    for (size_t i = 0; is_good && i < scene->disc_count; i++) {
        const struct scene_disc *disc = &scene->discs[i];
        struct shape shape = shape_of_disc(disc);
        is_good = disc->mass_kg <= 0 || check_pushed(scene, disc->place, "discs", i, &shape, error);
    }
    for (size_t i = 0; is_good && i < scene->box_count; i++) {
        const struct scene_box *box = &scene->boxes[i];
        is_good =
            check_box(scene, i, boxes, error) &&
            (box->mass_kg <= 0 || check_pushed(scene, box->place, "boxes", i, &boxes[i], error));
    }
    free(boxes);
    return is_good;
}

static bool check_places(const struct scene *scene, struct error *error)
{
    if (!check_things(scene, error) || !check_movables(scene, error) || !check_docks(scene, error))
        return false;
    struct shape *shapes = calloc(scene->robot_count, sizeof *shapes);
    if (!shapes) {
        return error_set(error, "%s: out of memory for %zu robots", scene->file,
                         scene->robot_count);
    }
    bool is_good = true;
    for (size_t i = 0; is_good && i < scene->robot_count; i++) {
        shapes[i] = shape_of_robot(&scene->robots[i]);
        is_good = scene->robots[i].mount.on[0] != '\0' || check_robot(scene, i, shapes, error);
    }
    free(shapes);
    return is_good;
}

/* ---- Names, memories and links ---- */

static bool check_robot_names(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(scene->robots[i].name, scene->robots[k].name) == 0) {
                return scene_fail(
                    scene, scene->robots[i].name_place, error,
                    "robots[%zu].name: robots[%zu] already has the name %s; choose another name", i,
                    k, scene->robots[k].name);
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
            if (link_address_clash(self->kind, self->address, other->kind, other->address)) {
                return scene_fail(scene, self->place, error,
                                  "robots[%zu].links[%zu]: %s cannot be used together with %s of "
                                  "robots[%zu].links[%zu]; give each link a separate %s",
                                  robot, number, self->address, other->address, i, k,
                                  link_kinds[self->kind].syntax->noun);
            }
        }
    }
    return true;
}

static bool check_links(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < scene->robots[i].link_count; k++)
            if (!check_link(scene, i, k, error))
                return false;
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
                return scene_fail(scene, self->storage_place, error,
                                  "robots[%zu].storage: %s is already the storage of robots[%zu]; "
                                  "give each robot a separate file",
                                  i, self->storage, k);
            }
        }
    }
    return true;
}

static bool check_names(const struct scene *scene, struct error *error)
{
    return check_robot_names(scene, error) && check_storage(scene, error);
}

/* A machine of one's own has what its firmware looks for. */
static bool check_bodies(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *robot = &scene->robots[i];
        const struct custom_robot *own = custom_robot_of(scene->own, robot->type);
        struct error why;
        if (own && !custom_robot_fits(own, robot->options, &why))
            return error_set(error, "%s: %s", own->file, why.text);
    }
    return true;
}

bool scene_check(const struct scene *scene, struct error *error)
{
    return check_bodies(scene, error) && check_names(scene, error) && check_places(scene, error) &&
           check_links(scene, error);
}
