/* Properties of the scanner's firmware versions: the reported values, and the scan modes. */
#pragma once

#include "protocols/rplidar_a1/rplidar_a1.h"

struct rplidar_mode {
    const char *name;
    uint16_t sample_us;
    uint8_t type; /* type of the answer */
};
enum { RPLIDAR_MODES_MAX = 5 };

struct rplidar_profile {
    uint8_t minor, hardware;
    size_t mode_count;    /* 0: modes cannot be queried */
    uint8_t typical_mode; /* 1.29 starts in Sensitivity (rplidar_ros, issue 129) */
    bool has_express;
    const char *text; /* boot text */
};

/* Indexed by the id of a mode, and by enum rplidar_firmware. */
extern const struct rplidar_mode rplidar_modes[RPLIDAR_MODES_MAX];
extern const struct rplidar_profile rplidar_profiles[RPLIDAR_FIRMWARES];
