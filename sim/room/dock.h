/* Docks: the pins that charge a robot; their light is in beam.h. The shapes are chosen:
 * docs/decisions/0004-dock-field.md and 0014-beacons.md. The base plate under the wheels is not
 * simulated. */
#pragma once

#include <stdbool.h>

#include "sim/state/state.h"

/* The pins of a dock, on both sides of its axis. The robot's pads are above them when its bumper
 * touches the dock. */
struct dock_pins {
    double x_m, y_m;
};

struct dock_pins dock_pins(enum dock_kind kind);

/* Whether the robot's pads touch the pins of any dock of its kind. */
bool dock_charges(const struct sim_robot *robot);
