/* Two plain wheels on one axle, the commonest drive: both are solved at once. Steppers on such
 * wheels tell the body's velocity, as long as the floor can give what that takes. */
#include <math.h>

#include "base/number.h"
#include "physics/pair.h"
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

    const struct grip *across = &wheels->traction[0].across;
    pair->left_lever_m = left->lever_m;
    pair->right_lever_m = right->lever_m;
    pair->across_lever_m = across->lever_m;
    pair->left_kick_turn = left->kick_turn;
    pair->right_kick_turn = right->kick_turn;
    pair->across_kick_turn = across->kick_turn;
    pair->left_slope = left->slope;
    pair->right_slope = right->slope;
    pair->across_slope = across->slope;
}

double pair_relax(const struct body *body, struct wheels *wheels, struct local *local)
{
    struct traction *left = &wheels->traction[0], *right = &wheels->traction[1];
    struct pair_run run = {
        .velocity = *local,
        .left = {left->along_ns, left->across_ns},
        .right = {right->along_ns, right->across_ns},
        .left_m_s = left->reach_m * left->speed_rad_s,
        .right_m_s = right->reach_m * right->speed_rad_s,
        .left_square = left->limit_ns * left->limit_ns,
        .right_square = right->limit_ns * right->limit_ns,
    };
    double change = pair_pass(&wheels->pair, body->inverse_mass, &run);
    left->along_ns = run.left.x;
    left->across_ns = run.left.y;
    right->along_ns = run.right.x;
    right->across_ns = run.right.y;
    *local = run.velocity;
    wheels->has_changed = true;
    return change;
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

bool pair_is_driving(const struct body *body, const struct wheels *wheels, double dt_s)
{
    const struct drive *drive = &wheels->drive;
    return wheels->pair.is_one && wheels->ready_s == dt_s &&
           drive->def.motor == DRIVE_MOTOR_STEPPER && !drive->is_free[0] && !drive->is_free[1] &&
           !drive->is_dropped[0] && !drive->is_dropped[1] && !body->is_lifted &&
           drive->steer_target_rad == drive->steer_rad;
}

bool pair_step(struct body *body, struct wheels *wheels, double dt_s)
{
    struct drive *drive = &wheels->drive;
    if (!pair_is_driving(body, wheels, dt_s))
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
