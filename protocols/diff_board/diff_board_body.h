/* The machine for given options: the chassis around the board, and its appearance from above. */
#pragma once

#include <stdint.h>

#include "protocols/diff_board/diff_board.h"
#include "protocols/robot.h"

struct diff_board_chassis {
    uint8_t kind; /* enum diff_board_kind */
    uint16_t wheel_diameter_mm, wheel_track_mm;
    uint16_t encoder_resolution, motor_ratio; /* counts per motor turn, gear */

    double length_m, width_m; /* of the body; width 0: a disc */
    double mass_kg;
    double resistance_ohm; /* of a motor; it determines the torque */
    double grip;
};

const struct diff_board_chassis *diff_board_chassis(const struct diff_board_options *options);

/* Encoder counts per wheel turn: the value of the option, or that of the chassis. */
int64_t diff_board_encoder_counts(const struct diff_board_options *options);

/* Largest PWM value of a board's timer. */
double diff_board_pwm_max(const struct diff_board_options *options);

/* See robot_type.body. */
void diff_board_body(const void *options, struct robot_body *body);

extern const struct appearance_list diff_board_appearance;
