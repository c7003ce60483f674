/* What the firmware reads from its sensors: switches, encoders, currents, cliff sensors, dock IR,
 * the expansion port, and the gyro with the heading. */
#pragma once

#include "protocols/kobuki/kobuki_state.h"

/* Switches, encoders, currents, dock IR: as they are now. */
void kobuki_senses_read(struct kobuki_state *state, const struct robot_sensors *sensors);

/* One conversion of the cliff sensors, and the cliff flags. PASS numbers the conversions. */
void kobuki_senses_convert(struct kobuki_state *state, const struct robot_sensors *sensors,
                           uint64_t pass);

/* Fills the general purpose input message. */
void kobuki_senses_inputs(const struct kobuki_state *state, struct kobuki_inputs *inputs);

/* ---- The three-axis gyro: raw samples at their own times, and the heading that the firmware
 * computes from them ---- */

void kobuki_gyro_reset(struct kobuki_state *state, int64_t now_us);

/* Takes the sample that is due and sets the time of the next. */
void kobuki_gyro_sample(struct kobuki_state *state, const struct robot_sensors *sensors);

/* Mean rate of the waiting samples, deg/s; rate of the last sample when none waits. */
double kobuki_gyro_rate(const struct kobuki_gyro_state *gyro);

/* Id of the first waiting sample on the wire. */
uint8_t kobuki_gyro_frame_id(const struct kobuki_state *state);

/* The waiting samples have been sent. */
void kobuki_gyro_sent(struct kobuki_gyro_state *gyro);
