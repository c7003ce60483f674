/* What the floor does to bodies: wheels that push by friction and are turned by motors, and the
 * sliding of what has no wheels. Leaves out suspension, tilt and load transfer. */
#include <math.h>

#include "physics/world_state.h"

/* Keeps the free wheel of a definition without inertia solvable (chosen, far below any wheel). */
static const double inertia_least_kg_m2 = 1e-9;

/* Torque of the motor and friction of the gear, as the wheel's equation of this step. The back-EMF
 * is taken at the end of the step: it adds to the inertia, and no step can be too long for it. */
static void prepare_motor(struct traction *traction, const struct drive *drive, size_t i,
                          double dt_s)
{
    const struct drive_def *def = &drive->def;
    traction->is_prescribed = def->motor == DRIVE_MOTOR_STEPPER && !drive->is_free[i];
    traction->speed_rad_s = traction->is_prescribed ? drive->input[i] : drive->wheel_rad_s[i];
    traction->inertia_kg_m2 = number_larger(def->wheel_inertia_kg_m2, inertia_least_kg_m2);
    traction->momentum_nms = traction->inertia_kg_m2 * traction->speed_rad_s;
    traction->friction_nms = def->idle_a * def->torque_nm_a * def->gear * dt_s;
    if (def->motor == DRIVE_MOTOR_DC && !drive->is_free[i]) {
        double torque_per_v = def->gear * def->torque_nm_a / def->resistance_ohm;
        double duty = number_clamp(drive->input[i], 1.0);
        traction->momentum_nms += torque_per_v * duty * def->supply_v * dt_s;
        traction->inertia_kg_m2 += torque_per_v * def->emf_v_s_rad * def->gear * dt_s;
    }
}

/* The directions in which a wheel holds on to the floor. */
static void prepare_grip(struct traction *traction, const struct body *body,
                         const struct drive *drive, size_t i, double dt_s)
{
    const struct wheel_def *wheel = &drive->def.wheels[i];
    struct vec2 forward = {1.0, 0.0};
    double heading = wheel->heading_rad + (wheel->is_steered ? drive_steer_rad(drive, i) : 0.0);
    geom_sin_cos(heading, &forward.y, &forward.x);
    struct vec2 along = forward;
    traction->is_plain = wheel->roller_rad == 0.0;
    if (!traction->is_plain)
        along = geom_rotate(wheel->roller_rad - GEOM_PI / 2.0, forward);
    traction->reach_m = wheel->radius_m * vec2_dot(along, forward);
    traction->along = body_direction(body, along);
    traction->across = vec2_left(traction->along);
    traction->arm = body_direction(body, vec2_sub(wheel->place, body->def.mass_center));
    traction->along_slope = body_slope(body, traction->arm, traction->along);
    traction->across_slope = body_slope(body, traction->arm, traction->across);

    bool is_down = !drive->is_dropped[i] && !body->is_lifted;
    double weight = body->def.mass_kg * WORLD_GRAVITY_M_S2 / (double)drive->def.wheel_count;
    traction->limit_ns = is_down ? drive->def.grip * weight * dt_s : 0.0;

    /* Friction acts against the slip: a spinning wheel has its grip used up along, and resists
     * sideways only in the ratio of the two speeds. The slip is that of the last step. */
    struct vec2 velocity = body_velocity_at(body, traction->arm);
    double slip = vec2_dot(velocity, traction->along) - traction->reach_m * traction->speed_rad_s;
    traction->across_soft = traction->limit_ns > 0.0 ? fabs(slip) / traction->limit_ns : 0.0;
}

static struct vec2 traction_impulse(const struct traction *traction)
{
    return vec2_add(vec2_scale(traction->along_ns, traction->along),
                    vec2_scale(traction->across_ns, traction->across));
}

void traction_prepare(struct world *world, struct wheels *wheels, double dt_s)
{
    struct body *body = &world->bodies[wheels->body];
    struct drive *drive = &wheels->drive;
    double most = drive->def.steer_max_rad;
    double target = number_clamp(drive->steer_target_rad, most);
    double step = drive->def.steer_rate_rad_s * dt_s;
    drive->steer_rad += number_clamp(target - drive->steer_rad, step);

    for (size_t i = 0; i < drive->def.wheel_count; i++) {
        struct traction *traction = &wheels->traction[i];
        prepare_motor(traction, drive, i, dt_s);
        prepare_grip(traction, body, drive, i, dt_s);
        if (traction->limit_ns == 0.0)
            traction->along_ns = traction->across_ns = 0.0;
    }
    for (size_t i = 0; i < drive->def.wheel_count; i++)
        body_kick(body, wheels->traction[i].arm, traction_impulse(&wheels->traction[i]));
}

