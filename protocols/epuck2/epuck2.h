/* The e-puck2 (GCtronic and EPFL) as a virtual robot: its WiFi firmware as seen from TCP port 1000,
 * and the serial protocol of its main processor. README.md in this folder lists which behavior is
 * exact, approximated or not emulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type epuck2_type;

enum epuck2_channel { EPUCK2_WIFI, EPUCK2_SERIAL, EPUCK2_CHANNEL_COUNT };

enum epuck2_disconnect { EPUCK2_DISCONNECT_KEEP, EPUCK2_DISCONNECT_STOP };
enum epuck2_bad_id { EPUCK2_BAD_ID_HUNT, EPUCK2_BAD_ID_USE };

/* Filled by epuck2_type.options; epuck2.c has unit, range and default of each. */
struct epuck2_options {
    bool has_ground;
    bool has_sd;
    int64_t selector;
    double battery_v;
    double sensors_hz, image_hz;
    double calibration_s;
    double sd_delay_s;
    int32_t disconnect; /* enum epuck2_disconnect */
    int32_t bad_id;     /* enum epuck2_bad_id */
    bool has_split_quirk;
    int64_t socket_limit; /* number of hosts after which no further host is served; 0: no limit */
    bool has_status_lamp; /* the WiFi firmware controls LED2 */
    bool has_remote_drive;
    int64_t left_steps_start, right_steps_start;
    double wheel_diameter_m, axle_m;
    double camera_fov_rad, camera_gain;
    bool has_noise;
};

/* Order of the body's sensor list. Without the ground extension the last three are missing. */
enum epuck2_sensor {
    EPUCK2_PROX0, /* clockwise from the front right; eight of them */
    EPUCK2_CAMERA = EPUCK2_PROX0 + 8,
    EPUCK2_MIC_RIGHT,
    EPUCK2_MIC_LEFT,
    EPUCK2_MIC_BACK,
    EPUCK2_MIC_FRONT,
    EPUCK2_TOF,
    EPUCK2_GROUND_LEFT,
    EPUCK2_GROUND_CENTER,
    EPUCK2_GROUND_RIGHT,
    EPUCK2_SENSOR_COUNT,
};

enum {
    EPUCK2_LEFT,
    EPUCK2_RIGHT,
    EPUCK2_WHEELS,
    EPUCK2_PROX_COUNT = 8,
    EPUCK2_MIC_COUNT = 4,
    EPUCK2_GROUND_COUNT = 3,
    EPUCK2_IMAGE_WIDTH = 160,
    EPUCK2_IMAGE_HEIGHT = 120,
    EPUCK2_IMAGE_SIZE = EPUCK2_IMAGE_WIDTH * EPUCK2_IMAGE_HEIGHT * 2, /* RGB565 */
};
