/* Commands that every robot has: place, lift, press, plug, fault ... Commands of one type of robot
 * are in that robot's folder. */
#pragma once

#include <stddef.h>

#include "protocols/robot.h"

struct sim_robot;

/* The table; each command works on a struct sim_robot. */
const struct command_row *sim_robot_commands(size_t *count);

/* Puts a robot back to its initial state: at its start pose, nothing pressed, everything plugged
 * in, modem lines of a ready robot, no faults, with its initial charge, and power-cycled. */
void robot_restart(struct sim_robot *robot);

/* Commands of the world (room_commands.c): build walls and boxes, remove them, restore the initial
 * state; each works on a struct sim. Commands that control time are in the program that runs the
 * simulation (struct run_rows). */
const struct command_row *sim_world_commands(size_t *count);
