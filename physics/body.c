/* A body of the world: values that depend on its definition and pose, and its motion. */
#include <math.h>

#include "base/angle.h"
#include "physics/world_state.h"

/* Margin for the speed that a body may gain within a step (chosen). */
static const double margin_least_m = 5e-4;

/* A body is inserted into the grid again when it has moved this far. Both are chosen: wider bounds
 * are valid for more steps, but overlap more of the others. The duration of a step hardly depends
 * on it. */
static const double room_margins = 8.0, room_least_m = 0.008;

/* A slower body is at rest, m/s or rad/s (chosen: a decay would reach denormal numbers, which are
 * slow). */
static const double rest_speed = 1e-12;

struct shape body_shape(const struct body_def *def, struct pose pose)
{
    struct shape shape = {.is_disc = def->shape == WORLD_DISC, .radius_m = def->radius_m};
    struct vec2 axis;
    angle_sin_cos(pose.heading_rad, &axis.y, &axis.x);
    shape.axis = axis;
    shape.center.x = pose.x_m + (axis.x * def->offset.x - axis.y * def->offset.y);
    shape.center.y = pose.y_m + (axis.y * def->offset.x + axis.x * def->offset.y);
    shape.half_x_m = 0.5 * def->length_m;
    shape.half_y_m = 0.5 * def->width_m;
    return shape;
}

static void body_turn(struct body *body)
{
    angle_sin_cos(body->pose.heading_rad, &body->shape.axis.y, &body->shape.axis.x);
}

/* ARM: from the origin to the center of mass, world frame. */
static void body_place(struct body *body, struct vec2 arm)
{
    struct vec2 offset = body_direction(body, body->def.offset);
    body->center = (struct vec2){body->pose.x_m + arm.x, body->pose.y_m + arm.y};
    body->shape.center = (struct vec2){body->pose.x_m + offset.x, body->pose.y_m + offset.y};
}

void body_update(struct body *body)
{
    body->shape = body_shape(&body->def, body->pose);
    body_place(body, body_direction(body, body->def.mass_center));
}

void body_move(struct body *body, double dt_s)
{
    struct vec2 v = body->velocity;
    if (fabs(v.x) < rest_speed && fabs(v.y) < rest_speed && fabs(body->turn_rad_s) < rest_speed) {
        body->velocity = (struct vec2){0.0, 0.0};
        body->turn_rad_s = 0.0;
    }
    struct vec2 moved = vec2_scale(dt_s, vec2_add(body->velocity, body->push));
    if (body->is_plain) {
        body->pose.heading_rad += (body->turn_rad_s + body->push_rad_s) * dt_s;
        body_turn(body);
        body->pose.x_m += moved.x;
        body->pose.y_m += moved.y;
        body->center = body->shape.center = (struct vec2){body->pose.x_m, body->pose.y_m};
        return;
    }
    struct vec2 arm = body_direction(body, body->def.mass_center);
    body->pose.heading_rad += (body->turn_rad_s + body->push_rad_s) * dt_s;
    body_turn(body);
    struct vec2 turned = body_direction(body, body->def.mass_center);
    moved = vec2_add(moved, vec2_sub(arm, turned));
    body->pose.x_m += moved.x;
    body->pose.y_m += moved.y;
    body_place(body, turned);
}

void body_set_margin(struct body *body, double dt_s)
{
    double speed =
        fabs(body->velocity.x) + fabs(body->velocity.y) + fabs(body->turn_rad_s) * body->reach_m;
    body->margin_m = 2.0 * speed * dt_s + margin_least_m;
}

void body_file(struct body *body)
{
    body->filed = body->shape.center;
    body->room_m = room_margins * body->margin_m + room_least_m;
    double half = body->extent_m + body->room_m;
    struct vec2 reach = {half, half};
    body->bounds.low = vec2_sub(body->filed, reach);
    body->bounds.high = vec2_add(body->filed, reach);
}

/* Inertia of a uniform shape about the center of mass, by Steiner's theorem if that is not the
 * shape's center. */
static double uniform_inertia(const struct body_def *def)
{
    struct vec2 off = vec2_sub(def->mass_center, def->offset);
    double square = def->shape == WORLD_DISC
                        ? def->radius_m * def->radius_m / 2.0
                        : (def->length_m * def->length_m + def->width_m * def->width_m) / 12.0;
    return def->mass_kg * (square + vec2_dot(off, off));
}

void body_set_mass(struct body *body)
{
    struct body_def *def = &body->def;
    if (def->inertia_kg_m2 <= 0.0)
        def->inertia_kg_m2 = uniform_inertia(def);
    bool is_free = def->mass_kg > 0.0 && !body->is_lifted;
    body->inverse_mass = is_free ? 1.0 / def->mass_kg : 0.0;
    body->inverse_inertia = is_free ? 1.0 / def->inertia_kg_m2 : 0.0;

    struct vec2 off = vec2_sub(def->offset, def->mass_center);
    body->is_plain = vec2_dot(def->offset, def->offset) == 0.0 &&
                     vec2_dot(def->mass_center, def->mass_center) == 0.0;
    body->reach_m = sqrt(vec2_dot(off, off));
    body->extent_m = def->radius_m;
    if (def->shape == WORLD_BOX) {
        struct vec2 half = {0.5 * def->length_m, 0.5 * def->width_m};
        body->extent_m = sqrt(vec2_dot(half, half));
        body->reach_m += body->extent_m;
    }
}

struct vec2 body_origin_velocity(const struct body *body)
{
    if (body->is_plain)
        return body->velocity;
    struct vec2 back = body_direction(body, vec2_scale(-1.0, body->def.mass_center));
    return body_velocity_at(body, back);
}
