#include "protocols/rplidar_a1/rplidar_a1_firmware.h"

#include "protocols/rplidar_a1/rplidar_a1_wire.h"

/* Times as a unit with firmware 1.29 reports them; 1.24 and 1.25 list three modes. */
const struct rplidar_mode rplidar_modes[RPLIDAR_MODES_MAX] = {
    {"Standard", 508, RPLIDAR_NODE},   {"Express", 254, RPLIDAR_EXPRESS},
    {"Boost", 127, RPLIDAR_ULTRA},     {"Sensitivity", 127, RPLIDAR_ULTRA},
    {"Stability", 201, RPLIDAR_ULTRA},
};

#define TEXT(version, hardware)                                                                    \
    "RP LIDAR System.\r\nFirmware Ver " version ", HW Ver " hardware "\r\nModel: 18\r\n"
const struct rplidar_profile rplidar_profiles[RPLIDAR_FIRMWARES] = {
    [RPLIDAR_1_16] = {16, 0, 0, 0, false, TEXT("1.16 - rtm", "0")},
    [RPLIDAR_1_20] = {20, 0, 0, 0, true, TEXT("1.20 - rtm", "0")},
    [RPLIDAR_1_24] = {24, 5, 3, 1, true, TEXT("1.24 - rtm", "5")},
    [RPLIDAR_1_25] = {25, 5, 3, 1, true, TEXT("1.25 - rc2", "5")},
    [RPLIDAR_1_29] = {29, 7, 5, 3, true, TEXT("1.29 - rtm", "7")},
};
