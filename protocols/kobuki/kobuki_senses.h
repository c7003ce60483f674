/* Inputs of the firmware: switches, encoders, currents, cliff sensors, dock IR, the expansion port,
 * and the gyro with the heading. */
#pragma once

#include "protocols/kobuki/kobuki_state.h"

/* Reads the present state of switches, encoders, currents and dock IR. */
void kobuki_senses_read(struct kobuki_state *state, const struct robot_sensors *sensors);

/* Does one conversion of the cliff sensors and updates the cliff flags. PASS: number of the
 * conversion. */
void kobuki_senses_convert(struct kobuki_state *state, const struct robot_sensors *sensors,
                           uint64_t pass);

/* Fills the general purpose input message. */
void kobuki_senses_inputs(const struct kobuki_state *state, struct kobuki_inputs *inputs);

/* ---- The three-axis gyro: raw samples at their own rate, and the heading that the firmware
 * computes from them ---- */

void kobuki_gyro_reset(struct kobuki_state *state, int64_t now_us);

/* Takes the sample that is due and sets the time of the next one. */
void kobuki_gyro_sample(struct kobuki_state *state, const struct robot_sensors *sensors);

/* Mean rate of the waiting samples, deg/s; if no sample waits, the rate of the last one. */
double kobuki_gyro_rate(const struct kobuki_gyro_state *gyro);

/* Id of the first waiting sample on the wire. */
uint8_t kobuki_gyro_frame_id(const struct kobuki_state *state);

/* To be called when the waiting samples have been sent. */
void kobuki_gyro_sent(struct kobuki_gyro_state *gyro);
