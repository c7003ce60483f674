/* Conversion of commands into duty cycles: limits, watchdog, kinematics of the four models, speed
 * loop. */
#pragma once

#include "protocols/cobot/cobot_state.h"

/* ---- Kinematics: wheel speeds for a wanted motion, and the motion that results from wheel speeds
 * ---- */

struct cobot_chassis cobot_chassis_of(const struct cobot_options *options);

/* The twist that the board computes from these rim speeds. */
struct cobot_twist cobot_chassis_twist(const struct cobot_chassis *chassis,
                                       const double wheel_m_s[COBOT_WHEELS]);

/* Whether a wheel has a motor and an encoder. */
bool cobot_chassis_is_driven(const struct cobot_chassis *chassis, int wheel);

/* ---- The loop ---- */

/* A command in wire units, with its signs: left and forward positive. */
struct cobot_command {
    int32_t x_mm_s, y_mm_s;
    int32_t turn; /* 0.01 rad/s; Ackermann: degrees of steering */
};

/* A command takes effect with the next control pass. */
void cobot_motion_command(struct cobot_state *state, struct cobot_command command);

/* To be called when data that feeds the watchdog has arrived. */
void cobot_motion_heard(struct cobot_state *state);

/* Reads encoders and currents. */
void cobot_motion_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Ends a measuring window of the encoders. */
void cobot_motion_window(struct cobot_state *state);

/* One control pass: watchdog and speed loop. */
void cobot_motion_step(struct cobot_state *state);
