/* Conversion of commands and buttons into wheel speeds. */
#pragma once

#include "protocols/turtlebot3/turtlebot3_state.h"

#define TURTLEBOT3_RADIUS_M 0.033 /* of a wheel: firmware */
#define TURTLEBOT3_SUPPLY_V 12.6  /* supply voltage at duty 1: a full battery */

/* Applies a written command. EFFECTS: bits of enum turtlebot3_effect. */
void turtlebot3_motion_command(struct turtlebot3_state *state, uint64_t effects);

/* Compares the heartbeat of the host with the previous one. */
void turtlebot3_motion_connection(struct turtlebot3_state *state, int64_t now_us);

/* Every 20 ms: sets the goals of the motors and reads them into the table. */
void turtlebot3_motion_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us);

/* Every millisecond: the control inside the motors. */
void turtlebot3_motion_drive(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                             struct robot_actuators *actuators, int64_t now_us);

/* Restarts the counters, within one turn. */
void turtlebot3_motion_zero(struct turtlebot3_state *state, const struct robot_sensors *sensors);

/* Distance of the rim, m, for a count of its motor. */
double turtlebot3_count_m(double count);
