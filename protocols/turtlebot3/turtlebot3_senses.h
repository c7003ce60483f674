/* Inertial sensors, inputs, battery and buzzer of the board. */
#pragma once

#include "protocols/turtlebot3/turtlebot3_state.h"

#define TURTLEBOT3_CLIFF_RANGE_M 0.3 /* chosen */

/* Each millisecond, as soon as a sample of the IMU is due. */
void turtlebot3_imu_sample(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                           int64_t now_us);

/* The gyro is at rest now, it believes: from here to turtlebot3_imu_calibrated. */
void turtlebot3_imu_calibrate(struct turtlebot3_state *state);
void turtlebot3_imu_calibrated(struct turtlebot3_state *state);

/* Each 20 ms: fills the table. */
void turtlebot3_senses_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us);

/* The battery: its voltage by its charge (0..1), and the reverse. */
double turtlebot3_battery_volts(double charge);
double turtlebot3_battery_charge(double volts);

/* Each millisecond: the battery, and its warnings. Motors that get power again are without torque.
 */
void turtlebot3_power(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                      int64_t now_us);
double turtlebot3_charge_rate(const struct turtlebot3_state *state);

/* Plays a melody of the protocol, or nothing; and the buzzer as it is now, Hz. */
void turtlebot3_play(struct turtlebot3_state *state, uint8_t melody, int64_t now_us);
double turtlebot3_sound_hz(struct turtlebot3_state *state, int64_t now_us);
