/* The motor and the scans: what is measured, and sent as nodes or capsules. */
#pragma once

#include "protocols/rplidar_a1/rplidar_a1_state.h"

/* Turns a second that the motor tends to; 0: it is off. */
double rplidar_target_hz(const struct rplidar_state *state);
/* Whether it runs, by DTR, by command or always, as the option says. */
void rplidar_decide_motor(struct rplidar_state *state);

void rplidar_stop(struct rplidar_state *state);
/* Waits for the rotation, then measures: one of the kinds of scans. */
void rplidar_begin_scan(struct rplidar_state *state, enum rplidar_activity wanted,
                        uint16_t sample_us, int64_t now_us);
/* All samples that are due. The stream is silent while the rotation is not stable. */
void rplidar_scan(struct rplidar_state *state, const struct robot_rays *rays,
                  const struct robot_tx *tx, int64_t now_us);
