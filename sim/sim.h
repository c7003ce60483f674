/* The public interface of the simulation: a world, its robots and their wires, advanced in steps of
 * 1 ms. This file includes the main headers of the folders; files of sim/ include only the header
 * that they need. */
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
