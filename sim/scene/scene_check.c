/* Checks whether the parts of a scene fit together: positions, with robots and objects as outlines
 * on the floor; names, memories and links. Needs neither files nor a world. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scene/custom_robot.h"
#include "sim/scene/scene.h"

/* ---- Outlines on the floor: discs, segments and boxes, and whether they overlap ---- */

/* Chosen: shapes that overlap by less only touch. Far above rounding errors, below any intended
 * gap. */
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

/* Extent of a shape's points along an axis. */
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

/* Whether a line along an edge of A separates two convex shapes. They do not overlap if such a line
 * exists for an edge of either shape. */
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

/* Whether two shapes overlap by more than a touch. */
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

/* Whether the shape is inside the rectangle from LOW to HIGH; a shape that touches its edge is
 * inside. */
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

/* ---- Objects in the room ---- */

/* The upper right corner of the room. */
static struct vec2 check_high(const struct scene *scene)
{
    return (struct vec2){scene->low.x + scene->size_x_m, scene->low.y + scene->size_y_m};
}

static bool check_points(const struct scene *scene, struct scene_place place, const char *list,
                         size_t item, const char *what, const struct vec2 *points, size_t count,
                         struct error *error)
{
    struct vec2 low = scene->low, high = check_high(scene);
    for (size_t i = 0; i < count; i++)
        if (!(points[i].x >= low.x && points[i].y >= low.y && points[i].x <= high.x &&
              points[i].y <= high.y))
            return scene_fail(scene, place, error,
                              "world.%s[%zu]: %s (%g, %g) is outside the room; allowed: x from %g "
                              "to %g, y from %g to %g",
                              list, item, what, points[i].x, points[i].y, low.x, high.x, low.y,
                              high.y);
    return true;
}

static bool check_inside(const struct scene *scene, struct error *error)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < scene->wall_count; i++) {
        const struct scene_wall *wall = &scene->walls[i];
        const struct vec2 ends[] = {wall->from, wall->to};
        is_good = check_points(scene, wall->place, "walls", i, "the end", ends, 2, error);
    }
    for (size_t i = 0; is_good && i < scene->polygon_count; i++) {
        const struct scene_polygon *polygon = &scene->polygons[i];
        is_good = check_points(scene, polygon->place, "polygons", i, "the corner", polygon->points,
                               polygon->point_count, error);
    }
    for (size_t i = 0; is_good && i < scene->box_count; i++) {
        const struct scene_box *box = &scene->boxes[i];
        struct vec2 center = {box->pose.x_m, box->pose.y_m};
        is_good = check_points(scene, box->place, "boxes", i, "the center", &center, 1, error);
    }
    for (size_t i = 0; is_good && i < scene->disc_count; i++) {
        const struct scene_disc *disc = &scene->discs[i];
        struct vec2 center = {disc->pose.x_m, disc->pose.y_m};
        is_good = check_points(scene, disc->place, "discs", i, "the center", &center, 1, error);
    }
    for (size_t i = 0; is_good && i < scene->cliff_count; i++) {
        const struct scene_cliff *cliff = &scene->cliffs[i];
        is_good = check_points(scene, cliff->place, "cliffs", i, "the corner", cliff->points,
                               cliff->point_count, error);
    }
    return is_good;
}

/* ---- Overlaps ---- */

/* An object with an outline. Objects are listed by kind: objects of the room, docks, robots. */
struct thing {
    const char *list; /* "world.boxes" */
    size_t item;
    struct scene_place place;
    struct shape shape;                  /* not for a polygon */
    const struct scene_polygon *polygon; /* of the next three, two are NULL */
    const struct scene_dock *dock;
    const struct scene_robot *robot;
    double mass_kg; /* 0: it cannot be pushed */
};

/* Lists all objects of a scene except robots on other robots; returns their number. */
static size_t list_things(const struct scene *scene, struct thing *things)
{
    struct thing *end = things;
    for (size_t i = 0; i < scene->wall_count; i++)
        *end++ = (struct thing){.list = "world.walls",
                                .item = i,
                                .place = scene->walls[i].place,
                                .shape = shape_of_wall(&scene->walls[i])};
    for (size_t i = 0; i < scene->polygon_count; i++)
        *end++ =
            (struct thing){.list = "world.polygons", .item = i, .polygon = &scene->polygons[i]};
    for (size_t i = 0; i < scene->box_count; i++)
        *end++ = (struct thing){.list = "world.boxes",
                                .item = i,
                                .place = scene->boxes[i].place,
                                .shape = shape_of_box(&scene->boxes[i]),
                                .mass_kg = scene->boxes[i].mass_kg};
    for (size_t i = 0; i < scene->disc_count; i++)
        *end++ = (struct thing){.list = "world.discs",
                                .item = i,
                                .place = scene->discs[i].place,
                                .shape = shape_of_disc(&scene->discs[i]),
                                .mass_kg = scene->discs[i].mass_kg};
    for (size_t i = 0; i < scene->dock_count; i++)
        *end++ = (struct thing){.list = "world.docks",
                                .item = i,
                                .place = scene->docks[i].place,
                                .shape = shape_of_dock(&scene->docks[i]),
                                .dock = &scene->docks[i]};
    for (size_t i = 0; i < scene->robot_count; i++)
        if (scene->robots[i].mount.on[0] == '\0')
            *end++ = (struct thing){.list = "robots",
                                    .item = i,
                                    .place = scene->robots[i].pose_place,
                                    .shape = shape_of_robot(&scene->robots[i]),
                                    .robot = &scene->robots[i]};
    return (size_t)(end - things);
}

