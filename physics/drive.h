/* Wheels and motors. Angles of steered wheels follow from the wheels' positions, so every
 * arrangement is a table of wheels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "physics/geom.h"

enum { DRIVE_WHEELS_MAX = 8 };

enum drive_motor {
    DRIVE_MOTOR_DC,      /* input is the duty cycle of the PWM, -1..1 of the voltage */
    DRIVE_MOTOR_STEPPER, /* input is the wheel speed, rad/s, which is reached at once */
};

/* Motor parameters of one wheel; 0: the value of the drive. */
struct motor_def {
    double resistance_ohm, torque_nm_a, emf_v_s_rad, gear, idle_a, wheel_inertia_kg_m2;
};

struct wheel_def {
    struct vec2 place;  /* contact point with the floor, relative to the body's origin, m */
    double heading_rad; /* driving direction of a positive turn */
    double roller_rad; /* free rolling direction of the rollers, relative to the heading: pi/2 omni,
                          pi/4 or -pi/4 mecanum; 0: a plain wheel, which also resists sideways */
    double radius_m;
    bool is_steered;
    bool is_passive; /* has no motor and no gear friction: the drive treats it as free */
    struct motor_def own;
};

struct drive_def {
    enum drive_motor motor;
    size_t wheel_count;
    struct wheel_def wheels[DRIVE_WHEELS_MAX];
    double grip; /* friction coefficient of wheels on the floor; the weight is distributed evenly */
    double steer_max_rad, steer_rate_rad_s;
    bool is_parallel; /* all steered wheels have the same angle, and do not turn about one point */
    /* DRIVE_MOTOR_DC: supply voltage at duty 1; values at the motor's shaft; gear ratio motor :
     * wheel. */
    double supply_v, resistance_ohm, torque_nm_a, emf_v_s_rad, gear;
    double idle_a;              /* no-load current; friction of motor and gear is
                                 * idle_a * torque_nm_a * gear, also of a stepper with coils off */
    double wheel_inertia_kg_m2; /* of rotor and wheel, relative to the wheel */
    double dead_band; /* largest duty without effect; above it the voltage rises linearly */
};

/* One wheel of a drive. The caller sets the first three members before a step, and they keep their
 * values; the step writes the others. */
struct drive_wheel {
    double input;
    bool is_free;    /* coils off: no torque except friction */
    bool is_dropped; /* over an edge or lifted: no contact with the floor */
    double rad_s;
    double rad;     /* angle turned since the start */
    double motor_a; /* signed like the torque */
    double slip;    /* lost part of the grip, 0..1; set by world_set_slip */
};

/* The wheels are adjacent in memory, so that a step of a drive with two wheels touches few cache
 * lines. */
struct drive {
    double steer_target_rad; /* set by the caller */
    double steer_rad;
    struct drive_wheel wheels[DRIVE_WHEELS_MAX];

    struct drive_def def;
};

/* AXLE: x of the axle of the unsteered wheels, m, or of the middle of all wheels if all are
 * steered. WHEELBASE: distance from it to the steered wheels ahead, m; 0: no wheel is steered. The
 * body turns about a point on that axle, so steered wheels behind it turn the other way. */
void drive_axles(const struct drive_def *def, double *axle, double *wheelbase);

/* The angle of one steered wheel, such that all wheels of the body turn about one point. */
double drive_wheel_steer_rad(const struct drive_def *def, size_t wheel, double steer_rad);

/* The motor of a wheel: its own parameters, and those of the drive where they are 0. */
struct motor_def drive_motor(const struct drive_def *def, size_t wheel);

/* The fraction of the supply voltage that an input gives to a DC motor, -1..1. */
double drive_duty(const struct drive_def *def, double input);
