/* The three-axis gyro: raw samples at their own times, and the heading that the firmware makes of
 * them. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_GYRO_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_GYRO_H

#include "protocols/kobuki/kobuki_state.h"

void kobuki_gyro_reset(struct kobuki_state *state, int64_t now_us);

/* Takes the sample that is due and sets the time of the next. */
void kobuki_gyro_sample(struct kobuki_state *state, const struct robot_sensors *sensors);

/* Mean rate over the samples that wait, deg/s; of the last sample where none waits. */
double kobuki_gyro_rate(const struct kobuki_gyro_state *gyro);

/* Id of the first waiting sample on the wire. */
uint8_t kobuki_gyro_frame_id(const struct kobuki_state *state);

/* The waiting samples have been sent. */
void kobuki_gyro_sent(struct kobuki_gyro_state *gyro);

#endif
