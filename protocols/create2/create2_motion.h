/* Conversion of commands into duty cycles: speeds and control of the wheels, encoder counts and
 * overcurrents; brushes and vacuum. */
#pragma once

#include "protocols/create2/create2_state.h"

/* Speeds of the wheels for velocity (mm/s) and radius (mm) of a drive command. Neither exceeds 500
 * mm/s: an arc that requires more is driven more slowly. */
void create2_motion_arc(int velocity, int radius, double wheel_m_s[CREATE2_WHEELS]);

/* A speed as in packets 41 and 42, mm/s: the wanted speed, rounded to multiples of one count per
 * 1/16 s. */
int16_t create2_motion_reported(int16_t wanted);

/* Sets the speeds of the wheels, m/s, limited to 0.5. */
void create2_motion_wheels(struct create2_motion *motion, double left_m_s, double right_m_s);

/* Sets the duty cycles of the wheels, -255..255. */
void create2_motion_pwm(struct create2_motion *motion, int left, int right);

/* Current of a brush, A; negative if it turns backwards. */
double create2_motion_brush_a(const struct create2_state *state, enum create2_brush brush);
/* Blocks a brush for FOR_S seconds; 0: until the command `jam` ends it. */
void create2_motion_jam(struct create2_motion *motion, enum create2_brush brush, double for_s);

/* Switches off wheels, brushes and vacuum. */
void create2_motion_stop(struct create2_motion *motion);

/* Sets brushes and vacuum by the bits of command `motors`, or by PWM (-127..127). */
void create2_motion_motors(struct create2_motion *motion, uint8_t bits);
void create2_motion_pwm_motors(struct create2_motion *motion, const struct create2_pwm *pwm);

/* One control pass: reads the wheels and drives them. */
void create2_motion_pass(struct create2_state *state, const struct robot_sensors *sensors);

/* Encoder counts as in packets 43 and 44. */
int16_t create2_motion_counts(const struct create2_wheel *wheel);
