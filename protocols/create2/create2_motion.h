/* From commands to duty: speeds of the wheels, their control, counts and over-currents; brushes and
 * vacuum. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Speeds of the wheels for velocity (mm/s) and radius (mm) of a drive command. Neither exceeds
 * 500 mm/s: an arc that asks for more is driven slower. */
void create2_motion_arc(int velocity, int radius, double wheel_m_s[CREATE2_WHEELS]);

/* A speed of packets 41 and 42, mm/s: the wanted one in whole steps of one count in 1/16 s. */
int16_t create2_motion_reported(int16_t wanted);

/* Wheels at these speeds, m/s, limited to 0.5. */
void create2_motion_wheels(struct create2_motion *motion, double left_m_s, double right_m_s);

/* Wheels at these duties, -255..255. */
void create2_motion_pwm(struct create2_motion *motion, int left, int right);

/* What a brush draws, A; below 0 backwards. */
double create2_motion_brush_a(const struct create2_state *state, enum create2_brush brush);
/* Something holds a brush for so long; 0: until its jam is set to 0 again. */
void create2_motion_jam(struct create2_motion *motion, enum create2_brush brush, double for_s);

/* Wheels, brushes and vacuum off. */
void create2_motion_stop(struct create2_motion *motion);

/* Motors on the bits of command `motors`, or by PWM (-127..127). */
void create2_motion_motors(struct create2_motion *motion, uint8_t bits);
void create2_motion_pwm_motors(struct create2_motion *motion, const struct create2_pwm *pwm);

/* Reads the wheels and drives them, once in a pass. */
void create2_motion_pass(struct create2_state *state, const struct robot_sensors *sensors);

/* Counts as packets 43 and 44 tell them. */
int16_t create2_motion_counts(const struct create2_wheel *wheel);
