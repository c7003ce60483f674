/* Two plain wheels on one axle, the most common drive: both are solved at once. Steppers on such
 * wheels determine the body's velocity, as long as the floor can provide the force. This file also
 * solves the most common island: two such robots that touch, or one robot and a wall. */
#include <math.h>

#include "base/number.h"
#include "physics/world_state.h"

/* Largest offset of wheels on one axle (chosen: far below manufacturing tolerances). */
static const double axle_slack_m = 1e-9;

/* Whether the drive is two plain wheels side by side that drive along x. */
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
    /* The same along and across, and small enough that both wheels together do not overshoot. */
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

/* ---- A pass ---- */

/* The values that passes change, and the given values of a step. */
struct pair_run {
    struct local velocity;
    struct vec2 left, right;          /* impulses along and across, Ns */
    double left_m_s, right_m_s;       /* speeds of the rims */
    double left_square, right_square; /* squares of the largest impulses */
};

/* The new impulse of a wheel. If the floor can hold the wheel, the impulse is reduced by HOLD_NS;
 * if not, it acts against the slip. */
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

/* Solves both wheels at once, exactly if both grip; returns the largest change of a velocity. */
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

/* The velocity that steppers on one axle give to the body. False: the floor cannot provide the
 * impulse in this step. */
static bool hold_pair(const struct body *body, struct wheels *wheels, struct local *local)
{
    const struct drive *drive = &wheels->drive;
    const struct grip *left = &wheels->traction[0].along, *right = &wheels->traction[1].along;
    const struct grip *across = &wheels->traction[0].across;
    double left_m_s = wheels->traction[0].reach_m * drive->wheels[0].input;
    double right_m_s = wheels->traction[1].reach_m * drive->wheels[1].input;
    double turn = (left_m_s - right_m_s) * wheels->pair.inverse_track;
    double forward = left_m_s - left->lever_m * turn;
    double aside = -across->lever_m * turn;

    /* The impulses of the floor for this velocity; across, each wheel bears half. */
    double along_ns = body->def.mass_kg * (forward - local->x);
    double across_ns = body->def.mass_kg * (aside - local->y);
    double moment = body->def.inertia_kg_m2 * (turn - local->turn_rad_s);
    double left_ns = (moment - across->lever_m * across_ns - right->lever_m * along_ns) *
                     wheels->pair.inverse_track;
    double right_ns = along_ns - left_ns;
    double left_most = wheels->limit_ns * (1.0 - drive->wheels[0].slip);
    double right_most = wheels->limit_ns * (1.0 - drive->wheels[1].slip);
    double each = 0.25 * across_ns * across_ns;
    if (left_ns * left_ns + each > left_most * left_most ||
        right_ns * right_ns + each > right_most * right_most)
        return false;
    *local = (struct local){forward, aside, turn};
    return true;
}

static bool pair_is_driving(const struct body *body, const struct wheels *wheels, double dt_s)
{
    const struct drive *drive = &wheels->drive;
    return wheels->pair.is_one && wheels->ready_s == dt_s &&
           drive->def.motor == DRIVE_MOTOR_STEPPER && !drive->wheels[0].is_free &&
           !drive->wheels[1].is_free && !drive->wheels[0].is_dropped &&
           !drive->wheels[1].is_dropped && !body->is_lifted &&
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
        drive->wheels[i].rad_s = drive->wheels[i].input;
        drive->wheels[i].rad += drive->wheels[i].input * dt_s;
    }
    wheels->kicks = (struct local){0.0, 0.0, 0.0};
    wheels->has_changed = false;
    wheels->steady = local;
    wheels->is_steady = body->is_plain;
    return true;
}

/* ---- One contact: the same passes as in other islands, in the robots' own frames and without
 * lists ---- */

/* A direction of the contact in a robot's own frame. */
struct local_press {
    double x, y, lever_m;
};

/* One of the robots in contact. */
struct side {
    struct body *body;
    struct wheels *wheels;
    struct pair_run run;
    struct local_press along, across;
};

static struct local_press make_local_press(const struct body *body, double sign,
                                           const struct press *press, double lever_m)
{
    double x = sign * press->x, y = sign * press->y;
    return (struct local_press){body->shape.axis.x * x + body->shape.axis.y * y,
                                body->shape.axis.x * y - body->shape.axis.y * x, sign * lever_m};
}

static inline double local_press_speed(const struct local_press *press, const struct local *v)
{
    return press->x * v->x + press->y * v->y + press->lever_m * v->turn_rad_s;
}

static inline void local_press_kick(const struct local_press *press, struct side *side,
                                    double impulse_ns)
{
    struct local *v = &side->run.velocity;
    double kick = impulse_ns * side->body->inverse_mass;
    v->x += kick * press->x;
    v->y += kick * press->y;
    v->turn_rad_s += impulse_ns * side->body->inverse_inertia * press->lever_m;
}

/* Starts with the impulses of the last step. */
static void open_side(struct side *side, struct body *body, struct wheels *wheels)
{
    const struct traction *left = &wheels->traction[0], *right = &wheels->traction[1];
    const struct drive *drive = &wheels->drive;
    const struct pair *pair = &wheels->pair;
    double left_ns = wheels->limit_ns * (1.0 - drive->wheels[0].slip);
    double right_ns = wheels->limit_ns * (1.0 - drive->wheels[1].slip);
    side->body = body;
    side->wheels = wheels;
    side->run = (struct pair_run){
        .velocity = body_local(body),
        .left = {left->along_ns, left->across_ns},
        .right = {right->along_ns, right->across_ns},
        .left_m_s = left->reach_m * drive->wheels[0].input,
        .right_m_s = right->reach_m * drive->wheels[1].input,
        .left_square = left_ns * left_ns,
        .right_square = right_ns * right_ns,
    };
    struct pair_run *run = &side->run;
    double across = run->left.y + run->right.y;
    run->velocity.x += body->inverse_mass * (run->left.x + run->right.x);
    run->velocity.y += body->inverse_mass * across;
    run->velocity.turn_rad_s +=
        (pair->left_kick_turn * run->left.x + pair->right_kick_turn * run->right.x) +
        pair->across_kick_turn * across;
}

