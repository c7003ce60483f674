/* The firmware's kinematic models: body velocity to motor speeds, wheel travel to body travel. All
 * motors turning positive turn the robot left. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_KINEMATICS_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_KINEMATICS_H

#include <stddef.h>
#include <stdint.h>

#include "protocols/diff_board/diff_board.h"

/* Values of model_type in the parameter block. */
enum diff_board_kind {
    DIFF_BOARD_2WD = 1,
    DIFF_BOARD_4WD = 2,
    DIFF_BOARD_OMNI_3 = 101,
    DIFF_BOARD_OMNI_4 = 102,
    DIFF_BOARD_MECANUM = 201,
};

/* Velocity (m/s, m/s, rad/s) or travel (m, m, rad) of the body. */
struct diff_board_twist {
    double x, y, turn;
};

struct diff_board_kinematics;

/* The model of a model_type; NULL: the firmware has none. */
const struct diff_board_kinematics *diff_board_kinematics(uint8_t kind);

size_t diff_board_motor_count(const struct diff_board_kinematics *kinematics);

/* Motor speeds, rad/s. A radius of 0 gives numbers that are not finite, as on the board. */
void diff_board_solve(const struct diff_board_kinematics *kinematics,
                      struct diff_board_twist velocity, double wheel_radius_m, double body_radius_m,
                      double motor_rad_s[DIFF_BOARD_MOTORS]);

/* Travel of the body from that of the wheels, m; in the frame of the body. */
struct diff_board_twist diff_board_travel(const struct diff_board_kinematics *kinematics,
                                          const double wheel_m[DIFF_BOARD_MOTORS],
                                          double body_radius_m);

#endif
