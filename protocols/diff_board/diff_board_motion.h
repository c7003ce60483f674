/* Conversion of a velocity command into PWM: limits, kinematics, PID, timeout; and the encoders. */
#pragma once

#include "protocols/diff_board/diff_board_state.h"

/* ---- Kinematics: conversion of body velocity into motor speeds, and of wheel travel into body
 * travel. If all motors turn in the positive direction, the robot turns left. ---- */

struct diff_board_kinematics;

/* The kinematics of a model_type; NULL: the firmware does not have it. */
const struct diff_board_kinematics *diff_board_kinematics(uint8_t kind);

/* The kinematics in use: those of model_type, if the firmware reads it and knows it; otherwise
 * those that the board was built for. */
const struct diff_board_kinematics *diff_board_model(const struct diff_board_state *state);

/* Travel of the body, computed from the travel of the wheels, m; in the frame of the body. */
struct diff_board_twist diff_board_travel(const struct diff_board_kinematics *kinematics,
                                          const double wheel_m[DIFF_BOARD_MOTORS],
                                          double body_radius_m);

/* ---- The loop ---- */

void diff_board_motion_reset(struct diff_board_state *state, int64_t now_us);

/* Executes ids 4 and 9. */
void diff_board_motion_command(struct diff_board_state *state,
                               const struct diff_board_velocity *velocity, int64_t now_us);
void diff_board_motion_by_hand(struct diff_board_state *state, const struct diff_board_pwm *pwm,
                               int64_t now_us);

/* Recomputes the time of the next pass, not earlier than NOW_US: the firmware reads do_pid_interval
 * at each pass. */
void diff_board_motion_reschedule(struct diff_board_state *state, int64_t now_us);

/* Adds the encoder counts since the last call, then sets the counters to zero if requested. */
void diff_board_motion_update(struct diff_board_state *state, const struct robot_sensors *sensors);

/* One pass of the control loop. */
void diff_board_motion_pass(struct diff_board_state *state, int64_t now_us);

/* Duty of each motor, -1..1, including wiring. */
void diff_board_motion_drive(const struct diff_board_state *state, double duty[DIFF_BOARD_MOTORS]);
