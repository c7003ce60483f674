/* Commands that every robot has: place, lift, press, plug, fault ... What only one kind of robot
 * has is in that robot's folder. */
#pragma once

#include <stddef.h>

#include "protocols/robot.h"

struct sim_robot;

/* The rows; each runs on a struct sim_robot. */
const struct command_row *sim_robot_commands(size_t *count);

/* Puts a robot back to its start: at its place, nothing pressed, all plugged in, modem lines as of
 * a ready robot, healed, charged as then, power off and on. */
void robot_restart(struct sim_robot *robot);

/* Those of the world (room_commands.c): build walls and boxes, take them away, put all back; each
 * runs on a struct sim. Those on time belong to whoever runs the simulation (struct run_rows). */
const struct command_row *sim_world_commands(size_t *count);
