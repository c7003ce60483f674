/* The power of a robot: on, off, on USB alone, off and on again. One function changes it, so that
 * what a start of the firmware keeps, loses and learns is written in one place. */
#pragma once

#include <stdint.h>

#include "protocols/robot.h"

struct sim_robot;

enum power_change {
    POWER_ON,
    POWER_OFF, /* dead; what USB feeds stays there: its serial ports, but no TCP server */
    POWER_USB, /* the board lives on its USB plug; motors and battery are gone */
    /* These are no states but events. */
    POWER_CYCLE,   /* off and on again; its TCP servers are gone for a moment */
    POWER_RESTART, /* the firmware alone starts again; the wires keep what is on them */
    POWER_BEFORE,  /* at creation: the firmware has been running for long */
};

/* Changes the power of a robot; ON, OFF and USB until UNTIL_US (ROBOT_NEVER: until changed again).
 * Each start of the firmware keeps its storage and the observer's counters (frames, boots), tells
 * it which hosts are there, and stops the motors. Going off or on also empties the wires. To turn
 * on what is on already changes UNTIL_US only. What rides on it without power of its own follows:
 * on USB alone it is off. */
void robot_power(struct sim_robot *robot, enum power_change change, int64_t until_us);

/* The memory that survives a start, inside the firmware's state; NULL where the type has none. */
struct robot_storage *robot_storage_of(const struct sim_robot *robot);
