/* The active faults of a robot, as text for the user. */
#pragma once

#include "sim/commands/fault.h"

enum { FAULT_WORDS_MAX = 80 };

/* An active fault of a part: `fault PART=none` ends it. */
struct fault_now {
    struct fault_part part;
    char what[FAULT_WORDS_MAX]; /* "drop 5 % to host, delay 100 ms"; cut if longer */
    int64_t until_us;           /* end of the longest one; ROBOT_NEVER: until a command ends it */
};

/* Fills LIST with at most MOST parts, in the order of fault_parts; returns their number. */
size_t fault_list(const struct sim_robot *robot, struct fault_now *list, size_t most);
