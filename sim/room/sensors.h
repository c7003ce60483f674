/* Sensors and motors: the one translator between the world and a robot. World state becomes
 * robot_sensors, and robot_actuators become inputs of drives. Noise and response curves belong to
 * the firmware. Leaves out echoes, the color of light and the pitch of sound. */
#pragma once

#include "sim/state/state.h"

/* Fills what the firmware of a robot may know, for a tick that is due now. */
void sensors_sample(struct sim_robot *robot);

/* Hands what the firmware wants to the drive, for the coming step of the world. */
void sensors_actuate(struct sim_robot *robot);

/* After a step of the world: where each robot is now, and what it has touched. */
void sensors_update(struct sim *sim);

/* How much light the floor throws back at a point, 0 black .. 1 white: a picture, shades upon it,
 * lines upon all. */
double sensors_floor_reflectance(const struct scene *scene, struct vec2 point);

#define LIFT_HEIGHT_M 0.3 /* chosen: held at knee height, out of reach of every floor sensor */

/* The rays (scanner.c) that a firmware with a scanner asks for, for robot_sensors.rays: from where
 * it was at that moment, at its height. CAST is NULL where the robot has no scanner. */
struct robot_rays scanner_rays(struct sim_robot *robot);
