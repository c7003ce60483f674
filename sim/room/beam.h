/* Infrared light of docks and beacons, as a robot's receivers detect it, without reflections. The
 * shapes are chosen: docs/decisions/0004-dock-field.md for a Kobuki's dock,
 * docs/decisions/0014-beacons.md for the others. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sim/state/state.h"

/* The light source of a dock is a point on its axis at this distance in front of the middle of its
 * housing. The source of a beacon is in its middle. */
#define BEAM_DOCK_X_M (SCENE_DOCK_DEPTH_M / 2 - 0.03)

/* Light sources: docks in the order of enum dock_kind, then beacons in that of enum beacon_kind. */
enum beam_source {
    BEAMS_OF_KOBUKI_DOCK = DOCK_KOBUKI,
    BEAMS_OF_HOME_BASE = DOCK_HOME_BASE,
    BEAMS_OF_VIRTUAL_WALL = DOCK_KINDS + BEACON_VIRTUAL_WALL,
    BEAMS_OF_LIGHTHOUSE = DOCK_KINDS + BEACON_LIGHTHOUSE,
};

/* The beams (enum robot_beam) of a source that a receiver at a point would detect without
 * obstacles; 0 outside. LEFT and RIGHT are relative to the direction that a dock faces. */
uint32_t beams_at(enum beam_source source, struct pose pose, struct vec2 point);

/* The outline of the region of one beam (enum robot_beam), in the frame of its source, for drawing:
 * at most COUNT points. Returns their number. */
size_t beam_outline(uint32_t beam, struct vec2 *points, size_t count);

/* The beams that a receiver of the robot detects, from all docks and beacons. */
uint32_t beams_seen(const struct sim_robot *robot, const struct sensor_spec *receiver);
