/* The iRobot Create 2 and the Roombas of the 500 and 600 series as virtual robots: their Open
 * Interface as seen from the serial line. README.md in this folder lists which behavior is exact,
 * approximated or not emulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type create2_type;

/* The machine, and its appearance from above (create2_body.c). */
extern const struct robot_body create2_body;
extern const struct appearance_list create2_appearance;

enum create2_model { CREATE2_CREATE_2, CREATE2_ROOMBA_500, CREATE2_ROOMBA_600, CREATE2_MODELS };
enum create2_wheel_error { CREATE2_WHEELS_EXACT, CREATE2_WHEELS_RECORDED };
enum create2_dock_codes { CREATE2_CODES_HOME_BASE, CREATE2_CODES_DISCOVERY };

/* Filled by create2_type.options; create2.c has unit, range and default of each. */
struct create2_options {
    int32_t model; /* enum create2_model */
    double battery_v;
    int64_t left_encoder_start, right_encoder_start;
    double dead_time_s;     /* delay between a mode change and the first effect of actuator
                             * commands */
    double time_constant_s; /* of the wheel speed */
    int32_t wheel_error;    /* enum create2_wheel_error */
    double slot_ppm;        /* by how much a slot is longer than 1/64 s */
    double sleep_after_s;   /* 0: never */
    bool sleeps_docked;
    bool has_brc;         /* the host's RTS drives BRC */
    bool has_boot_text;   /* prints text on reset, sleep and wake */
    bool has_charge_text; /* prints text once a second while it charges and the interface is off */
    bool has_distance_bug, has_angle_bug, has_mode_bug;
    bool is_slow;       /* 19200 baud after power-on */
    int32_t dock_codes; /* enum create2_dock_codes */
    bool has_noise;
};

/* Order of the body's sensors and wheels. */
enum create2_sensor {
    CREATE2_CLIFF_LEFT,
    CREATE2_CLIFF_FRONT_LEFT,
    CREATE2_CLIFF_FRONT_RIGHT,
    CREATE2_CLIFF_RIGHT,
    CREATE2_BUMP_LEFT, /* the light bumper, in the order of its bits */
    CREATE2_BUMP_FRONT_LEFT,
    CREATE2_BUMP_CENTER_LEFT,
    CREATE2_BUMP_CENTER_RIGHT,
    CREATE2_BUMP_FRONT_RIGHT,
    CREATE2_BUMP_RIGHT,
    CREATE2_IR_OMNI,
    CREATE2_IR_LEFT,
    CREATE2_IR_RIGHT,
    CREATE2_SENSORS,
};
enum { CREATE2_LEFT, CREATE2_RIGHT, CREATE2_WHEELS };
enum { CREATE2_CLIFFS = 4, CREATE2_LIGHT_BUMPERS = 6, CREATE2_RECEIVERS = 3 };
