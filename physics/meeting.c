/* The commonest touch: two robots and nothing else, or one and a wall, all pairs of wheels on
 * steppers. The same passes as for other islands, in the robots' own frames, without a list. */
#include <math.h>

#include "base/number.h"
#include "physics/pair.h"
#include "physics/world_state.h"

/* A direction of the contact, as a robot feels it. */
struct feel {
    double x, y, lever_m;
};

/* A robot in a meeting. */
struct side {
    struct body *body;
    struct wheels *wheels;
    struct pair_run run;
    struct feel along, across;
};

static struct feel make_feel(const struct body *body, double sign, const struct press *press,
                             double lever_m)
{
    double x = sign * press->x, y = sign * press->y;
    return (struct feel){body->cosine * x + body->sine * y, body->cosine * y - body->sine * x,
                         sign * lever_m};
}

static inline double feel_speed(const struct feel *feel, const struct local *v)
{
    return feel->x * v->x + feel->y * v->y + feel->lever_m * v->turn_rad_s;
}

static inline void feel_kick(const struct feel *feel, struct side *side, double impulse_ns)
{
    struct local *v = &side->run.velocity;
    double kick = impulse_ns * side->body->inverse_mass;
    v->x += kick * feel->x;
    v->y += kick * feel->y;
    v->turn_rad_s += impulse_ns * side->body->inverse_inertia * feel->lever_m;
}

/* Starts with the impulses of the last step. */
static void open_side(struct side *side, struct body *body, struct wheels *wheels)
{
    const struct traction *left = &wheels->traction[0], *right = &wheels->traction[1];
    const struct drive *drive = &wheels->drive;
    const struct pair *pair = &wheels->pair;
    double left_ns = wheels->limit_ns * (1.0 - drive->slip[0]);
    double right_ns = wheels->limit_ns * (1.0 - drive->slip[1]);
    side->body = body;
    side->wheels = wheels;
    side->run = (struct pair_run){
        .velocity = body_local(body),
        .left = {left->along_ns, left->across_ns},
        .right = {right->along_ns, right->across_ns},
        .left_m_s = left->reach_m * drive->input[0],
        .right_m_s = right->reach_m * drive->input[1],
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
        drive->wheel_rad_s[i] = drive->input[i];
        drive->wheel_rad[i] += drive->input[i] * dt_s;
    }
}

static inline double sum_speed(const struct side *sides, size_t count, bool is_across)
{
    double speed = 0.0;
    for (size_t i = 0; i < count; i++)
        speed += feel_speed(is_across ? &sides[i].across : &sides[i].along, &sides[i].run.velocity);
    return speed;
}

/* How much faster the bodies part for a unit impulse across. */
static inline double couple(const struct side *sides, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const struct feel *along = &sides[i].along, *across = &sides[i].across;
        sum += sides[i].body->inverse_mass * (along->x * across->x + along->y * across->y) +
               sides[i].body->inverse_inertia * along->lever_m * across->lever_m;
    }
    return sum;
}

/* The contact's part of a pass, as contact_relax does it; what friction changes along is known
 * before the bodies have got it. */
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
        feel_kick(&sides[i].across, &sides[i], across);
        feel_kick(&sides[i].along, &sides[i], along);
    }
    return number_larger(fabs(across) * contact->across.slope, fabs(along) * contact->along.slope);
}

static inline void solve_sides(struct contact *contact, struct side *sides, size_t count,
                               double tolerance_m_s)
{
    for (size_t i = 0; i < count; i++) {
        feel_kick(&sides[i].along, &sides[i], contact->normal_ns);
        feel_kick(&sides[i].across, &sides[i], contact->tangent_ns);
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

/* The wheels of a body, if they are a pair that drives and all that holds it. */
static struct wheels *driving(struct world *world, const struct body *body, double dt_s)
{
    if (body->drive == WORLD_NO_DRIVE || body->floor_limit_ns > 0.0)
        return NULL;
    struct wheels *wheels = &world->wheels[body->drive];
    return pair_is_driving(body, wheels, dt_s) ? wheels : NULL;
}

bool meeting_solve(struct world *world, struct contact *contact, double dt_s)
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
        sides[1].along = make_feel(other, -1.0, along, along->other_lever_m);
        sides[1].across = make_feel(other, -1.0, across, across->other_lever_m);
    }
    open_side(&sides[0], body, wheels);
    sides[0].along = make_feel(body, 1.0, along, along->lever_m);
    sides[0].across = make_feel(body, 1.0, across, across->lever_m);
    if (other) {
        solve_sides(contact, sides, 2, tolerance);
        close_side(&sides[1], dt_s);
    } else {
        solve_sides(contact, sides, 1, tolerance);
    }
    close_side(&sides[0], dt_s);
    return true;
}
