/* Discs and boxes: separating axes, contact points by clipping, rays. */
#include "physics/shape.h"

#include <math.h>

#include "base/number.h"
#include "physics/geom.h"

/* A box along a wall that overlaps it by less than this ignores the wall's end, so that it slides
 * over the joint between two walls (chosen, well above the tolerated overlap). */
static const double grazing_m = 0.002;
/* Minimum advantage of an axis over an earlier one, to replace it; keeps the choice stable
 * (chosen). */
static const double axis_bias_m = 1e-5;

struct vec2 shape_extent(const struct shape *shape)
{
    if (shape->is_disc)
        return (struct vec2){shape->radius_m, shape->radius_m};
    double x = fabs(shape->axis.x);
    double y = fabs(shape->axis.y);
    return (struct vec2){x * shape->half_x_m + y * shape->half_y_m,
                         y * shape->half_x_m + x * shape->half_y_m};
}

static size_t touch_discs(const struct shape *first, const struct shape *second, double margin_m,
                          struct touch *touches)
{
    struct vec2 arm = vec2_sub(first->center, second->center);
    double distance = sqrt(vec2_dot(arm, arm));
    double gap = distance - first->radius_m - second->radius_m;
    if (gap > margin_m)
        return 0;
    struct vec2 normal = {1.0, 0.0};
    if (distance > 0.0)
        normal = vec2_scale(1.0 / distance, arm);
    double reach = second->radius_m + 0.5 * gap;
    touches[0] = (struct touch){vec2_add(second->center, vec2_scale(reach, normal)), normal, gap};
    return 1;
}

static size_t touch_disc_box(const struct shape *disc, const struct shape *box, double margin_m,
                             struct touch *touches)
{
    struct vec2 x_axis = box->axis;
    struct vec2 y_axis = vec2_left(box->axis);
    struct vec2 arm = vec2_sub(disc->center, box->center);
    struct vec2 local = {vec2_dot(arm, x_axis), vec2_dot(arm, y_axis)};
    struct vec2 nearest = {number_clamp(local.x, box->half_x_m),
                           number_clamp(local.y, box->half_y_m)};
    struct vec2 away = vec2_sub(local, nearest);
    double distance = sqrt(vec2_dot(away, away));
    struct vec2 normal;
    if (distance > 0.0) {
        normal = vec2_scale(1.0 / distance, away);
    } else {
        /* The disc's center is inside the box: the normal points out through the nearest face. */
        double depth_x = box->half_x_m - fabs(local.x);
        double depth_y = box->half_y_m - fabs(local.y);
        if (depth_x < depth_y) {
            distance = -depth_x;
            normal = (struct vec2){local.x < 0.0 ? -1.0 : 1.0, 0.0};
        } else {
            distance = -depth_y;
            normal = (struct vec2){0.0, local.y < 0.0 ? -1.0 : 1.0};
        }
    }
    double gap = distance - disc->radius_m;
    if (gap > margin_m)
        return 0;
    normal = vec2_add(vec2_scale(normal.x, x_axis), vec2_scale(normal.y, y_axis));
    /* The point is on the disc even if there is a gap: its lever is the radius. */
    touches[0].point = vec2_sub(disc->center, vec2_scale(disc->radius_m, normal));
    touches[0].normal = normal;
    touches[0].gap_m = gap;
    return 1;
}

/* Half the length of a box's projection on a direction. */
static double box_projection(const struct shape *box, struct vec2 direction)
{
    return box->half_x_m * fabs(vec2_dot(box->axis, direction)) +
           box->half_y_m * fabs(vec2_dot(vec2_left(box->axis), direction));
}

/* A face of one box, and the distance of the other box from it. */
struct face {
    const struct shape *owner, *other;
    struct vec2 normal; /* outwards */
    double reach_m;     /* from the owner's center to the face */
    double half_m;      /* half the face's length */
    double gap_m;
};

static struct face make_face(const struct shape *owner, const struct shape *other, bool is_x)
{
    struct vec2 axis = is_x ? owner->axis : vec2_left(owner->axis);
    double offset = vec2_dot(vec2_sub(other->center, owner->center), axis);
    struct face face = {.owner = owner, .other = other};
    face.reach_m = is_x ? owner->half_x_m : owner->half_y_m;
    face.half_m = is_x ? owner->half_y_m : owner->half_x_m;
    face.normal = offset < 0.0 ? vec2_scale(-1.0, axis) : axis;
    face.gap_m = fabs(offset) - face.reach_m - box_projection(other, axis);
    return face;
}

/* The edge of a box that faces a direction most directly, as two points. */
static void facing_edge(const struct shape *box, struct vec2 direction, struct vec2 *edge)
{
    struct vec2 y_axis = vec2_left(box->axis);
    double along_x = vec2_dot(box->axis, direction);
    double along_y = vec2_dot(y_axis, direction);
    struct vec2 x_arm = vec2_scale(along_x > 0.0 ? -box->half_x_m : box->half_x_m, box->axis);
    struct vec2 y_arm = vec2_scale(along_y > 0.0 ? -box->half_y_m : box->half_y_m, y_axis);
    struct vec2 corner = vec2_add(box->center, vec2_add(x_arm, y_arm));
    struct vec2 side = fabs(along_x) > fabs(along_y) ? y_arm : x_arm;
    edge[0] = corner;
    edge[1] = vec2_sub(corner, vec2_scale(2.0, side));
}

