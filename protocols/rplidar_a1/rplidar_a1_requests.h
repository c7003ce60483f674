/* Requests: kept until their time has come, then obeyed and answered. */
#pragma once

#include "protocols/rplidar_a1/rplidar_a1_state.h"

/* Starts the firmware anew, as at power-on and after a reset. */
void rplidar_boot(struct rplidar_state *state, int64_t now_us);

/* Takes the request of SIZE bytes that the framer holds. */
void rplidar_take_request(struct rplidar_state *state, size_t size, int64_t now_us);
/* Obeys those that are due; while the firmware boots they wait. */
void rplidar_run_requests(struct rplidar_state *state, const struct robot_tx *tx, int64_t now_us);
