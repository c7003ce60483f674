/* The effects of the floor on bodies: on wheels that motors turn and that push by friction, and on
 * bodies that slide. Ignores suspension, tilt and load transfer. */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/number.h"
#include "physics/world_state.h"

/* Keeps a free wheel without inertia solvable (chosen, far below any real wheel). */
static const double inertia_least_kg_m2 = 1e-9;

/* A motion is steady if velocities change by less than this in a step (chosen: above rounding). */
static const double steady_m_s = 1e-10;

/* Number of steps that only rotate a steady body's heading vector, before its sine and cosine are
 * calculated again (chosen: rounding then adds up to about 1e-15). */
enum { EXACT_EVERY = 16 };

static double grip_speed(const struct grip *grip, const struct local *local)
{
    return grip->x * local->x + grip->y * local->y + grip->lever_m * local->turn_rad_s;
}

static void grip_kick(const struct grip *grip, struct local *local, double impulse_ns)
{
    local->x += grip->kick_x * impulse_ns;
    local->y += grip->kick_y * impulse_ns;
    local->turn_rad_s += grip->kick_turn * impulse_ns;
}

/* Sums the changes of velocity by the impulses of all wheels. */
static void sum_kicks(struct wheels *wheels)
{
    wheels->kicks = (struct local){0.0, 0.0, 0.0};
    for (size_t i = 0; i < wheels->drive.def.wheel_count; i++) {
        const struct traction *traction = &wheels->traction[i];
        grip_kick(&traction->along, &wheels->kicks, traction->along_ns);
        grip_kick(&traction->across, &wheels->kicks, traction->across_ns);
    }
    wheels->has_changed = false;
}

/* ---- Values that stay the same from step to step ---- */

static struct grip make_grip(const struct body *body, struct vec2 arm, struct vec2 direction)
{
    struct grip grip = {direction.x, direction.y, vec2_cross(arm, direction), 0, 0, 0, 0, 0};
    grip.kick_x = body->inverse_mass * grip.x;
    grip.kick_y = body->inverse_mass * grip.y;
    grip.kick_turn = body->inverse_inertia * grip.lever_m;
    grip.slope = body->inverse_mass + body->inverse_inertia * grip.lever_m * grip.lever_m;
    grip.inverse_slope = grip.slope > 0.0 ? 1.0 / grip.slope : 0.0;
    return grip;
}

/* Calculates the grip directions of a wheel on the floor. */
static void make_grips(struct traction *traction, const struct body *body,
                       const struct drive *drive, size_t i)
{
    const struct wheel_def *wheel = &drive->def.wheels[i];
    struct vec2 forward;
    double heading =
        wheel->heading_rad +
        (wheel->is_steered ? drive_wheel_steer_rad(&drive->def, i, drive->steer_rad) : 0.0);
    angle_sin_cos(heading, &forward.y, &forward.x);
    struct vec2 along = forward;
    traction->is_plain = wheel->roller_rad == 0.0;
    if (!traction->is_plain)
        along = geom_rotate(wheel->roller_rad - ANGLE_PI / 2.0, forward);
    struct vec2 arm = vec2_sub(wheel->place, body->def.mass_center);
    traction->reach_m = wheel->radius_m * vec2_dot(along, forward);
    traction->along = make_grip(body, arm, along);
    traction->across = make_grip(body, arm, vec2_left(along));
    traction->inertia_kg_m2 = 0.0; /* what follows from it is computed again */
}

/* The parameters of a wheel's motor for steps of DT_S. */
static void make_motor(struct traction *traction, const struct drive_def *def, size_t i,
                       double dt_s)
{
    struct motor_def motor = drive_motor(def, i);
    traction->wheel_inertia_kg_m2 = number_larger(motor.wheel_inertia_kg_m2, inertia_least_kg_m2);
    traction->friction_nms =
        def->wheels[i].is_passive ? 0.0 : motor.idle_a * motor.torque_nm_a * motor.gear * dt_s;
    traction->torque_per_v_ns = traction->motor_inertia_kg_m2 = 0.0;
    if (def->motor != DRIVE_MOTOR_DC)
        return;
    /* The back-EMF at the end of the step: it acts like inertia, and is stable for steps of any
     * length. */
    traction->torque_per_v_ns = motor.gear * motor.torque_nm_a / motor.resistance_ohm * dt_s;
    traction->motor_inertia_kg_m2 = traction->torque_per_v_ns * motor.emf_v_s_rad * motor.gear;
    traction->back_v_s_rad = motor.emf_v_s_rad * motor.gear;
    traction->resistance_ohm = motor.resistance_ohm;
}

