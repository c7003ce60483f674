/* From commands to duties: limits, watchdog, speed loop. */
#ifndef PTYBOT_PROTOCOLS_COBOT_COBOT_MOTION_H
#define PTYBOT_PROTOCOLS_COBOT_COBOT_MOTION_H

#include "protocols/cobot/cobot_state.h"

/* A command as on the wire, with signs: left and forward positive. */
struct cobot_command {
    int32_t x_mm_s, y_mm_s;
    int32_t turn; /* 0.01 rad/s; Ackermann: degrees of steering */
};

void cobot_motion_reset(struct cobot_state *state);

/* A command takes effect with the next control pass. */
void cobot_motion_command(struct cobot_state *state, struct cobot_command command);

/* Something came that feeds the watchdog. */
void cobot_motion_heard(struct cobot_state *state);

/* Reads encoders and currents. */
void cobot_motion_read(struct cobot_state *state, const struct robot_sensors *sensors);

/* Ends a window of the encoders. */
void cobot_motion_window(struct cobot_state *state);

/* One control pass: watchdog and speed loop. */
void cobot_motion_step(struct cobot_state *state);

#endif
