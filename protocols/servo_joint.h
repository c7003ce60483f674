/* What a servo on a bus moves, whatever its protocol: a joint with an inner speed and position
 * control, gravity, heat and current, or a wheel of the robot. Registers become a servo_drive, and
 * the joint's numbers become registers again (feetech). Leaves out collisions and elasticity. */
#ifndef PTYBOT_PROTOCOLS_SERVO_JOINT_H
#define PTYBOT_PROTOCOLS_SERVO_JOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "protocols/robot.h"

/* At the shaft, with the supply that it has now. */
struct servo_motor {
    double free_rad_s, stall_nm;
};

enum servo_mode { SERVO_POSITION, SERVO_VELOCITY, SERVO_PWM };

/* What the registers want of it. */
struct servo_drive {
    enum servo_mode mode;
    bool is_on, is_damped;   /* neither: it can be turned by hand */
    double ahead_rad;        /* SERVO_POSITION: from where it is to its goal */
    double speed_rad_s;      /* SERVO_VELOCITY; the most on the way to a goal: above 0 */
    double accel_rad_s2;     /* 0: no limit */
    double duty;             /* SERVO_PWM: -1..1 */
    double limit;            /* of the duty, 0..1 */
    double stiffness_nm_rad; /* SERVO_POSITION: torque for a deviation */
    bool is_jammed;
};

struct servo_joint {
    double angle_rad, speed_rad_s; /* of the shaft; a wheel's are those of the robot */
    double duty;                   /* of the motor, signed like the torque */
    double current_a, temperature_c;
    double hand_rad, hand_rad_s; /* where a hand takes it, and how fast; 0: there is none */
    double height_m, reach_m;    /* of the end of its link, from the first axis */
    double wheel_rad_s;          /* wanted of the wheel */
};

/* Advances a joint by DT_S under the torque of gravity. */
void servo_joint_step(struct servo_joint *joint, const struct servo_spec *spec,
                      const struct servo_motor *motor, const struct servo_drive *drive,
                      double gravity_nm, double dt_s);

/* Finds where the links of a chain are, and the torque of gravity on each joint. Joints are SIZE
 * bytes apart. */
void servo_chain(struct servo_joint *first, size_t size, const struct servo_spec *specs,
                 size_t count, double gravity_nm[ROBOT_SERVOS_MAX]);

#endif
