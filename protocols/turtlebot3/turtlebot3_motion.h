/* From commands and buttons to the wheels. */
#pragma once

#include "protocols/turtlebot3/turtlebot3_state.h"

#define TURTLEBOT3_RADIUS_M 0.033 /* of a wheel: firmware */
#define TURTLEBOT3_SUPPLY_V 12.6  /* what the duty is a part of: a full battery */

/* Takes a written command over: EFFECTS as bits of enum turtlebot3_effect. */
void turtlebot3_motion_command(struct turtlebot3_state *state, uint64_t effects);

/* Compares the heartbeat of the host with the last one. */
void turtlebot3_motion_connection(struct turtlebot3_state *state, int64_t now_us);

/* Each 20 ms: sets the goals of the motors and reads them into the table. */
void turtlebot3_motion_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us);

/* Each millisecond: the control inside the motors. */
void turtlebot3_motion_drive(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                             struct robot_actuators *actuators, int64_t now_us);

/* The counters start again, within one turn. */
void turtlebot3_motion_zero(struct turtlebot3_state *state, const struct robot_sensors *sensors);

/* Distance of a rim, m, by a count of its motor. */
double turtlebot3_count_m(double count);
