/* A pass over a pair of wheels on steppers, shared by those who make passes. Private to the physics
 * folder. */
#ifndef PTYBOT_PHYSICS_PAIR_H
#define PTYBOT_PHYSICS_PAIR_H

#include <math.h>

#include "base/number.h"
#include "physics/world_state.h"

/* What passes change, and what a step prescribes. */
struct pair_run {
    struct local velocity;
    struct vec2 left, right;          /* impulses along and across, Ns */
    double left_m_s, right_m_s;       /* speeds of the rims */
    double left_square, right_square; /* of the greatest impulses */
};

/* The new impulse of a wheel that wants to take away HOLD_NS, or slides as the floor does not hold
 * it: then against the slip. */
static inline struct vec2 pair_wheel(struct vec2 now_ns, double square, double slip,
                                     double sideways, double give_ns, struct vec2 hold_ns)
{
    struct vec2 wanted = vec2_sub(now_ns, hold_ns);
    if (vec2_dot(wanted, wanted) <= square)
        return wanted;
    wanted = vec2_sub(now_ns, (struct vec2){slip * give_ns, sideways * give_ns});
    double large = vec2_dot(wanted, wanted);
    return large > square ? vec2_scale(sqrt(square / large), wanted) : wanted;
}

/* Both wheels at once, so that what holds is exact; returns the largest change of a velocity. */
static inline double pair_pass(const struct pair *pair, double inverse_mass, struct pair_run *run)
{
    struct local *v = &run->velocity;
    double left_slip = v->x + pair->left_lever_m * v->turn_rad_s - run->left_m_s;
    double right_slip = v->x + pair->right_lever_m * v->turn_rad_s - run->right_m_s;
    double sideways = v->y + pair->across_lever_m * v->turn_rad_s;
    double across_ns = pair->across_ns * sideways;
    struct vec2 left = pair_wheel(
        run->left, run->left_square, left_slip, sideways, pair->slide_ns,
        (struct vec2){pair->left_ns * left_slip + pair->both_ns * right_slip, across_ns});
    struct vec2 right = pair_wheel(
        run->right, run->right_square, right_slip, sideways, pair->slide_ns,
        (struct vec2){pair->both_ns * left_slip + pair->right_ns * right_slip, across_ns});
    struct vec2 left_step = vec2_sub(left, run->left);
    struct vec2 right_step = vec2_sub(right, run->right);
    run->left = left;
    run->right = right;
    double across_step = left_step.y + right_step.y;
    v->x += inverse_mass * (left_step.x + right_step.x);
    v->y += inverse_mass * across_step;
    v->turn_rad_s += (pair->left_kick_turn * left_step.x + pair->right_kick_turn * right_step.x) +
                     pair->across_kick_turn * across_step;
    double across = number_larger(fabs(left_step.y), fabs(right_step.y)) * pair->across_slope;
    double along =
        number_larger(fabs(left_step.x) * pair->left_slope, fabs(right_step.x) * pair->right_slope);
    return number_larger(along, across);
}

#endif
