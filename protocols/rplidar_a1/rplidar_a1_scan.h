/* The motor and the scans: measuring, and sending nodes or capsules. */
#pragma once

#include "protocols/rplidar_a1/rplidar_a1_state.h"

/* Target speed of the motor, turns per second; 0: it is off. */
double rplidar_target_hz(const struct rplidar_state *state);
/* Switches the motor on or off: by DTR, by command or always on, as the option defines. */
void rplidar_decide_motor(struct rplidar_state *state);

void rplidar_stop(struct rplidar_state *state);
/* Waits for the rotation, then measures. WANTED: a kind of scan. */
void rplidar_begin_scan(struct rplidar_state *state, enum rplidar_activity wanted,
                        uint16_t sample_us, int64_t now_us);
/* Takes all samples that are due. Nothing is sent while the rotation is not stable. */
void rplidar_scan(struct rplidar_state *state, const struct robot_rays *rays,
                  const struct robot_tx *tx, int64_t now_us);