/* The wheel's speed at the end of the step under an impulse of the floor. */
static double wheel_speed(const struct traction *traction, double along_ns)
{
    if (traction->is_prescribed)
        return traction->speed_rad_s;
    double momentum = traction->momentum_nms - along_ns * traction->reach_m;
    momentum -= number_clamp(momentum, traction->friction_nms);
    return momentum / traction->inertia_kg_m2;
}

/* The impulse at which the rim has the floor's speed. The slip grows with the impulse on three
 * straight pieces: wheel turning forward, held by friction, turning back. */
static double rolling_impulse(const struct traction *traction, double floor_m_s)
{
    double slope = traction->along_slope;
    double reach = traction->reach_m;
    double held = traction->along_ns - floor_m_s / slope;
    if (traction->is_prescribed)
        return held + reach * traction->speed_rad_s / slope;

    double give = reach / traction->inertia_kg_m2;
    for (int sign = 1; sign >= -1; sign -= 2) {
        double momentum = traction->momentum_nms - sign * traction->friction_nms;
        double impulse = (slope * held + give * momentum) / (slope + give * reach);
        if (sign * (momentum - impulse * reach) > 0.0)
            return impulse;
    }
    return held;
}

static double change_along(struct traction *traction, struct body *body)
{
    struct vec2 velocity = body_velocity_at(body, traction->arm);
    double along = rolling_impulse(traction, vec2_dot(velocity, traction->along));
    double square =
        traction->limit_ns * traction->limit_ns - traction->across_ns * traction->across_ns;
    double step = number_clamp(along, sqrt(number_larger(square, 0.0))) - traction->along_ns;
    traction->along_ns += step;
    body_kick(body, traction->arm, vec2_scale(step, traction->along));
    return fabs(step) * traction->along_slope;
}

static double change_across(struct traction *traction, struct body *body)
{
    struct vec2 velocity = body_velocity_at(body, traction->arm);
    double soft = traction->across_soft;
    double sideways = vec2_dot(velocity, traction->across) + soft * traction->across_ns;
    double across = traction->across_ns - sideways / (traction->across_slope + soft);
    double step = number_clamp(across, traction->limit_ns) - traction->across_ns;
    traction->across_ns += step;
    body_kick(body, traction->arm, vec2_scale(step, traction->across));
    return fabs(step) * traction->across_slope;
}

double traction_relax(struct world *world, struct wheels *wheels)
{
    struct body *body = &world->bodies[wheels->body];
    double change = 0.0;
    /* All drive directions before all sideways ones: wheels that push alike then cause no turn
     * which the sideways ones would have to undo at the cost of grip. */
    for (size_t i = 0; i < wheels->drive.def.wheel_count; i++) {
        if (wheels->traction[i].limit_ns > 0.0)
            change = number_larger(change, change_along(&wheels->traction[i], body));
    }
    for (size_t i = 0; i < wheels->drive.def.wheel_count; i++) {
        if (wheels->traction[i].limit_ns > 0.0 && wheels->traction[i].is_plain)
            change = number_larger(change, change_across(&wheels->traction[i], body));
    }
    return change;
}

void traction_finish(struct wheels *wheels, double dt_s)
{
    struct drive *drive = &wheels->drive;
    const struct drive_def *def = &drive->def;
    for (size_t i = 0; i < def->wheel_count; i++) {
        const struct traction *traction = &wheels->traction[i];
        double speed = wheel_speed(traction, traction->along_ns);
        drive->wheel_rad_s[i] = speed;
        drive->wheel_rad[i] += speed * dt_s;
        drive->motor_a[i] = 0.0;
        if (def->motor == DRIVE_MOTOR_DC && !drive->is_free[i]) {
            double duty = number_clamp(drive->input[i], 1.0);
            double back_v = def->emf_v_s_rad * def->gear * speed;
            drive->motor_a[i] = (duty * def->supply_v - back_v) / def->resistance_ohm;
        }
    }
}

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

void floor_prepare(struct world *world, struct body *body, double dt_s)
{
    /* The floor bears what no wheel bears. */
    double part = body->inverse_mass > 0.0 ? 1.0 : 0.0;
    if (body->drive != WORLD_NO_DRIVE) {
        const struct drive *drive = &world->wheels[body->drive].drive;
        size_t dropped = 0;
        for (size_t i = 0; i < drive->def.wheel_count; i++)
            dropped += drive->is_dropped[i];
        part *= (double)dropped / (double)drive->def.wheel_count;
    }
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
