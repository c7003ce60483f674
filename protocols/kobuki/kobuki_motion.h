/* Conversion of base control into duty cycles: radius formula, dead time, watchdog, velocity
 * control and overcurrent protection. */
#pragma once

#include "protocols/kobuki/kobuki_state.h"

/* Sets the factory gains. */
void kobuki_gains_reset(struct kobuki_gain *gains);

/* To be called when a base control has arrived. */
void kobuki_motion_command(struct kobuki_state *state, int16_t speed, int16_t radius,
                           int64_t now_us);

/* Restarts the controller after a change of the gains. */
void kobuki_motion_restart(struct kobuki_state *state);

/* One control pass at time NOW_US. */
void kobuki_motion_step(struct kobuki_state *state, int64_t now_us);