static void close_side(struct side *side, double dt_s)
{
    struct wheels *wheels = side->wheels;
    struct drive *drive = &wheels->drive;
    body_set_local(side->body, &side->run.velocity);
    wheels->traction[0].along_ns = side->run.left.x;
    wheels->traction[0].across_ns = side->run.left.y;
    wheels->traction[1].along_ns = side->run.right.x;
    wheels->traction[1].across_ns = side->run.right.y;
    wheels->has_changed = true;
    wheels->is_steady = false;
    wheels->floor_part = 0.0;
    for (size_t i = 0; i < 2; i++) {
        drive->wheels[i].rad_s = drive->wheels[i].input;
        drive->wheels[i].rad += drive->wheels[i].input * dt_s;
    }
}

static inline double sum_speed(const struct side *sides, size_t count, bool is_across)
{
    double speed = 0.0;
    for (size_t i = 0; i < count; i++)
        speed += local_press_speed(is_across ? &sides[i].across : &sides[i].along,
                                   &sides[i].run.velocity);
    return speed;
}

/* How much faster the bodies separate for a unit impulse across. */
static inline double couple(const struct side *sides, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const struct local_press *along = &sides[i].along, *across = &sides[i].across;
        sum += sides[i].body->inverse_mass * (along->x * across->x + along->y * across->y) +
               sides[i].body->inverse_inertia * along->lever_m * across->lever_m;
    }
    return sum;
}

/* The contact's part of a pass, as in contact_relax. The change by friction along the normal is
 * known before friction is applied. */
static inline double relax_contact(struct contact *contact, struct side *sides, size_t count,
                                   double coupling)
{
    double sliding = sum_speed(sides, count, true);
    double parting = sum_speed(sides, count, false);
    double bound = contact->friction * contact->normal_ns;
    double wanted = contact->tangent_ns - sliding * contact->across.give;
    wanted = number_clamp(wanted, bound);
    double across = wanted - contact->tangent_ns;
    contact->tangent_ns = wanted;

    parting += coupling * across;
    wanted = contact->normal_ns + (contact->target_m_s - parting) * contact->along.give;
    wanted = number_larger(wanted, 0.0);
    double along = wanted - contact->normal_ns;
    contact->normal_ns = wanted;
    for (size_t i = 0; i < count; i++) {
        local_press_kick(&sides[i].across, &sides[i], across);
        local_press_kick(&sides[i].along, &sides[i], along);
    }
    return number_larger(fabs(across) * contact->across.slope, fabs(along) * contact->along.slope);
}

static inline void solve_sides(struct contact *contact, struct side *sides, size_t count,
                               double tolerance_m_s)
{
    for (size_t i = 0; i < count; i++) {
        local_press_kick(&sides[i].along, &sides[i], contact->normal_ns);
        local_press_kick(&sides[i].across, &sides[i], contact->tangent_ns);
    }
    double coupling = couple(sides, count);
    for (int pass = 0; pass < SOLVE_PASSES_MAX; pass++) {
        double change = 0.0;
        for (size_t i = 0; i < count; i++)
            change = number_larger(change, pair_pass(&sides[i].wheels->pair,
                                                     sides[i].body->inverse_mass, &sides[i].run));
        if (number_larger(change, relax_contact(contact, sides, count, coupling)) < tolerance_m_s)
            break;
    }
}

/* The wheels of a body, if they are a driving pair and no other part of the body slides on the
 * floor. */
static struct wheels *driving(struct world *world, const struct body *body, double dt_s)
{
    if (body->drive == WORLD_NO_DRIVE || body->floor_limit_ns > 0.0)
        return NULL;
    struct wheels *wheels = &world->wheels[body->drive];
    return pair_is_driving(body, wheels, dt_s) ? wheels : NULL;
}

bool pair_solve_contact(struct world *world, struct contact *contact, double dt_s)
{
    struct side sides[2];
    struct body *body = &world->bodies[contact->body];
    struct wheels *wheels = driving(world, body, dt_s);
    if (!wheels)
        return false;
    double tolerance = SOLVE_DRIVEN_TOLERANCE_M_S2 * dt_s;
    const struct press *along = &contact->along, *across = &contact->across;
    struct wheels *others = NULL;
    struct body *other = NULL;
    if (contact->other != WORLD_WALL) {
        other = &world->bodies[contact->other];
        others = driving(world, other, dt_s);
        if (!others)
            return false;
        open_side(&sides[1], other, others);
        sides[1].along = make_local_press(other, -1.0, along, along->other_lever_m);
        sides[1].across = make_local_press(other, -1.0, across, across->other_lever_m);
    }
    open_side(&sides[0], body, wheels);
    sides[0].along = make_local_press(body, 1.0, along, along->lever_m);
    sides[0].across = make_local_press(body, 1.0, across, across->lever_m);
    if (other) {
        solve_sides(contact, sides, 2, tolerance);
        close_side(&sides[1], dt_s);
    } else {
        solve_sides(contact, sides, 1, tolerance);
    }
    close_side(&sides[0], dt_s);
    return true;
}
