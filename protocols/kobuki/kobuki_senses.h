/* What the firmware reads off its sensors: switches, encoders, currents, cliff sensors, dock IR,
 * the expansion port. */
#ifndef PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_SENSES_H
#define PTYBOT_PROTOCOLS_KOBUKI_KOBUKI_SENSES_H

#include "protocols/kobuki/kobuki_state.h"

/* Output of a cliff sensor above a floor DISTANCE_M away, ADC counts before rounding. */
double kobuki_cliff_counts(double distance_m);

/* Switches, encoders, currents, dock IR: as they are now. */
void kobuki_senses_read(struct kobuki_state *state, const struct robot_sensors *sensors);

/* One conversion of the cliff sensors, and the cliff flags. PASS numbers the conversions. */
void kobuki_senses_convert(struct kobuki_state *state, const struct robot_sensors *sensors,
                           uint64_t pass);

/* Fills the general purpose input message. */
void kobuki_senses_inputs(const struct kobuki_state *state, struct kobuki_inputs *inputs);

#endif
