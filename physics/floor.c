/* What the floor does to bodies that slide on it: those without wheels, and those with wheels over
 * an edge. Leaves out how the weight shifts when a body is pushed. */
#include <math.h>

#include "base/number.h"
#include "physics/world_state.h"

/* Mean distance of a shape's points from its center: lever of sliding friction against turning. */
static double sliding_lever_m(const struct body_def *def)
{
    if (def->shape == WORLD_DISC)
        return 2.0 / 3.0 * def->radius_m;
    /* 0.27 of the diagonal: exact for a square, 8 % above for a thin rod. */
    return 0.27 * sqrt(def->length_m * def->length_m + def->width_m * def->width_m);
}

/* By how much friction acts against turning for what it acts against sliding, per turn rate and
 * speed, m2. Each point of the shape is rubbed along its own velocity. In a slow turn the sum gives
 * the mean square of how far the points lie ahead of and behind the center, in a slow slide on a
 * fast turn the 2/3 of a disc's radius squared; between the two it is taken along a line (chosen:
 * within a few percent of the sum). */
static double sliding_spread_m2(const struct body *body)
{
    const struct body_def *def = &body->def;
    double x = vec2_dot(body->velocity, body->shape.axis);
    double y = vec2_cross(body->shape.axis, body->velocity);
    double slide = x * x + y * y;
    double slow = def->radius_m * def->radius_m / 4.0;
    if (def->shape == WORLD_BOX) {
        double part = slide > 0.0 ? x * x / slide : 0.5;
        slow = (part * def->length_m * def->length_m + (1.0 - part) * def->width_m * def->width_m) /
               12.0;
    }
    double lever = sliding_lever_m(def);
    double turn = body->turn_rad_s * body->turn_rad_s * lever * lever;
    double part = turn > 0.0 ? turn / (slide + turn) : 0.0;
    return (1.0 - part) * slow + part * 1.5 * lever * lever;
}

void floor_prepare(struct body *body, double part, double dt_s)
{
    if (body->inverse_mass == 0.0)
        part = 0.0;
    double weight = part * body->def.mass_kg * WORLD_GRAVITY_M_S2;
    body->floor_limit_ns = body->def.floor_friction * weight * dt_s;
    body->floor_limit_nms = body->floor_limit_ns * sliding_lever_m(&body->def);
    if (body->floor_limit_ns == 0.0) {
        body->floor_ns = (struct vec2){0.0, 0.0};
        body->floor_nms = 0.0;
    }
    body->velocity = vec2_add(body->velocity, vec2_scale(body->inverse_mass, body->floor_ns));
    body->turn_rad_s += body->inverse_inertia * body->floor_nms;
}

double floor_relax(struct body *body)
{
    if (body->floor_limit_ns == 0.0)
        return 0.0;
    struct vec2 wanted = vec2_sub(body->floor_ns, vec2_scale(body->def.mass_kg, body->velocity));
    double turn = body->floor_nms - body->turn_rad_s / body->inverse_inertia;

    /* Sliding and turning share the friction: the bound is an ellipsoid. */
    struct vec2 part = vec2_scale(1.0 / body->floor_limit_ns, wanted);
    double turn_part = turn / body->floor_limit_nms;
    double size = sqrt(vec2_dot(part, part) + turn_part * turn_part);
    if (size > 1.0) {
        turn = body->floor_nms - body->def.mass_kg * sliding_spread_m2(body) * body->turn_rad_s;
        turn_part = turn / body->floor_limit_nms;
        size = number_larger(1.0, sqrt(vec2_dot(part, part) + turn_part * turn_part));
        wanted = vec2_scale(1.0 / size, wanted);
        turn /= size;
    }
    struct vec2 step = vec2_scale(body->inverse_mass, vec2_sub(wanted, body->floor_ns));
    double turn_step = body->inverse_inertia * (turn - body->floor_nms);
    body->floor_ns = wanted;
    body->floor_nms = turn;
    body->velocity = vec2_add(body->velocity, step);
    body->turn_rad_s += turn_step;
    double reach = body->floor_limit_nms / body->floor_limit_ns;
    return number_larger(number_larger(fabs(step.x), fabs(step.y)), fabs(turn_step) * reach);
}
