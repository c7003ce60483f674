/* Numbers of the arm: TheRobotStudio/SO-ARM100: Simulation/SO101/joints_properties.xml (friction,
 * damping), and issue 134 there (stiffness). */
#include "protocols/servo_joint.h"

#include <math.h>

#include "base/angle.h"
#include "base/number.h"

#define GRAVITY_M_S2 9.81
#define FRICTION_NM  0.052
#define DAMPING_NM_S 0.6
#define DAMPED_NM_S  6.0  /* torque enable 2: short-circuited; chosen */
#define IDLE_A       0.15 /* without load 0.18 A, blocked 2.7 A: SO-ARM100, issue 132 */
#define STALL_A      2.5
#define ROOM_C       25.0 /* chosen, as the next two */
#define HEAT_C       60.0 /* above the room, blocked for long */
#define HEAT_S       300.0

/* Falls, or is pushed, with the torque that nothing holds. */
static void give_way(struct servo_joint *joint, double torque_nm, double damping_nm_s, double dt_s)
{
    double over_nm = fabs(torque_nm) - FRICTION_NM;
    joint->speed_rad_s = over_nm > 0 ? copysign(over_nm / damping_nm_s, torque_nm) : 0;
    joint->angle_rad += joint->speed_rad_s * dt_s;
}

/* Towards a speed, with a limit of acceleration. */
static void speed_up(struct servo_joint *joint, const struct servo_drive *drive, double want_rad_s,
                     double dt_s)
{
    double step = want_rad_s - joint->speed_rad_s;
    if (drive->accel_rad_s2 > 0)
        step = number_clamp(step, drive->accel_rad_s2 * dt_s);
    joint->speed_rad_s += step;
}

static double want_rad_s(const struct servo_motor *motor, const struct servo_drive *drive,
                         double ahead_rad, double dt_s)
{
    double most = number_smaller(drive->speed_rad_s, motor->free_rad_s * drive->limit);
    if (drive->accel_rad_s2 > 0) // so that it can stop at the goal
        most = number_smaller(most, sqrt(2 * drive->accel_rad_s2 * fabs(ahead_rad)));
    return number_clamp(ahead_rad / dt_s, most);
}

/* Holds or moves to the goal, below it by the sag. */
static void go(struct servo_joint *joint, const struct servo_motor *motor,
               const struct servo_drive *drive, double gravity_nm, double dt_s)
{
    double stiffness = drive->stiffness_nm_rad;
    double most_nm = motor->stall_nm * drive->limit;
    double sag_rad = stiffness > 0 ? gravity_nm / stiffness : 0;
    double ahead_rad = drive->ahead_rad + sag_rad;
    if (drive->is_jammed) {
        joint->speed_rad_s = 0;
        joint->duty = number_clamp(drive->ahead_rad * stiffness / motor->stall_nm, drive->limit);
        return;
    }
    if (fabs(gravity_nm) > most_nm || stiffness == 0) {
        joint->duty = -number_clamp(gravity_nm / motor->stall_nm, drive->limit);
        give_way(joint, gravity_nm - number_clamp(gravity_nm, most_nm), DAMPING_NM_S, dt_s);
        return;
    }
    speed_up(joint, drive, want_rad_s(motor, drive, ahead_rad, dt_s), dt_s);
    joint->angle_rad += joint->speed_rad_s * dt_s;
    joint->duty = number_clamp(
        joint->speed_rad_s / motor->free_rad_s - gravity_nm / motor->stall_nm, drive->limit);
}

static void run(struct servo_joint *joint, const struct servo_motor *motor,
                const struct servo_drive *drive, double dt_s)
{
    double most = motor->free_rad_s * drive->limit;
    double want = drive->mode == SERVO_PWM
                      ? number_clamp(drive->duty, drive->limit) * motor->free_rad_s
                      : number_clamp(drive->speed_rad_s, most);
    joint->duty = number_clamp(want / motor->free_rad_s, drive->limit);
    if (drive->is_jammed) {
        joint->duty = want == 0 ? 0 : copysign(drive->limit, want);
        joint->speed_rad_s = 0;
        return;
    }
    speed_up(joint, drive, want, dt_s);
    joint->angle_rad += joint->speed_rad_s * dt_s;
}

