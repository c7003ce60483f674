/* Inertial sensors, inputs, battery and buzzer of the board. */
#pragma once

#include "protocols/turtlebot3/turtlebot3_state.h"

#define TURTLEBOT3_CLIFF_RANGE_M 0.3 /* chosen */

/* Call every millisecond. Takes a sample of the IMU if it is due. */
void turtlebot3_imu_sample(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                           int64_t now_us);

/* Starts the calibration, which assumes that the gyro is at rest, until
 * turtlebot3_imu_calibrated. */
void turtlebot3_imu_calibrate(struct turtlebot3_state *state);
void turtlebot3_imu_calibrated(struct turtlebot3_state *state);

/* Every 20 ms: fills the table. */
void turtlebot3_senses_pass(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                            int64_t now_us);

/* Voltage of the battery at a charge (0..1), and the reverse. */
double turtlebot3_battery_volts(double charge);
double turtlebot3_battery_charge(double volts);

/* Every millisecond: updates the battery and its warnings. When the motors get power again, their
 * torque is off. */
void turtlebot3_power(struct turtlebot3_state *state, const struct robot_sensors *sensors,
                      int64_t now_us);
double turtlebot3_charge_rate(const struct turtlebot3_state *state);

/* turtlebot3_play plays a melody of the protocol, if it exists. turtlebot3_sound_hz returns the
 * present tone of the buzzer, Hz. */
void turtlebot3_play(struct turtlebot3_state *state, uint8_t melody, int64_t now_us);
double turtlebot3_sound_hz(struct turtlebot3_state *state, int64_t now_us);
