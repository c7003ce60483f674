/* The picture of a robot's camera: a level pin-hole at the sensor's place that sees the floor with
 * its shades, lines, picture and cliffs, and upon it walls, things, docks and other robots with
 * their lamps. A column of the picture is one ray over the floor; heights give the rows. Leaves out
 * lens, noise, blur, shadows, and a tilt of the robot. */
#ifndef PTYBOT_SIM_ROOM_CAMERA_H
#define PTYBOT_SIM_ROOM_CAMERA_H

#include <stdint.h>

#include "protocols/robot.h"

struct camera;
struct sim_robot;

/* A camera of a robot. SPEC is copied: place, heading, half the angle of view across, width and
 * height in pixels. All memory is taken here; NULL where there is none. */
struct camera *camera_create(const struct sim_robot *robot, const struct sensor_spec *spec);
void camera_destroy(struct camera *camera);

/* What it sees now: width x height x 3 bytes, red, green, blue, top row first, left to right. Valid
 * until the next call. A pixel shows what is in its middle. */
struct robot_image camera_render(struct camera *camera);

#endif