static void make_ready(struct body *body, struct wheels *wheels, double dt_s)
{
    const struct drive_def *def = &wheels->drive.def;
    double weight = body->def.mass_kg * WORLD_GRAVITY_M_S2 / (double)def->wheel_count;
    wheels->limit_ns = def->grip * weight * dt_s;
    for (size_t i = 0; i < def->wheel_count; i++) {
        make_grips(&wheels->traction[i], body, &wheels->drive, i);
        make_motor(&wheels->traction[i], def, i, dt_s);
    }
    pair_make(wheels);
    wheels->ready_s = dt_s;
    wheels->has_changed = true;
}

/* ---- A step ---- */

/* Torque of the motor and friction of the gear, as the wheel's equation of motion in this step. */
static void prepare_motor(struct traction *traction, const struct wheels *wheels, size_t i)
{
    const struct drive *drive = &wheels->drive;
    bool is_on = !drive->wheels[i].is_free;
    traction->is_prescribed = drive->def.motor == DRIVE_MOTOR_STEPPER && is_on;
    if (traction->is_prescribed) {
        traction->speed_rad_s = drive->wheels[i].input;
        return;
    }
    double inertia = traction->wheel_inertia_kg_m2;
    traction->momentum_nms = inertia * drive->wheels[i].rad_s;
    if (is_on) {
        double duty = drive_duty(&drive->def, drive->wheels[i].input);
        traction->momentum_nms += traction->torque_per_v_ns * duty * drive->def.supply_v;
        inertia += traction->motor_inertia_kg_m2;
    }
    if (traction->inertia_kg_m2 == inertia)
        return;
    traction->inertia_kg_m2 = inertia;
    traction->inverse_inertia = 1.0 / inertia;
    traction->roll_give =
        1.0 / (traction->along.slope + traction->reach_m * traction->reach_m / inertia);
}

static void steer(struct wheels *wheels, double dt_s)
{
    struct drive *drive = &wheels->drive;
    if (drive->steer_target_rad == drive->steer_rad)
        return;
    double target = number_clamp(drive->steer_target_rad, drive->def.steer_max_rad);
    double step = drive->def.steer_rate_rad_s * dt_s;
    drive->steer_rad += number_clamp(target - drive->steer_rad, step);
    wheels->ready_s = 0.0; /* the grips point elsewhere */
}

/* Prepares the wheels for a step, and applies the impulses of the last step as the initial
 * solution. */
static void prepare_wheels(struct body *body, struct wheels *wheels, struct local *local,
                           double dt_s)
{
    const struct drive *drive = &wheels->drive;
    steer(wheels, dt_s);
    if (wheels->ready_s != dt_s)
        make_ready(body, wheels, dt_s);
    size_t dropped = 0;
    for (size_t i = 0; i < drive->def.wheel_count; i++) {
        struct traction *traction = &wheels->traction[i];
        prepare_motor(traction, wheels, i);
        traction->limit_ns = wheels->limit_ns * (1.0 - drive->wheels[i].slip);
        if (!drive->wheels[i].is_dropped && !body->is_lifted)
            continue;
        dropped += drive->wheels[i].is_dropped;
        traction->limit_ns = traction->along_ns = traction->across_ns = 0.0;
        wheels->has_changed = true;
    }
    wheels->floor_part = dropped == 0 ? 0.0 : (double)dropped / (double)drive->def.wheel_count;
    if (wheels->has_changed)
        sum_kicks(wheels);
    local->x += wheels->kicks.x;
    local->y += wheels->kicks.y;
    local->turn_rad_s += wheels->kicks.turn_rad_s;
}

void traction_prepare(struct body *body, struct wheels *wheels, double dt_s)
{
    struct local local = body_local(body);
    prepare_wheels(body, wheels, &local, dt_s);
    body_set_local(body, &local);
    wheels->is_steady = false;
}

/* The wheel's speed at the end of the step, given an impulse of the floor. */
static double wheel_speed(const struct traction *traction, double along_ns)
{
    if (traction->is_prescribed)
        return traction->speed_rad_s;
    double momentum = traction->momentum_nms - along_ns * traction->reach_m;
    momentum -= number_clamp(momentum, traction->friction_nms);
    return momentum * traction->inverse_inertia;
}