/* Cuts off the part of an edge beyond LIMIT along a direction; false if nothing is left. */
static bool clip_edge(struct vec2 *edge, struct vec2 direction, double limit)
{
    double a = vec2_dot(edge[0], direction) - limit;
    double b = vec2_dot(edge[1], direction) - limit;
    if (a > 0.0 && b > 0.0)
        return false;
    if (a > 0.0)
        edge[0] = vec2_add(edge[0], vec2_scale(a / (a - b), vec2_sub(edge[1], edge[0])));
    else if (b > 0.0)
        edge[1] = vec2_add(edge[1], vec2_scale(b / (b - a), vec2_sub(edge[0], edge[1])));
    return true;
}

static size_t touch_face(const struct face *face, bool owner_is_first, double margin_m,
                         struct touch *touches)
{
    struct vec2 side = vec2_left(face->normal);
    double middle = vec2_dot(face->owner->center, side);
    double level = vec2_dot(face->owner->center, face->normal) + face->reach_m;
    struct vec2 edge[2];
    facing_edge(face->other, face->normal, edge);
    if (!clip_edge(edge, side, middle + face->half_m) ||
        !clip_edge(edge, vec2_scale(-1.0, side), face->half_m - middle))
        return 0;

    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        double gap = vec2_dot(edge[i], face->normal) - level;
        if (gap > margin_m)
            continue;
        if (count == 1 && edge[0].x == edge[1].x && edge[0].y == edge[1].y)
            continue;
        touches[count].point = edge[i];
        touches[count].normal = owner_is_first ? vec2_scale(-1.0, face->normal) : face->normal;
        touches[count].gap_m = gap;
        count++;
    }
    return count;
}

static size_t touch_boxes(const struct shape *first, const struct shape *second, double margin_m,
                          struct touch *touches)
{
    /* The long faces of the second box come first, since it may be a wall. */
    struct face faces[4] = {
        make_face(second, first, false),
        make_face(first, second, false),
        make_face(first, second, true),
        make_face(second, first, true),
    };
    size_t best = 0;
    for (size_t i = 0; i < 4; i++) {
        if (faces[i].gap_m > margin_m)
            return 0;
        if (faces[i].gap_m > faces[best].gap_m + axis_bias_m)
            best = i;
    }
    bool is_wall = second->half_y_m == 0.0;
    if (is_wall && faces[0].gap_m > -grazing_m)
        best = 0;
    return touch_face(&faces[best], faces[best].owner == first, margin_m, touches);
}

size_t shape_touch(const struct shape *first, const struct shape *second, double margin_m,
                   struct touch *touches)
{
    if (first->is_disc && second->is_disc)
        return touch_discs(first, second, margin_m, touches);
    if (first->is_disc)
        return touch_disc_box(first, second, margin_m, touches);
    if (!second->is_disc)
        return touch_boxes(first, second, margin_m, touches);
    size_t count = touch_disc_box(second, first, margin_m, touches);
    if (count == 1)
        touches[0].normal = vec2_scale(-1.0, touches[0].normal);
    return count;
}

static double ray_disc_m(const struct shape *disc, struct vec2 from, struct vec2 direction)
{
    struct vec2 arm = vec2_sub(disc->center, from);
    double square = vec2_dot(arm, arm) - disc->radius_m * disc->radius_m;
    if (square <= 0.0)
        return 0.0;
    double along = vec2_dot(arm, direction);
    double root = along * along - square;
    if (along < 0.0 || root < 0.0)
        return INFINITY;
    return along - sqrt(root);
}

double shape_ray_m(const struct shape *shape, struct vec2 from, struct vec2 direction)
{
    if (shape->is_disc)
        return ray_disc_m(shape, from, direction);

    /* The section of the ray inside both slabs of the box. */
    struct vec2 arm = vec2_sub(from, shape->center);
    struct vec2 y_axis = vec2_left(shape->axis);
    const double start[2] = {vec2_dot(arm, shape->axis), vec2_dot(arm, y_axis)};
    const double slope[2] = {vec2_dot(direction, shape->axis), vec2_dot(direction, y_axis)};
    const double half[2] = {shape->half_x_m, shape->half_y_m};
    double enter = 0.0;
    double leave = INFINITY;
    for (size_t i = 0; i < 2; i++) {
        if (slope[i] == 0.0) {
            if (fabs(start[i]) > half[i])
                return INFINITY;
            continue;
        }
        double a = (-half[i] - start[i]) / slope[i];
        double b = (half[i] - start[i]) / slope[i];
        double nearer = a < b ? a : b;
        double farther = a < b ? b : a;
        enter = nearer > enter ? nearer : enter;
        leave = farther < leave ? farther : leave;
    }
    return enter <= leave ? enter : INFINITY;
}

double shape_ray_wall_m(const struct shape *wall, struct vec2 from, struct vec2 direction)
{
    struct vec2 arm = vec2_sub(wall->center, from);
    double slant = vec2_cross(direction, wall->axis);
    double along = vec2_cross(arm, wall->axis);
    double aside = vec2_cross(arm, direction);
    if (slant == 0.0) /* parallel: it may meet an end */
        return shape_ray_m(wall, from, direction);
    if (fabs(aside) > wall->half_x_m * fabs(slant))
        return INFINITY;
    double distance = along / slant;
    return distance >= 0.0 ? distance : INFINITY;
}
