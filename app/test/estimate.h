/* What a driver believes of its robot, as it says on its standard output in lines like
 * `ptybot estimate x_m=1.2 y_m=0 heading_deg=90 speed_m_s=0.2 turn_deg_s=0` or by the command
 * world.estimate, and how far that is
 * from the simulation. A driver's frame has its origin wherever its first estimate says. */
#pragma once

#include <stdbool.h>

#include "app/links/live.h"
#include "sim/sim.h"

enum { ESTIMATE_X, ESTIMATE_Y, ESTIMATE_HEADING, ESTIMATE_SPEED, ESTIMATE_TURN, ESTIMATE_KEYS };
enum { ESTIMATE_UPDATES = 10 }; /* a second of looks: an estimate may be as old */

/* Plain data; all zero is the start. */
struct estimate {
    long offset;    /* in the log */
    char line[512]; /* that has not ended; longer than any estimate */
    size_t line_size;
    bool is_given[ESTIMATE_KEYS];
    double values[ESTIMATE_KEYS];
    /* Poses of the first estimate, by the driver and by the two references. */
    bool has_origin;
    double origin[3], truth[3], odometry[3];
    double speeds[ESTIMATE_UPDATES], turns[ESTIMATE_UPDATES]; /* true ones of the last looks */
    unsigned updates;
};

struct estimate_error {
    double position_m, speed_m_s, turn_deg_s; /* 0: no estimate, or right */
};

/* Reads new lines in the log of the driver and the commands of LIVE, and compares with the first
 * robot: ten times a second. The smaller of the errors against truth and odometry counts. */
struct estimate_error estimate_update(struct estimate *estimate, const struct sim *sim,
                                      const struct live *live, const char *log);
