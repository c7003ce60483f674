/* Steppers and their counters, and the firmware's obstacle avoidance. */
#pragma once

#include "base/angle.h"
#include "protocols/epuck2/epuck2_state.h"

/* MOTOR_SPEED_LIMIT of the firmware (motors.h), steps/s. */
enum { EPUCK2_SPEED_MAX = 1100 };

/* 1000 steps per wheel turn: 20 steps, gear 50 : 1 (vendor). */
#define EPUCK2_RAD_PER_STEP (2 * ANGLE_PI / 1000)

/* The speed that the motor's timer can produce for a wanted speed, both in steps/s: a step takes a
 * multiple of 20 us (motors.c). */
double epuck2_motion_true_steps_s(int16_t wanted);

void epuck2_motion_reset(struct epuck2_state *state, int64_t now_us);

/* Updates the counters to the time NOW_US. */
void epuck2_motion_advance(struct epuck2_state *state, int64_t now_us);

/* Sets the speeds, clamped, from NOW_US on. */
void epuck2_motion_speeds(struct epuck2_state *state, int left, int right, int64_t now_us);

/* Overwrites the counters. The wheels keep turning. */
void epuck2_motion_count(struct epuck2_state *state, int16_t left, int16_t right, int64_t now_us);

/* Switches obstacle avoidance on or off. */
void epuck2_motion_avoid(struct epuck2_state *state, bool is_on, int64_t now_us);

/* One pass of the avoidance thread, which runs at 50 Hz. */
void epuck2_motion_pass(struct epuck2_state *state, int64_t now_us);

/* The low 16 bits of a counter. */
int16_t epuck2_motion_steps(const struct epuck2_wheel *wheel);

/* The force field of obstacle avoidance: converts wanted into driven speeds, steps/s, not
 * clamped. */
void epuck2_motion_field(const uint16_t prox[EPUCK2_PROX_COUNT], int left, int right, int out[2]);
