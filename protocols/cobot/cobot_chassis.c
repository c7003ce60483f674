/* The kinematics of the four models. Source: the vendor's firmware of the M100 (autocontrol.c,
 * feedback.c); the Ackermann model's are chosen, its firmware is unknown. */
#include "protocols/cobot/cobot_chassis.h"

#include "protocols/trig.h"

struct cobot_chassis cobot_chassis_of(const struct cobot_options *options)
{
    return (struct cobot_chassis){
        .model = options->model,
        .strafe_from = options->strafe_from,
        .track_m = options->track_m,
        .wheelbase_m = options->wheelbase_m,
        .wheel_radius_m = options->wheel_diameter_m / 2,
    };
}

bool cobot_chassis_is_driven(const struct cobot_chassis *chassis, int wheel)
{
    return chassis->model != COBOT_ACKERMANN || wheel == COBOT_REAR_LEFT ||
           wheel == COBOT_REAR_RIGHT;
}

/* Rim speed of the outer side in a turn of 1 rad/s on the spot. Four wheels or tracks scrub: the
 * firmware takes (T^2 + B^2) / (2 T) for it, the distance at which friction balances. Rollers need
 * half the track and half the wheelbase, steered wheels half the track. */
static double lever_m(const struct cobot_chassis *chassis)
{
    double track = chassis->track_m;
    double base = chassis->wheelbase_m;
    switch (chassis->model) {
    case COBOT_MECANUM:
        return (track + base) / 2;
    case COBOT_ACKERMANN:
        return track / 2;
    default:
        return (track * track + base * base) / (2 * track);
    }
}

static double steered_turn(const struct cobot_chassis *chassis, double x_m_s, double steer_rad)
{
    double sine, cosine;
    trig_sin_cos(steer_rad, &sine, &cosine);
    return x_m_s * sine / cosine / chassis->wheelbase_m;
}

void cobot_chassis_wheels(const struct cobot_chassis *chassis, struct cobot_twist twist,
                          double steer_rad, double wheel_m_s[COBOT_WHEELS])
{
    bool is_mecanum = chassis->model == COBOT_MECANUM;
    double turn_rad_s = chassis->model == COBOT_ACKERMANN
                            ? steered_turn(chassis, twist.x_m_s, steer_rad)
                            : twist.turn_rad_s;
    double side = turn_rad_s * lever_m(chassis);
    double strafe = is_mecanum ? twist.y_m_s : 0;
    wheel_m_s[COBOT_FRONT_LEFT] = twist.x_m_s - strafe - side;
    wheel_m_s[COBOT_REAR_LEFT] = twist.x_m_s + strafe - side;
    wheel_m_s[COBOT_FRONT_RIGHT] = twist.x_m_s + strafe + side;
    wheel_m_s[COBOT_REAR_RIGHT] = twist.x_m_s - strafe + side;
    for (int i = 0; i < COBOT_WHEELS; i++)
        wheel_m_s[i] = cobot_chassis_is_driven(chassis, i) ? wheel_m_s[i] : 0;
}

struct cobot_twist cobot_chassis_twist(const struct cobot_chassis *chassis,
                                       const double wheel_m_s[COBOT_WHEELS])
{
    double a = wheel_m_s[COBOT_FRONT_LEFT];
    double b = wheel_m_s[COBOT_REAR_LEFT];
    double c = wheel_m_s[COBOT_FRONT_RIGHT];
    double d = wheel_m_s[COBOT_REAR_RIGHT];
    if (chassis->model == COBOT_ACKERMANN)
        return (struct cobot_twist){(b + d) / 2, 0, (d - b) / (2 * lever_m(chassis))};
    struct cobot_twist twist = {(a + b + c + d) / 4, 0, (c + d - a - b) / (4 * lever_m(chassis))};
    if (chassis->model == COBOT_MECANUM) {
        twist.y_m_s =
            chassis->strafe_from == COBOT_STRAFE_FROM_LEFT ? (b - a) / 2 : (b + c - a - d) / 4;
    }
    return twist;
}
