/* Sensors and motors: the only translation between the world and a robot. World state becomes
 * robot_sensors, and robot_actuators become inputs of drives. Noise and response curves are part of
 * the firmware. Echoes, the color of light and the pitch of sound are not simulated. */
#pragma once

#include "sim/state/state.h"

/* Fills the sensor values for a firmware tick that is due now. */
void sensors_sample(struct sim_robot *robot);

/* Passes the firmware's outputs to the drive, for the next step of the world. */
void sensors_actuate(struct sim_robot *robot);

/* After a step of the world: updates the pose of each robot, and the contacts that it made. */
void sensors_update(struct sim *sim);

/* Reflectance of the floor at a point, 0 black .. 1 white. Shades cover the floor picture, and
 * lines cover both. */
double sensors_floor_reflectance(const struct scene *scene, struct vec2 point);

#define LIFT_HEIGHT_M 0.3 /* chosen: held at knee height, out of range of every floor sensor */

/* The rays (scanner.c) that a firmware with a scanner requests, for robot_sensors.rays: from the
 * scanner's position and height at the requested time. CAST is NULL if the robot has no scanner. */
struct robot_rays scanner_rays(struct sim_robot *robot);
