/* The COBOT 4WD (sold as CODBOT, board CODBOT-RCU) as a virtual robot, in its four models.
 * README.md in this folder lists which behavior is exact, approximated or not emulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/robot.h"

extern const struct robot_type cobot_type;

/* The machine, and its appearance from above (cobot_body.c). */
void cobot_body(const void *chosen, struct robot_body *body);
extern const struct appearance_list cobot_appearance;

enum cobot_channel { COBOT_UART, COBOT_BLUETOOTH, COBOT_CHANNELS };

/* Order of the wheels, and of the motors in message 03. */
enum cobot_wheel_name {
    COBOT_FRONT_LEFT,
    COBOT_REAR_LEFT,
    COBOT_FRONT_RIGHT,
    COBOT_REAR_RIGHT,
    COBOT_WHEELS,
};

/* Indexes into the words of the option `model`. Message 07 sends the index plus one. */
enum cobot_model {
    COBOT_ACKERMANN,
    COBOT_DIFFERENTIAL,
    COBOT_MECANUM,
    COBOT_TRACKED,
    COBOT_MODEL_COUNT,
};

/* Indexes into the words of the options below. */
enum cobot_feed { COBOT_FEED_VALID, COBOT_FEED_ANY };
enum cobot_bluetooth {
    COBOT_BLUETOOTH_LETTERS,
    COBOT_BLUETOOTH_FRAMES,
    COBOT_BLUETOOTH_BOTH,
};
enum cobot_motor_speed {
    COBOT_MOTOR_MM_S,
    COBOT_MOTOR_MM_S_SIGNED,
    COBOT_MOTOR_RPM,
    COBOT_MOTOR_RPM_SIGNED,
};
enum cobot_yaw { COBOT_YAW_CLOCKWISE, COBOT_YAW_COUNTER_CLOCKWISE };
enum cobot_strafe { COBOT_STRAFE_DOCUMENT, COBOT_STRAFE_SWAPPED };
enum cobot_strafe_from { COBOT_STRAFE_FROM_ALL, COBOT_STRAFE_FROM_LEFT };
enum cobot_turn_report { COBOT_TURN_REPORT_RATE, COBOT_TURN_REPORT_STEERING };
enum cobot_speed_loop { COBOT_LOOP_STEADY, COBOT_LOOP_PER_COMMAND };
enum cobot_rates { COBOT_RATES_DOCUMENT, COBOT_RATES_FIRMWARE };
enum cobot_overflow { COBOT_OVERFLOW_SATURATE, COBOT_OVERFLOW_WRAP };

/* Filled by cobot_type.options; cobot.c has unit, range and default of each. */
struct cobot_options {
    int32_t model; /* enum cobot_model */
    double track_m, wheelbase_m, wheel_diameter_m;
    double battery_v;
    int64_t battery_cells;
    double battery_ah;
    int64_t speed_max_mm_s;
    int64_t watchdog_ms;      /* 0: off */
    int32_t watchdog_feed;    /* enum cobot_feed */
    int32_t bluetooth;        /* enum cobot_bluetooth */
    int32_t rates;            /* enum cobot_rates */
    int32_t motor_speed;      /* enum cobot_motor_speed */
    int32_t zero_y_sign;      /* value of the sign byte */
    int32_t yaw;              /* enum cobot_yaw */
    int32_t strafe;           /* enum cobot_strafe */
    int32_t strafe_from;      /* enum cobot_strafe_from */
    int32_t turn_report;      /* enum cobot_turn_report */
    int32_t speed_loop;       /* enum cobot_speed_loop */
    int32_t turn_overflow;    /* enum cobot_overflow */
    int32_t battery_overflow; /* enum cobot_overflow */
    int32_t imu_overflow;     /* enum cobot_overflow */
    bool has_noise;
};
