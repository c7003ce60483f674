/* Outlines on the floor: discs, segments and boxes, and whether they overlap. */
#include "sim/scene/scene_shape.h"

#include <math.h>

#include "protocols/robot.h"
#include "sim/room/dock.h"

static const double SHAPE_SLACK_M = 1e-6;

static struct scene_shape shape_disc(struct vec2 center, double radius_m)
{
    return (struct scene_shape){.points = {center},
                                .count = 1,
                                .radius_m = radius_m,
                                .center = center,
                                .reach_m = radius_m};
}

/* CENTER_X: of the box, from the pose along its heading. */
static struct scene_shape shape_box(struct pose pose, double length_m, double width_m,
                                    double center_x_m)
{
    double x = length_m / 2;
    double y = width_m / 2;
    struct scene_shape shape = {
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

struct scene_shape scene_shape_of_robot(const struct scene_robot *robot)
{
    struct robot_body body = {0};
    robot->type->body(robot->options, &body);
    if (body.shape == ROBOT_BOX)
        return shape_box(robot->pose, body.length_m, body.width_m, body.center_x_m);
    struct vec2 center = geom_to_world(robot->pose, (struct vec2){body.center_x_m, 0});
    return shape_disc(center, body.radius_m);
}

struct scene_shape scene_shape_of_wall(const struct scene_wall *wall)
{
    struct vec2 center = {(wall->from.x + wall->to.x) / 2, (wall->from.y + wall->to.y) / 2};
    return (struct scene_shape){.points = {wall->from, wall->to},
                                .count = 2,
                                .center = center,
                                .reach_m = hypot(wall->to.x - center.x, wall->to.y - center.y)};
}

struct scene_shape scene_shape_of_box(const struct scene_box *box)
{
    return shape_box(box->pose, box->length_m, box->width_m, 0);
}

struct scene_shape scene_shape_of_dock(const struct scene_dock *dock)
{
    return shape_box(dock->pose, DOCK_DEPTH_M, DOCK_WIDTH_M, 0);
}

struct scene_shape scene_shape_of_disc(const struct scene_disc *disc)
{
    return shape_disc((struct vec2){disc->pose.x_m, disc->pose.y_m}, disc->radius_m);
}

/* How far a shape's points reach along an axis. */
static void shape_extent(const struct scene_shape *shape, struct vec2 axis, double *least,
                         double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < shape->count; i++) {
        double along = shape->points[i].x * axis.x + shape->points[i].y * axis.y;
        *least = fmin(*least, along);
        *most = fmax(*most, along);
    }
}

/* Whether a line along an edge of A separates two polygons or segments: two convex shapes are apart
 * where such a line exists for an edge of one of them. */
static bool shape_edge_separates(const struct scene_shape *a, const struct scene_shape *b)
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

static bool shape_disc_overlaps(const struct scene_shape *disc, const struct scene_shape *other)
{
    double radii_m = disc->radius_m + other->radius_m - SHAPE_SLACK_M;
    for (size_t i = 0; i < other->count; i++)
        if (geom_to_segment_m(other->points[i], other->points[(i + 1) % other->count],
                              disc->center) < radii_m)
            return true;
    return other->count > 2 && geom_in_polygon(other->points, other->count, disc->center);
}

bool scene_shape_overlaps(const struct scene_shape *a, const struct scene_shape *b)
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

bool scene_shape_is_inside(const struct scene_shape *shape, struct vec2 low, struct vec2 high)
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
