/* The picture of a robot's camera: a level pin-hole at the sensor's place that sees the floor with
 * its shades, lines, picture and cliffs, and upon it walls, boxes, discs, docks and other robots
 * with their lamps. A column of the picture is one ray over the floor; heights give the rows.
 * Leaves out lens, noise, blur, shadows, and a tilt of the robot. Its files: camera.c,
 * camera_floor.c, camera_things.c, with camera_view.h as their common inside. */
#pragma once

#include <stdint.h>

#include "protocols/robot.h"

struct camera;
struct sim_robot;

/* A camera of a robot. SPEC is copied: place, heading, half the horizontal angle of view, width and
 * height in pixels. Allocates all that it will need; NULL where memory is short. */
struct camera *camera_create(const struct sim_robot *robot, const struct sensor_spec *spec);
void camera_destroy(struct camera *camera);

/* What it sees now: width x height x 3 bytes, red, green, blue, top row first, left to right. Valid
 * until the next call. A pixel has the color of the point in its middle. */
struct robot_image camera_render(struct camera *camera);

/* Its pictures have so many columns from now on, 1 to those of its spec, and robot_image_rows. */
void camera_resize(struct camera *camera, uint32_t columns);

/* For robot_sensors.cameras; TAKE is NULL where the robot has no camera. */
struct robot_cameras camera_pictures(struct sim_robot *robot);
