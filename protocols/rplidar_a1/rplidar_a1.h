/* The Slamtec RPLIDAR A1 (A1M8) as a virtual scanner, as seen from the serial line of its USB
 * adapter. README.md in this folder lists which behavior is exact, approximated or not emulated. */
#pragma once

#include "protocols/lidar.h"

extern const struct robot_type rplidar_a1_type;

/* Indexes into the words of the option `firmware`. */
enum rplidar_firmware {
    RPLIDAR_1_16,
    RPLIDAR_1_20,
    RPLIDAR_1_24,
    RPLIDAR_1_25,
    RPLIDAR_1_29,
    RPLIDAR_FIRMWARES,
};

enum rplidar_quality { RPLIDAR_QUALITY_15, RPLIDAR_QUALITY_31 };
enum rplidar_motor { RPLIDAR_MOTOR_DTR, RPLIDAR_MOTOR_COMMAND, RPLIDAR_MOTOR_ALWAYS };

/* Filled by rplidar_a1_type.options; rplidar_a1.c has unit, range and default of each. */
struct rplidar_a1_options {
    int32_t firmware;      /* enum rplidar_firmware */
    int32_t motor;         /* enum rplidar_motor */
    int32_t quality;       /* enum rplidar_quality */
    int64_t typical_mode;  /* -1: that of the firmware */
    bool is_left_scanning; /* a host was killed during a scan */
    double scan_hz, spin_up_s, spin_down_s;
    double turnaround_s, boot_s;
    struct lidar_optics optics;
};
