/* The PIBOT chassis board as a virtual robot: the firmware as seen from its serial line, on each of
 * the vendor's chassis. README.md in this folder lists which behavior is exact, approximated or not
 * emulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type diff_board_type;

/* Indexes into the words of the option `model`. */
enum diff_board_model {
    DIFF_BOARD_APOLLO,
    DIFF_BOARD_APOLLO_X,
    DIFF_BOARD_ZEUS,
    DIFF_BOARD_HADES,
    DIFF_BOARD_HADES_X,
    DIFF_BOARD_HERA,
    DIFF_BOARD_OMNI4, /* our own; the vendor does not sell one */
    DIFF_BOARD_MODEL_COUNT,
};

enum diff_board_board {
    DIFF_BOARD_MEGA2560,
    DIFF_BOARD_MEGA2560_SHIELD, /* with the AF motor shield */
    DIFF_BOARD_STM32F1,
    DIFF_BOARD_STM32F4,
    DIFF_BOARD_BOARD_COUNT,
};

enum diff_board_firmware { DIFF_BOARD_FIRMWARE_1_0_1, DIFF_BOARD_FIRMWARE_2_0_0 };
enum diff_board_eeprom { DIFF_BOARD_EEPROM_FACTORY, DIFF_BOARD_EEPROM_ERASED };

/* Filled by diff_board_type.options; diff_board.c has unit, range and default of each. */
struct diff_board_options {
    int32_t model;    /* enum diff_board_model */
    int32_t board;    /* enum diff_board_board */
    int32_t firmware; /* enum diff_board_firmware */
    int32_t eeprom;   /* enum diff_board_eeprom; of a board without stored parameters */
    double turnaround_s;
    double boot_s;
    bool has_auto_reset;
    bool has_heading_lag;
    bool has_omni3_quirk;
    bool has_yaw_wrap;
    bool has_pwm_timeout;
    bool has_nan_quirk;

    /* The machine itself, independent of its parameters; 0: as in the model. */
    double wheel_diameter_m, wheel_track_m;
    int64_t encoder_counts;                   /* per wheel turn */
    int64_t motors_crossed, encoders_crossed; /* bits 0..3: wired in reverse */

    double accel_noise_m_s2, gyro_noise_rad_s, field_noise_mg;
    double gyro_bias_rad_s; /* about the z axis */
};

enum { DIFF_BOARD_MOTORS = 4 };
