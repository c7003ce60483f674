/* Docks: the light that they send, which a robot's receivers see, and the pins that charge it. The
 * shapes are chosen: docs/decisions/0004-dock-field.md. Leaves out reflected light, and the feel of
 * the base plate under the wheels. */
#ifndef PTYBOT_SIM_ROOM_DOCK_H
#define PTYBOT_SIM_ROOM_DOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/state/state.h"

/* The pins, on both sides of the axis: the pads of a Kobuki are above them when its bumper touches.
 */
#define DOCK_PIN_X_M (SCENE_DOCK_DEPTH_M / 2 + 0.176 - 0.128)
#define DOCK_PIN_Y_M 0.044

/* The light is a point on the dock's axis, so far in front of the middle of its housing. */
#define DOCK_LIGHT_X_M (SCENE_DOCK_DEPTH_M / 2 - 0.03)

/* What a receiver at a point would see if nothing were in the way: enum dock_bits, 0 outside. LEFT
 * and RIGHT are those of the dock, facing out. */
uint32_t dock_bits_at(struct pose dock, struct vec2 point);

/* The outline of the region where one bit (enum dock_bits) is seen, in the dock's frame, for
 * drawing: at most COUNT points. Returns how many. */
size_t dock_field_outline(uint32_t bit, struct vec2 *points, size_t count);

/* What one of the robot's receivers sees of all docks. */
uint32_t dock_seen(const struct sim_robot *robot, const struct sensor_spec *receiver);

/* Whether the robot's pads touch the pins of any dock. */
bool dock_charges(const struct sim_robot *robot);

#endif