/* The impulse that gives the rim the floor's speed. The slip is piecewise linear in the impulse:
 * the wheel turns forward, is held by friction, or turns back. */
static double rolling_impulse(const struct traction *traction, double floor_m_s)
{
    double reach = traction->reach_m;
    double inverse_slope = traction->along.inverse_slope;
    if (traction->is_prescribed)
        return traction->along_ns + (reach * traction->speed_rad_s - floor_m_s) * inverse_slope;

    double held = traction->along.slope * traction->along_ns - floor_m_s;
    double give = reach * traction->inverse_inertia;
    for (int sign = 1; sign >= -1; sign -= 2) {
        double momentum = traction->momentum_nms - sign * traction->friction_nms;
        double impulse = (held + give * momentum) * traction->roll_give;
        if (sign * (momentum - impulse * reach) > 0.0)
            return impulse;
    }
    return held * inverse_slope;
}

/* If a wheel slips, friction acts against the slip, with all the grip: a spinning wheel hardly
 * resists sideways. SLIP and SIDEWAYS are the speeds of the rim on the floor. */
static void slide_wheel(const struct traction *traction, double slip, double sideways,
                        double *along, double *across)
{
    /* The same value for both, so that the result points against the slip. */
    double give = number_smaller(traction->along.inverse_slope, traction->across.inverse_slope);
    if (!traction->is_prescribed)
        give = number_smaller(give, traction->roll_give);
    *along = traction->along_ns - slip * give;
    *across = traction->across_ns - sideways * give;
    double limit = traction->limit_ns * traction->limit_ns;
    double square = *along * *along + *across * *across;
    double part = square > limit ? sqrt(limit / square) : 1.0;
    *along *= part;
    *across *= part;
}

static double change_wheel(struct traction *traction, struct local *local)
{
    double floor_m_s = grip_speed(&traction->along, local);
    double sideways = traction->is_plain ? grip_speed(&traction->across, local) : 0.0;
    double along = rolling_impulse(traction, floor_m_s);
    double across = traction->across_ns - sideways * traction->across.inverse_slope;
    if (along * along + across * across > traction->limit_ns * traction->limit_ns) {
        double slip = floor_m_s - traction->reach_m * wheel_speed(traction, traction->along_ns);
        slide_wheel(traction, slip, sideways, &along, &across);
    }
    double along_step = along - traction->along_ns;
    double across_step = across - traction->across_ns;
    traction->along_ns = along;
    traction->across_ns = across;
    grip_kick(&traction->along, local, along_step);
    grip_kick(&traction->across, local, across_step);
    return number_larger(fabs(along_step) * traction->along.slope,
                         fabs(across_step) * traction->across.slope);
}

static double relax_wheels(const struct body *body, struct wheels *wheels, struct local *local)
{
    double change = 0.0;
    if (wheels->pair.is_one && wheels->traction[0].limit_ns > 0.0 &&
        wheels->traction[1].limit_ns > 0.0 && wheels->traction[0].is_prescribed &&
        wheels->traction[1].is_prescribed)
        return pair_relax(body, wheels, local);
    for (size_t i = 0; i < wheels->drive.def.wheel_count; i++)
        if (wheels->traction[i].limit_ns > 0.0)
            change = number_larger(change, change_wheel(&wheels->traction[i], local));
    wheels->has_changed = wheels->has_changed || change > 0.0;
    return change;
}

double traction_relax(struct body *body, struct wheels *wheels)
{
    struct local local = body_local(body);
    double change = relax_wheels(body, wheels, &local);
    body_set_local(body, &local);
    return change;
}

void traction_finish(struct wheels *wheels, double dt_s)
{
    struct drive *drive = &wheels->drive;
    const struct drive_def *def = &drive->def;
    for (size_t i = 0; i < def->wheel_count; i++) {
        const struct traction *traction = &wheels->traction[i];
        double speed = wheel_speed(traction, traction->along_ns);
        drive->wheels[i].rad_s = speed;
        drive->wheels[i].rad += speed * dt_s;
        drive->wheels[i].motor_a = 0.0;
        if (def->motor == DRIVE_MOTOR_DC && !drive->wheels[i].is_free) {
            double back_v = traction->back_v_s_rad * speed;
            drive->wheels[i].motor_a =
                (drive_duty(def, drive->wheels[i].input) * def->supply_v - back_v) /
                traction->resistance_ohm;
        }
    }
}

