/* The power of a robot: on, off, USB only, or a power cycle. A single function changes it, so that
 * the rules for a start of the firmware (its memory, counters and information about drivers) are in
 * one place. */
#pragma once

#include <stdint.h>

#include "protocols/robot.h"

struct sim_robot;

enum power_change {
    POWER_ON,
    POWER_OFF, /* off; serial ports powered by USB stay present, TCP servers do not */
    POWER_USB, /* the USB plug powers the board; no power for motors, no battery */
    /* These are events, not states. */
    POWER_CYCLE,   /* off and on again; its TCP servers disappear for a moment */
    POWER_RESTART, /* only the firmware restarts; the wires keep their bytes */
    POWER_BEFORE,  /* at creation: the firmware has been running for a long time */
};

/* Changes the power of a robot; ON, OFF and USB until UNTIL_US (ROBOT_NEVER: until the next
 * change). Each start of the firmware keeps its storage and the observer's counters (frames,
 * boots), informs the firmware of connected drivers, and stops the motors. Switching off or on also
 * empties the wires. If the robot is on already, ON changes UNTIL_US only. Mounted robots without
 * their own power follow: if the carrier has USB power only, they are off. */
void robot_power(struct sim_robot *robot, enum power_change change, int64_t until_us);

/* The memory that survives a start, inside the firmware's state; NULL: the type has none. */
struct robot_storage *robot_storage_of(const struct sim_robot *robot);
