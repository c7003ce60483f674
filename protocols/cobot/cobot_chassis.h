/* Wheel speeds for a wanted motion, and the motion that wheel speeds make, as the board computes
 * them for each of its four models. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_CHASSIS_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_CHASSIS_H

#include "protocols/cobot/cobot.h"

/* A motion of the robot, left and counter-clockwise positive. */
struct cobot_twist {
    double x_m_s, y_m_s, turn_rad_s;
};

/* What the options say about the chassis. */
struct cobot_chassis {
    int32_t model;       /* enum cobot_model */
    int32_t strafe_from; /* enum cobot_strafe_from */
    double track_m, wheelbase_m;
    double wheel_radius_m;
};

struct cobot_chassis cobot_chassis_of(const struct cobot_options *options);

/* Rim speeds for a twist. On Ackermann the turn is STEER_RAD's (left positive, at the middle of the
 * front axle), and only the rear wheels have motors: the front ones get 0. */
void cobot_chassis_wheels(const struct cobot_chassis *chassis, struct cobot_twist twist,
                          double steer_rad, double wheel_m_s[COBOT_WHEELS]);

/* The twist that the board takes these rim speeds for. */
struct cobot_twist cobot_chassis_twist(const struct cobot_chassis *chassis,
                                       const double wheel_m_s[COBOT_WHEELS]);

/* Whether a wheel has a motor and an encoder. */
bool cobot_chassis_is_driven(const struct cobot_chassis *chassis, int wheel);

#endif
