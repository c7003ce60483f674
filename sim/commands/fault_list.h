/* What is wrong with a robot now, in words that a person reads. */
#pragma once

#include "sim/commands/fault.h"

enum { FAULT_WORDS_MAX = 80 };

/* A part that fails now: `fault PART=none` ends it. */
struct fault_now {
    struct fault_part part;
    char what[FAULT_WORDS_MAX]; /* "drop 5 % to host, delay 100 ms"; cut if longer */
    int64_t until_us;           /* of what lasts longest; ROBOT_NEVER: until it is ended */
};

/* Fills LIST with at most MOST parts, in the order of fault_parts; returns how many there are. */
size_t fault_list(const struct sim_robot *robot, struct fault_now *list, size_t most);
