/* From a velocity command to PWM: limits, kinematics, PID, time-out; and the encoders. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_MOTION_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_MOTION_H

#include "protocols/diff_board/diff_board_state.h"

void diff_board_motion_reset(struct diff_board_state *state, int64_t now_us);

/* Obeys id 4 and id 9. */
void diff_board_motion_command(struct diff_board_state *state,
                               const struct diff_board_velocity *velocity, int64_t now_us);
void diff_board_motion_by_hand(struct diff_board_state *state, const struct diff_board_pwm *pwm,
                               int64_t now_us);

/* Recomputes when the next pass is due, not before NOW: do_pid_interval is read live. */
void diff_board_motion_reschedule(struct diff_board_state *state, int64_t now_us);

/* Takes over what the encoders have turned since the last call; then zeroes the counters where that
 * was asked for. */
void diff_board_motion_look(struct diff_board_state *state, const struct robot_sensors *sensors);

/* One pass of the control loop. */
void diff_board_motion_pass(struct diff_board_state *state, int64_t now_us);

/* Duty of each motor, -1..1, as wired. */
void diff_board_motion_drive(const struct diff_board_state *state, double duty[DIFF_BOARD_MOTORS]);

#endif
