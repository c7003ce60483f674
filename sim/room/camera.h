/* The picture of a robot's camera: a horizontal pinhole camera at the sensor's position. It sees
 * the floor with its shades, lines, picture and cliffs, and on it walls, boxes, discs, docks and
 * other robots with their lamps. A column of the picture is one ray over the floor; heights
 * determine the rows. It ignores lens distortion, noise, blur, shadows, and a tilt of the robot.
 * The files are camera.c, camera_floor.c and camera_things.c, with camera_view.h as their common
 * internal header. */
#pragma once

#include <stdint.h>

#include "protocols/robot.h"

struct camera;
struct sim_robot;

/* Creates a camera of a robot. SPEC is copied: position, heading, half the horizontal angle of
 * view, width and height in pixels. All memory is allocated here; NULL: out of memory. */
struct camera *camera_create(const struct sim_robot *robot, const struct sensor_spec *spec);
void camera_destroy(struct camera *camera);

/* The present picture: width x height x 3 bytes, red, green, blue, top row first, left to right.
 * Valid until the next call. A pixel has the color of the point at its center. */
struct robot_image camera_render(struct camera *camera);

/* Sets the number of columns of the next pictures, from 1 to that of its spec; the number of rows
 * is robot_image_rows. */
void camera_resize(struct camera *camera, uint32_t columns);

/* Access to the cameras for robot_sensors.cameras; TAKE is NULL if the robot has no camera. */
struct robot_cameras camera_pictures(struct sim_robot *robot);
