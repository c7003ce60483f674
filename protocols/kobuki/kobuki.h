/* The Kobuki (Yujin iClebo Kobuki, base of the TurtleBot 2) as a virtual robot: its complete
 * firmware as seen from the serial line. README.md in this folder lists which behavior is exact,
 * approximated or not emulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type kobuki_type;

/* The machine, and its appearance from above (kobuki_body.c). */
void kobuki_body(const void *options, struct robot_body *body);
extern const struct appearance_list kobuki_appearance;

/* Indexes into the words of the option `firmware`. */
enum kobuki_firmware {
    KOBUKI_FIRMWARE_1_0_0,
    KOBUKI_FIRMWARE_1_1_0,
    KOBUKI_FIRMWARE_1_1_1,
    KOBUKI_FIRMWARE_1_1_2,
    KOBUKI_FIRMWARE_1_1_3,
    KOBUKI_FIRMWARE_1_1_4,
    KOBUKI_FIRMWARE_1_2_0,
    KOBUKI_FIRMWARE_1_3_0,
    KOBUKI_FIRMWARE_2_0_0,
    KOBUKI_FIRMWARE_COUNT,
};

enum kobuki_pack { KOBUKI_PACK_4S1P, KOBUKI_PACK_4S2P, KOBUKI_PACK_COUNT };
enum kobuki_set_power { KOBUKI_SET_POWER_ACCEPT, KOBUKI_SET_POWER_IGNORE };
enum kobuki_structure { KOBUKI_BARE, KOBUKI_TURTLEBOT2 };
enum kobuki_checksum { KOBUKI_CHECKSUM_STRICT, KOBUKI_CHECKSUM_LENIENT };

/* Filled by kobuki_type.options; kobuki.c has unit, range and default of each. */
struct kobuki_options {
    int32_t firmware; /* enum kobuki_firmware */
    int32_t hardware; /* patch of 1.0.x */
    char udid[48];    /* "a-b-c", other text (hashed), or empty: derived from the robot's key */
    bool is_udid_always;
    double battery_v;
    int32_t battery_pack; /* enum kobuki_pack */
    double watchdog_s;    /* 0: off */
    double command_dead_time_s;
    int64_t timestamp_start_ms;
    int64_t left_encoder_start, right_encoder_start;
    double angle_start_deg;
    double gyro_rate_hz;
    int64_t gyro_frame_start;
    int64_t gyro_lost_every; /* one of so many samples is lost; 0: none */
    int64_t gyro_bias[3];    /* digits, sensor axes */
    double cliff_threshold_m;
    int32_t set_power; /* enum kobuki_set_power */
    int32_t checksum;  /* enum kobuki_checksum */
    int32_t structure; /* enum kobuki_structure */
    bool has_noise;
};

/* Order of the body's sensor list and of the wheels. */
enum kobuki_sensor {
    KOBUKI_CLIFF_RIGHT,
    KOBUKI_CLIFF_CENTER,
    KOBUKI_CLIFF_LEFT,
    KOBUKI_DOCK_RIGHT,
    KOBUKI_DOCK_CENTER,
    KOBUKI_DOCK_LEFT,
    KOBUKI_SENSOR_COUNT,
};
enum { KOBUKI_LEFT, KOBUKI_RIGHT, KOBUKI_WHEELS };