static void note_steady(const struct body *body, struct wheels *wheels, const struct local *before,
                        const struct local *after)
{
    double change = fabs(after->x - before->x) + fabs(after->y - before->y) +
                    fabs(after->turn_rad_s - before->turn_rad_s);
    wheels->is_steady = wheels->drive.def.motor == DRIVE_MOTOR_STEPPER && change < steady_m_s &&
                        body->is_plain && !body->is_lifted;
    wheels->steady = *after;
}

/* Stores the rotation of the body per step while it is steady. */
static void note_turning(struct wheels *wheels, double dt_s)
{
    if (wheels->is_steady)
        angle_sin_cos(wheels->steady.turn_rad_s * dt_s, &wheels->turning.y, &wheels->turning.x);
    wheels->until_exact = EXACT_EVERY;
}

void traction_alone(struct body *body, struct wheels *wheels, double dt_s)
{
    if (!pair_step(body, wheels, dt_s)) {
        struct local before = wheels->steady;
        struct local local = body_local(body);
        prepare_wheels(body, wheels, &local, dt_s);
        for (int pass = 0; pass < SOLVE_PASSES_MAX; pass++)
            if (relax_wheels(body, wheels, &local) < SOLVE_TOLERANCE_M_S2 * dt_s)
                break;
        body_set_local(body, &local);
        traction_finish(wheels, dt_s);
        note_steady(body, wheels, &before, &local);
    }
    note_turning(wheels, dt_s);
}

/* Whether steppers continue as before, on wheels that grip. */
static bool goes_on(const struct wheels *wheels, double dt_s)
{
    const struct drive *drive = &wheels->drive;
    if (!wheels->is_steady || wheels->ready_s != dt_s ||
        drive->steer_target_rad != drive->steer_rad)
        return false;
    for (size_t i = 0; i < wheels->wheel_count; i++) {
        const struct drive_wheel *wheel = &drive->wheels[i];
        if (wheel->is_free || wheel->is_dropped ||
            // A comparison of bits is intended.
            // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-*)
            memcmp(&wheel->input, &wheel->rad_s, sizeof wheel->rad_s) != 0)
            return false;
    }
    return true;
}

bool traction_coast(struct body *body, struct wheels *wheels, double dt_s)
{
    if (!goes_on(wheels, dt_s))
        return false;
    body_set_local(body, &wheels->steady);
    for (size_t i = 0; i < wheels->wheel_count; i++)
        wheels->drive.wheels[i].rad += wheels->drive.wheels[i].rad_s * dt_s;
    body->pose.heading_rad += body->turn_rad_s * dt_s;
    body->pose.x_m += body->velocity.x * dt_s;
    body->pose.y_m += body->velocity.y * dt_s;
    body->center = body->shape.center = (struct vec2){body->pose.x_m, body->pose.y_m};
    struct vec2 axis = body_direction(body, wheels->turning);
    if (--wheels->until_exact <= 0) {
        angle_sin_cos(body->pose.heading_rad, &axis.y, &axis.x);
        wheels->until_exact = EXACT_EVERY;
    }
    body->shape.axis = axis;
    return true;
}

/* ---- Bodies that slide on the floor: those without wheels, or with wheels over an edge ---- */

/* Mean distance of a shape's points from its center: the lever of sliding friction in a turn. */
static double sliding_lever_m(const struct body_def *def)
{
    if (def->shape == WORLD_DISC)
        return 2.0 / 3.0 * def->radius_m;
    /* 0.27 of the diagonal: exact for a square, 8 % above for a thin rod. */
    return 0.27 * sqrt(def->length_m * def->length_m + def->width_m * def->width_m);
}

/* Ratio of friction's moment per turn rate to its force per speed, m2. Friction acts on each point
 * of the shape against that point's velocity. Summed over all points, the ratio has two limits. In
 * a slow turn, it is the mean square of the points' distances ahead of or behind the center. In a
 * slow slide during a fast turn, it is 3/2 of the lever squared (2/3 of a disc's radius squared).
 * In between it is interpolated linearly (chosen: within a few percent of the sum). */
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

    /* Sliding and turning share the friction: the limit is an ellipsoid. */
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
