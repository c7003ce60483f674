/* The LDROBOT LD06 and LD19 as virtual scanners: they talk and never listen. README.md beside this
 * file says what is exact, approximated and not emulated. */
#ifndef PTYBOT_PROTOCOLS_LD06_LD06_H
#define PTYBOT_PROTOCOLS_LD06_LD06_H

#include "protocols/lidar.h"

extern const struct robot_type ld06_type, ld19_type;

/* Filled by the options of both types; ld06.c has unit, range and default of each. */
struct ld06_options {
    double scan_hz, spin_up_s;
    bool has_hole; /* one point of each turn is lost */
    struct lidar_optics optics;
};

enum { LD06_POINTS = 12, LD06_PACKET_BYTES = 47 };

#endif