/* Whether a shape is inside a polygon, or on one of its edges. */
static bool check_is_on_polygon(const struct scene_polygon *polygon, const struct shape *self)
{
    bool is_on = geom_in_polygon(polygon->points, polygon->point_count, self->center);
    for (size_t i = 0; !is_on && i < polygon->point_count; i++) {
        const struct scene_wall edge = {.from = polygon->points[i],
                                        .to = polygon->points[(i + 1) % polygon->point_count]};
        struct shape shape = shape_of_wall(&edge);
        is_on = shape_overlaps(self, &shape);
    }
    return is_on;
}

static bool thing_overlaps(const struct thing *thing, const struct shape *shape)
{
    return thing->polygon ? check_is_on_polygon(thing->polygon, shape)
                          : shape_overlaps(shape, &thing->shape);
}

/* The first object before END that overlaps SELF, or NULL. */
static const struct thing *find_overlap(const struct thing *things, const struct thing *end,
                                        const struct shape *self)
{
    for (; things < end; things++)
        if (thing_overlaps(things, self))
            return things;
    return NULL;
}

struct called {
    char text[128];
};

/* The name of an object in messages: its place in the file, or the ends of a wall from a map. */
static struct called check_call(const struct scene *scene, const struct thing *thing)
{
    struct called called;
    const struct scene_wall *wall =
        strcmp(thing->list, "world.walls") == 0 ? &scene->walls[thing->item] : NULL;
    if (wall && scene->has_map && wall->place.line == scene->map_place.line &&
        wall->place.column == scene->map_place.column) {
        snprintf(called.text, sizeof called.text, "a wall of world.map, (%g, %g) to (%g, %g)",
                 wall->from.x, wall->from.y, wall->to.x, wall->to.y);
    } else {
        snprintf(called.text, sizeof called.text, "%s[%zu]", thing->list, thing->item);
    }
    return called;
}

/* ---- Each kind of object, compared with those before it ---- */

static bool check_dock(const struct scene *scene, const struct thing *things,
                       const struct thing *self, struct error *error)
{
    const struct scene_dock *dock = self->dock;
    if (!shape_is_inside(&self->shape, scene->low, check_high(scene)))
        return scene_fail(scene, dock->place, error,
                          "world.docks[%zu]: %s at (%g, %g) is not inside the room of %g x %g m; "
                          "its housing is %g m deep and %g m wide around that place",
                          self->item, dock->name, dock->pose.x_m, dock->pose.y_m, scene->size_x_m,
                          scene->size_y_m, SCENE_DOCK_DEPTH_M, SCENE_DOCK_WIDTH_M);
    for (size_t i = 0; i < self->item; i++)
        if (strcmp(scene->docks[i].name, dock->name) == 0)
            return scene_fail(scene, dock->name_place, error,
                              "world.docks[%zu].name: world.docks[%zu] already has the name %s; "
                              "choose another name",
                              self->item, i, dock->name);
    const struct thing *other = find_overlap(things, self, &self->shape);
    return !other ||
           scene_fail(scene, dock->place, error,
                      "world.docks[%zu]: %s at (%g, %g) overlaps %s; its housing is %g x %g m: "
                      "move one of them",
                      self->item, dock->name, dock->pose.x_m, dock->pose.y_m,
                      check_call(scene, other).text, SCENE_DOCK_DEPTH_M, SCENE_DOCK_WIDTH_M);
}

static bool check_robot(const struct scene *scene, const struct thing *things,
                        const struct thing *self, struct error *error)
{
    const struct scene_robot *robot = self->robot;
    // Rounded up to a millimeter, so that the distance in a message is sufficient.
    double reach_m = ceil(self->shape.reach_m * 1000) / 1000;
    if (!shape_is_inside(&self->shape, scene->low, check_high(scene)))
        return scene_fail(scene, self->place, error,
                          "robots[%zu].pose: %s at (%g, %g) is not inside the room of %g x %g m; "
                          "keep its middle %.3f m from the walls, or enlarge world.size",
                          self->item, robot->name, robot->pose.x_m, robot->pose.y_m,
                          scene->size_x_m, scene->size_y_m, reach_m);
    const struct thing *other = find_overlap(things, self, &self->shape);
    return !other ||
           scene_fail(scene, self->place, error,
                      "robots[%zu].pose: %s at (%g, %g) overlaps %s; its radius is %.3f m: move "
                      "one of them",
                      self->item, robot->name, robot->pose.x_m, robot->pose.y_m,
                      check_call(scene, other).text, reach_m);
}

