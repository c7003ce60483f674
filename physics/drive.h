/* Wheels, motors and the kinematics between wheel speeds and body velocity. Kinematics are
 * matrices built from the wheels' places, so that every arrangement is one table of wheels. */
#ifndef PTYBOT_PHYSICS_DRIVE_H
#define PTYBOT_PHYSICS_DRIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "physics/geom.h"

enum { DRIVE_WHEELS_MAX = 4 };

enum drive_motor {
    DRIVE_MOTOR_DC,      /* input is the duty, -1..1 of the supply voltage */
    DRIVE_MOTOR_STEPPER, /* input is the wheel speed, rad/s, obeyed at once */
};

struct wheel_def {
    struct vec2 place;  /* of the contact with the floor, from the body's origin, m */
    double heading_rad; /* direction in which a positive turn drives */
    double roller_rad;  /* direction in which the rollers on the floor roll freely, from that
                         * direction: pi/2 omni, pi/4 or -pi/4 mecanum; 0: a plain wheel, which
                         * also resists sideways */
    double radius_m;
    bool is_steered;
};

struct drive_def {
    enum drive_motor motor;
    size_t wheel_count;
    struct wheel_def wheels[DRIVE_WHEELS_MAX];
    double grip; /* friction coefficient of wheels on the floor; the weight is shared evenly */
    double steer_max_rad, steer_rate_rad_s;
    /* Skid and tracked drives, for the kinematics alone: the track of the differential drive that
     * turns like this one, drive_skid_track_m or as measured; 0: as the wheels stand. */
    double effective_track_m;
    /* DRIVE_MOTOR_DC: supply at duty 1, the motor at its own shaft, gear ratio motor : wheel. */
    double supply_v, resistance_ohm, torque_nm_a, emf_v_s_rad, gear;
    double idle_a;              /* current that friction of motor and gear costs; the friction is
                                 * idle_a * torque_nm_a * gear, in a stepper with coils off too */
    double wheel_inertia_kg_m2; /* rotor and wheel, seen at the wheel */
};

/* Inputs are set by the caller before a step and hold; the rest is written by the step. */
struct drive {
    double input[DRIVE_WHEELS_MAX];
    bool is_free[DRIVE_WHEELS_MAX];    /* coils off: no torque but friction */
    bool is_dropped[DRIVE_WHEELS_MAX]; /* over an edge or lifted: no contact with the floor */
    double steer_target_rad;

    double steer_rad;
    double wheel_rad_s[DRIVE_WHEELS_MAX];
    double wheel_rad[DRIVE_WHEELS_MAX]; /* turned since the start */
    double motor_a[DRIVE_WHEELS_MAX];   /* signed like the torque */
    double slip[DRIVE_WHEELS_MAX]; /* part of the grip that is lost, 0..1; world_set_slip sets it */

    struct drive_def def;
};

/* Velocity of the body's origin in its own frame: m/s, m/s, rad/s. */
struct twist {
    double x_m_s, y_m_s, turn_rad_s;
};

/* Wheel speeds (rad/s) at which no wheel slips along its drive direction, for a wanted twist.
 * Steered wheels are taken to point where the body takes them, see drive_steering. */
void drive_inverse(const struct drive_def *def, struct twist twist, double *wheel_rad_s);

/* The steering angle for a wanted twist: that of the bicycle model, whose one steered wheel stands
 * midway between the steered ones; at rest 0. */
double drive_steering(const struct drive_def *def, struct twist twist);

/* The twist that fits the wheel speeds best (least squares; plain wheels do not slip sideways).
 * STEER_RAD: of the bicycle model, for drives with steered wheels. */
struct twist drive_forward(const struct drive_def *def, const double *wheel_rad_s,
                           double steer_rad);

/* The effective track of plain wheels that stand in two rows and must slip sideways in a turn: on
 * the spot, with the weight shared evenly. */
double drive_skid_track_m(const struct drive_def *def);

#endif
