/* Two plain wheels on one axle, the commonest drive: both are solved at once. Steppers on such
 * wheels tell the body's velocity, as long as the floor can give what that takes. */
#include <math.h>

#include "physics/world_state.h"

/* Wheels are on one axle if it misses them by no more (chosen: far below what can be built). */
static const double axle_slack_m = 1e-9;

/* Two plain wheels that stand side by side and drive along x. */
static bool is_pair(const struct wheels *wheels)
{
    const struct traction *left = &wheels->traction[0], *right = &wheels->traction[1];
    return wheels->drive.def.wheel_count == 2 && left->is_plain && right->is_plain &&
           left->along.x == 1.0 && right->along.x == 1.0 && left->along.slope > 0.0 &&
           fabs(left->across.lever_m - right->across.lever_m) < axle_slack_m &&
           fabs(left->along.lever_m - right->along.lever_m) > axle_slack_m;
}

void pair_make(struct wheels *wheels)
{
    const struct grip *left = &wheels->traction[0].along, *right = &wheels->traction[1].along;
    struct pair *pair = &wheels->pair;
    pair->is_one = is_pair(wheels);
    if (!pair->is_one)
        return;
    double both = left->kick_x + left->lever_m * right->kick_turn;
    double inverse = 1.0 / (left->slope * right->slope - both * both);
    pair->left_ns = right->slope * inverse;
    pair->right_ns = left->slope * inverse;
    pair->both_ns = -both * inverse;
    pair->across_ns = 0.5 * wheels->traction[0].across.inverse_slope;
    /* Both by one measure, and so that the two do not overshoot together. */
    double most = number_larger(left->slope, right->slope) + fabs(both);
    pair->slide_ns = number_smaller(1.0 / most, pair->across_ns);
    pair->inverse_track = 1.0 / (left->lever_m - right->lever_m);
}

/* What a wheel of a pair changes: at once with the other one. */
static double change_pair_wheel(struct traction *traction, double slip, double sideways,
                                double give_ns, struct vec2 hold_ns, struct vec2 *step_ns)
{
    struct vec2 wanted = {traction->along_ns - hold_ns.x, traction->across_ns - hold_ns.y};
    double limit = traction->limit_ns * traction->limit_ns;
    if (vec2_dot(wanted, wanted) > limit) {
        wanted.x = traction->along_ns - slip * give_ns;
        wanted.y = traction->across_ns - sideways * give_ns;
        double square = vec2_dot(wanted, wanted);
        if (square > limit)
            wanted = vec2_scale(traction->limit_ns / sqrt(square), wanted);
    }
    *step_ns = (struct vec2){wanted.x - traction->along_ns, wanted.y - traction->across_ns};
    traction->along_ns = wanted.x;
    traction->across_ns = wanted.y;
    return number_larger(fabs(step_ns->x) * traction->along.slope,
                         fabs(step_ns->y) * traction->across.slope);
}

double pair_relax(const struct body *body, struct wheels *wheels, struct local *local)
{
    struct traction *left = &wheels->traction[0], *right = &wheels->traction[1];
    const struct pair *pair = &wheels->pair;
    double turn = local->turn_rad_s;
    double left_slip = local->x + left->along.lever_m * turn - left->reach_m * left->speed_rad_s;
    double right_slip =
        local->x + right->along.lever_m * turn - right->reach_m * right->speed_rad_s;
    double sideways = local->y + left->across.lever_m * turn;
    double across_ns = pair->across_ns * sideways;
    struct vec2 left_ns, right_ns;
    double change = change_pair_wheel(
        left, left_slip, sideways, pair->slide_ns,
        (struct vec2){pair->left_ns * left_slip + pair->both_ns * right_slip, across_ns}, &left_ns);
    double other = change_pair_wheel(
        right, right_slip, sideways, pair->slide_ns,
        (struct vec2){pair->both_ns * left_slip + pair->right_ns * right_slip, across_ns},
        &right_ns);
    local->x += body->inverse_mass * (left_ns.x + right_ns.x);
    local->y += body->inverse_mass * (left_ns.y + right_ns.y);
    local->turn_rad_s += (left->along.kick_turn * left_ns.x + right->along.kick_turn * right_ns.x) +
                         left->across.kick_turn * (left_ns.y + right_ns.y);
    wheels->has_changed = true;
    return number_larger(change, other);
}

/* Steppers on one axle tell the body's velocity, if the floor can give what that takes at once. */
static bool hold_pair(const struct body *body, struct wheels *wheels, struct local *local)
{
    const struct drive *drive = &wheels->drive;
    const struct grip *left = &wheels->traction[0].along, *right = &wheels->traction[1].along;
    const struct grip *across = &wheels->traction[0].across;
    double left_m_s = wheels->traction[0].reach_m * drive->input[0];
    double right_m_s = wheels->traction[1].reach_m * drive->input[1];
    double turn = (left_m_s - right_m_s) * wheels->pair.inverse_track;
    double forward = left_m_s - left->lever_m * turn;
    double aside = -across->lever_m * turn;

    /* The impulses of the floor that take it there; across, each wheel bears half. */
    double along_ns = body->def.mass_kg * (forward - local->x);
    double across_ns = body->def.mass_kg * (aside - local->y);
    double moment = body->def.inertia_kg_m2 * (turn - local->turn_rad_s);
    double left_ns = (moment - across->lever_m * across_ns - right->lever_m * along_ns) *
                     wheels->pair.inverse_track;
    double right_ns = along_ns - left_ns;
    double left_most = wheels->limit_ns * (1.0 - drive->slip[0]);
    double right_most = wheels->limit_ns * (1.0 - drive->slip[1]);
    double each = 0.25 * across_ns * across_ns;
    if (left_ns * left_ns + each > left_most * left_most ||
        right_ns * right_ns + each > right_most * right_most)
        return false;
    *local = (struct local){forward, aside, turn};
    return true;
}

bool pair_step(struct body *body, struct wheels *wheels, double dt_s)
{
    struct drive *drive = &wheels->drive;
    if (!wheels->pair.is_one || wheels->ready_s != dt_s ||
        drive->def.motor != DRIVE_MOTOR_STEPPER || drive->is_free[0] || drive->is_free[1] ||
        body->is_lifted || drive->steer_target_rad != drive->steer_rad)
        return false;
    struct local local = body_local(body);
    if (!hold_pair(body, wheels, &local))
        return false;
    body_set_local(body, &local);
    for (size_t i = 0; i < 2; i++) {
        wheels->traction[i].along_ns = wheels->traction[i].across_ns = 0.0;
        drive->wheel_rad_s[i] = drive->input[i];
        drive->wheel_rad[i] += drive->input[i] * dt_s;
    }
    wheels->kicks = (struct local){0.0, 0.0, 0.0};
    wheels->has_changed = false;
    wheels->steady = local;
    wheels->is_steady = body->is_plain;
    return true;
}