/* Movable objects must not overlap walls or each other. The physics would push an object out of a
 * wall to either side, and separate movable objects at a cost that grows with the square of their
 * number. */
static bool check_pushed(const struct scene *scene, const struct thing *things,
                         const struct thing *self, struct error *error)
{
    const struct thing *boxes = things + scene->wall_count + scene->polygon_count;
    bool is_inside = shape_is_inside(&self->shape, scene->low, check_high(scene));
    const struct thing *wall =
        self->mass_kg > 0 && is_inside ? find_overlap(things, boxes, &self->shape) : NULL;
    if (self->mass_kg > 0 && (wall || !is_inside))
        return scene_fail(
            scene, self->place, error,
            "%s[%zu]: a movable object overlaps %s: move one of them, or leave out mass",
            self->list, self->item, wall ? check_call(scene, wall).text : "a wall of the room");
    for (const struct thing *other = boxes; other < self; other++)
        if ((self->mass_kg > 0 || other->mass_kg > 0) && thing_overlaps(other, &self->shape))
            return scene_fail(scene, other->place, error,
                              "%s: %s[%zu] and %s[%zu] overlap, and movable objects may not "
                              "overlap: move one of them, or leave out mass",
                              other->list, other->list + sizeof "world", other->item,
                              self->list + sizeof "world", self->item);
    return true;
}

static bool check_places(const struct scene *scene, struct error *error)
{
    size_t most = scene->wall_count + scene->polygon_count + scene->box_count + scene->disc_count +
                  scene->dock_count + scene->robot_count;
    size_t first_box = scene->wall_count + scene->polygon_count;
    if (!check_inside(scene, error))
        return false;
    struct thing *things = calloc(most + 1, sizeof *things);
    if (!things)
        return error_set(error, "%s: out of memory for %zu things", scene->file, most);
    size_t count = list_things(scene, things);
    bool is_good = true;
    for (size_t i = first_box; is_good && i < count; i++)
        is_good = things[i].robot  ? check_robot(scene, things, &things[i], error)
                  : things[i].dock ? check_dock(scene, things, &things[i], error)
                                   : check_pushed(scene, things, &things[i], error);
    free(things);
    return is_good;
}

/* ---- Names, memories and links ---- */

static bool check_robot_names(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(scene->robots[i].name, scene->robots[k].name) == 0)
                return scene_fail(
                    scene, scene->robots[i].name_place, error,
                    "robots[%zu].name: robots[%zu] already has the name %s; choose another name", i,
                    k, scene->robots[k].name);
        }
    }
    return true;
}

/* Compares one link with all links before it. */
static bool check_link(const struct scene *scene, size_t robot, size_t number, struct error *error)
{
    const struct scene_link *self = &scene->robots[robot].links[number];
    for (size_t i = 0; i <= robot; i++) {
        size_t count = i < robot ? scene->robots[i].link_count : number;
        for (size_t k = 0; k < count; k++) {
            const struct scene_link *other = &scene->robots[i].links[k];
            if (link_address_clash(self->kind, self->address, other->kind, other->address))
                return scene_fail(scene, self->place, error,
                                  "robots[%zu].links[%zu]: %s cannot be used together with %s of "
                                  "robots[%zu].links[%zu]; give each link a separate %s",
                                  robot, number, self->address, other->address, i, k,
                                  link_kinds[self->kind].syntax->noun);
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

/* Two robots with the same file would overwrite each other's memory. */
static bool check_storage(const struct scene *scene, struct error *error)
{
    for (size_t i = 0; i < scene->robot_count; i++) {
        const struct scene_robot *self = &scene->robots[i];
        for (size_t k = 0; k < i && self->storage[0] != '\0'; k++) {
            if (strcmp(self->storage, scene->robots[k].storage) == 0)
                return scene_fail(scene, self->storage_place, error,
                                  "robots[%zu].storage: %s is already the storage of robots[%zu]; "
                                  "give each robot a separate file",
                                  i, self->storage, k);
        }
    }
    return true;
}

/* A machine from a body file must have the parts that its firmware needs. */
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
    return check_bodies(scene, error) && check_robot_names(scene, error) &&
           check_storage(scene, error) && check_places(scene, error) && check_links(scene, error);
}
