/* Infrared light that a robot's receivers see: of docks and of beacons. Leaves out reflected light.
 * The shapes are chosen: docs/decisions/0004-dock-field.md for a Kobuki's dock,
 * docs/decisions/0014-beacons.md for the others. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/state/state.h"

/* The light of a dock is a point on its axis, so far in front of the middle of its housing; that of
 * a beacon is in its middle. */
#define BEAM_DOCK_X_M (SCENE_DOCK_DEPTH_M / 2 - 0.03)

/* What sends light: docks in the order of enum dock_kind, then beacons in that of
 * enum beacon_kind. */
enum beam_source {
    BEAMS_OF_KOBUKI_DOCK = DOCK_KOBUKI,
    BEAMS_OF_HOME_BASE = DOCK_HOME_BASE,
    BEAMS_OF_VIRTUAL_WALL = DOCK_KINDS + BEACON_VIRTUAL_WALL,
    BEAMS_OF_LIGHTHOUSE = DOCK_KINDS + BEACON_LIGHTHOUSE,
};

/* What a receiver at a point would see of a source if nothing were in the way: enum robot_beam, 0
 * outside. LEFT and RIGHT are those of a dock, facing out. */
uint32_t beams_at(enum beam_source source, struct pose pose, struct vec2 point);

/* The outline of the region where one beam (enum robot_beam) is seen, in the frame of its source,
 * for drawing: at most COUNT points. Returns how many. */
size_t beam_outline(uint32_t beam, struct vec2 *points, size_t count);

/* What one of the robot's receivers sees of all docks and beacons. */
uint32_t beams_seen(const struct sim_robot *robot, const struct sensor_spec *receiver);
