/* The simulation, for whoever is outside of it: a world, the robots in it and their wires, advanced
 * by one step of 1 ms at a time. These are the faces of its rooms; the files of sim/ include the
 * one that they need. */
#pragma once

#include "sim/commands/command.h"
#include "sim/commands/fault_commands.h"
#include "sim/commands/robot_commands.h"
#include "sim/scene/scene.h"
#include "sim/state/inputs.h"
#include "sim/state/robots.h"
#include "sim/state/signals.h"
#include "sim/step/create.h"
#include "sim/step/step.h"
#include "sim/verdict/condition.h"
#include "sim/verdict/expect.h"
#include "sim/verdict/measure.h"
#include "sim/verdict/timeline.h"
