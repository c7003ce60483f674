/* From a velocity command to PWM: limits, kinematics, PID, time-out; and the encoders. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* ---- Kinematics: body velocity to motor speeds, wheel travel to body travel. All motors turning
 * positive turn the robot left. ---- */

struct diff_board_kinematics;

/* The model of a model_type; NULL: the firmware has none. */
const struct diff_board_kinematics *diff_board_kinematics(uint8_t kind);

/* The model in force: that of the parameters where the firmware reads model_type and knows it, else
 * the one that the board was built for. */
const struct diff_board_kinematics *diff_board_model(const struct diff_board_state *state);

/* Travel of the body from that of the wheels, m; in the frame of the body. */
struct diff_board_twist diff_board_travel(const struct diff_board_kinematics *kinematics,
                                          const double wheel_m[DIFF_BOARD_MOTORS],
                                          double body_radius_m);

/* ---- The loop ---- */

void diff_board_motion_reset(struct diff_board_state *state, int64_t now_us);

/* Obeys id 4 and id 9. */
void diff_board_motion_command(struct diff_board_state *state,
                               const struct diff_board_velocity *velocity, int64_t now_us);
void diff_board_motion_by_hand(struct diff_board_state *state, const struct diff_board_pwm *pwm,
                               int64_t now_us);

/* Sets the time of the next pass anew, not before NOW: the firmware reads do_pid_interval at each
 * pass. */
void diff_board_motion_reschedule(struct diff_board_state *state, int64_t now_us);

/* Adds what the encoders have counted since the last call, then zeroes the counters if that was
 * requested. */
void diff_board_motion_update(struct diff_board_state *state, const struct robot_sensors *sensors);

/* One pass of the control loop. */
void diff_board_motion_pass(struct diff_board_state *state, int64_t now_us);

/* Duty of each motor, -1..1, as wired. */
void diff_board_motion_drive(const struct diff_board_state *state, double duty[DIFF_BOARD_MOTORS]);
