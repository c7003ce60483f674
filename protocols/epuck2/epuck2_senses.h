/* Conversion of sensor values in SI units into the numbers of the firmware. */
#pragma once

#include "protocols/epuck2/epuck2_state.h"

/* Reading of a proximity sensor without noise, at a distance from the sensor. */
double epuck2_senses_prox(double distance_m, double reflectance);

/* One pass of the sensor threads, which run at 100 Hz. */
void epuck2_senses_pass(struct epuck2_state *state, const struct robot_sensors *sensors);

/* Starts the calibration of the proximity sensors: the mean of the next second becomes their
 * zero. */
void epuck2_senses_calibrate(struct epuck2_state *state);

/* Fills the sensor packet from the last results of the threads. */
void epuck2_senses_packet(const struct epuck2_state *state, struct epuck2_sensors *out);
