/* The LDROBOT LD06 and LD19 as virtual scanners, and the scanners of a TurtleBot3: the LDS-02,
 * which sends the same packet, and the LDS-01. README.md lists exact, approximated and missing
 * features. */
#pragma once

#include "protocols/lidar.h"

extern const struct robot_type ld06_type, ld19_type, lds_01_type, lds_02_type;

/* Filled by the options of all types; ld06.c has unit, range and default of each. */
struct ld06_options {
    double scan_hz, spin_up_s;
    bool has_hole;      /* one point per turn is lost */
    bool has_autostart; /* LDS-01: the motor runs from power-on */
    struct lidar_optics optics;
};

enum { LD06_POINTS = 12, LD06_PACKET_BYTES = 47, LDS_01_POINTS = 6, LDS_01_PACKET_BYTES = 42 };