/* A hand is stronger than the servo. */
static void follow_hand(struct servo_joint *joint, const struct servo_motor *motor,
                        const struct servo_drive *drive, double dt_s)
{
    double ahead_rad = joint->hand_rad - joint->angle_rad;
    double step_rad = number_clamp(ahead_rad, joint->hand_rad_s * dt_s);
    joint->angle_rad += step_rad;
    joint->speed_rad_s = step_rad / dt_s;
    joint->duty = drive->is_on
                      ? number_clamp(drive->ahead_rad * drive->stiffness_nm_rad / motor->stall_nm,
                                     drive->limit)
                      : 0;
    if (fabs(ahead_rad) <= joint->hand_rad_s * dt_s)
        joint->hand_rad_s = 0;
}

static void stay_inside(struct servo_joint *joint, const struct servo_spec *spec)
{
    if (spec->low_rad == spec->high_rad ||
        (joint->angle_rad >= spec->low_rad && joint->angle_rad <= spec->high_rad))
        return;
    joint->angle_rad = number_between(joint->angle_rad, spec->low_rad, spec->high_rad);
    joint->speed_rad_s = 0;
}

void servo_joint_step(struct servo_joint *joint, const struct servo_spec *spec,
                      const struct servo_motor *motor, const struct servo_drive *drive,
                      double gravity_nm, double dt_s)
{
    double before_rad = joint->angle_rad;
    bool has_power = motor->free_rad_s > 0 && motor->stall_nm > 0;
    if (joint->hand_rad_s > 0 && has_power) {
        follow_hand(joint, motor, drive, dt_s);
    } else if (!drive->is_on || !has_power) {
        joint->duty = 0;
        give_way(joint, drive->is_jammed ? 0 : gravity_nm,
                 drive->is_damped ? DAMPED_NM_S : DAMPING_NM_S, dt_s);
    } else if (drive->mode == SERVO_POSITION) {
        go(joint, motor, drive, gravity_nm, dt_s);
    } else {
        run(joint, motor, drive, dt_s);
    }
    if (spec->axis == SERVO_WHEEL) { // the world turns it
        joint->wheel_rad_s = drive->is_on ? joint->speed_rad_s : 0;
        joint->angle_rad = before_rad;
    } else {
        stay_inside(joint, spec);
    }
    joint->current_a = has_power && drive->is_on ? IDLE_A + STALL_A * fabs(joint->duty) : 0;
    double heat_c = ROOM_C + HEAT_C * joint->duty * joint->duty - joint->temperature_c;
    joint->temperature_c += heat_c * dt_s / HEAT_S;
}

void servo_chain(struct servo_joint *first, size_t size, const struct servo_spec *specs,
                 size_t count, double gravity_nm[ROBOT_SERVOS_MAX])
{
    struct {
        double from_m, middle_m; /* from the first axis, of the joint and of the link's middle */
    } links[ROBOT_SERVOS_MAX];
    double elevation_rad = 0, reach_m = 0, height_m = 0;
    for (size_t i = 0; i < count; i++) {
        struct servo_joint *joint = (struct servo_joint *)((char *)first + i * size);
        const struct servo_spec *spec = &specs[i];
        double sine, cosine;
        if (spec->axis == SERVO_BEND)
            elevation_rad += spec->bend_rad - joint->angle_rad;
        angle_sin_cos(elevation_rad, &sine, &cosine);
        links[i].from_m = reach_m;
        links[i].middle_m = reach_m + cosine * spec->length_m / 2;
        joint->reach_m = reach_m += cosine * spec->length_m;
        joint->height_m = height_m += sine * spec->length_m;
    }
    for (size_t i = 0; i < count; i++) {
        gravity_nm[i] = 0;
        for (size_t k = i; k < count && specs[i].axis == SERVO_BEND; k++)
            gravity_nm[i] +=
                GRAVITY_M_S2 * specs[k].mass_kg * (links[k].middle_m - links[i].from_m);
    }
}
