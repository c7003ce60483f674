/* The state of a virtual board, shared by the files of this folder. It has no pointers, so copying
 * it is a snapshot. Message structs are filled member by member, so that padding stays zero. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "protocols/arduino_port.h"
#include "protocols/diff_board/diff_board.h"
#include "protocols/diff_board/diff_board_wire.h"
#include "protocols/robot.h"

enum {
    DIFF_BOARD_ODOMETRY_PERIOD_US = 100000, /* CALC_ODOM_INTERVAL: MoBot_Arduino: src/robot.cpp */
    DIFF_BOARD_REPLIES_MAX = 128, /* chosen: number of waiting replies; if a host sends faster,
                                   * further replies are lost */
};

/* Velocity (m/s, m/s, rad/s) or travel (m, m, rad) of the body. */
struct diff_board_twist {
    double x, y, turn;
};

/* A motor with its encoder and its control loop. Counts have the firmware's sign. */
struct diff_board_motor {
    double target;      /* counts per PID interval */
    double error_sum;   /* counts s */
    double error;       /* of the last pass, counts */
    double pwm;         /* value of the firmware */
    int64_t raw_count;  /* of the encoder itself, at the last reading */
    int64_t count;      /* since the last initialization */
    int64_t pid_count;  /* count at the last PID pass */
    int64_t odom_count; /* count at the last update of the odometry */
    int32_t feedback;   /* counts of the last PID interval */
};

struct diff_board_motion {
    struct diff_board_motor motor[DIFF_BOARD_MOTORS];
    bool is_running; /* the control loop runs; false: idle */
    bool is_first;   /* the next pass is the first since the loop was idle */
    bool is_by_hand; /* id 9 has set the PWM */
    int64_t command_us;
    int64_t pass_us;     /* of the last pass */
    int64_t due_us;      /* of the next pass; ROBOT_NEVER: idle */
    uint64_t passes;     /* since power-on */
    uint64_t time_outs;  /* how often cmd_last_time stopped a moving robot */
    uint64_t bad_values; /* targets or outputs that were not finite: diameter 0, ko 0 */
};

/* Values that the firmware has integrated since the last initialization. */
struct diff_board_odom {
    int64_t due_us;
    double x_m, y_m, yaw_rad;
    struct diff_board_twist velocity;
    bool is_poisoned; /* a sum has NaN or infinity: nan_quirk */
};

struct diff_board_imu_state {
    int64_t due_us;
    uint64_t samples;
    uint64_t key; /* of the noise */
};

struct diff_board_reply {
    int64_t due_us;
    uint64_t size;
    uint8_t bytes[DIFF_BOARD_REPLY_MAX + 4]; /* a multiple of 8: no padding */
};

struct diff_board_replies {
    uint32_t first, count;
    struct diff_board_reply reply[DIFF_BOARD_REPLIES_MAX];
};

/* The last sent and received message of each kind. */
struct diff_board_messages {
    struct diff_board_parameters set_parameters;
    struct diff_board_velocity set_velocity;
    struct diff_board_pwm set_pwm;
    struct diff_board_version version;
    struct diff_board_odometry odometry;
    struct diff_board_pid pid;
    struct diff_board_imu imu;
    struct diff_board_encoders encoders;
};

struct diff_board_state {
    struct diff_board_options options;
    struct robot_stats stats;
    struct robot_storage storage;
    struct diff_board_parameters parameters; /* decoded storage */
    struct diff_board_framer framer;
    struct diff_board_messages last;
    struct diff_board_motion motion;
    struct diff_board_odom odom;
    struct diff_board_imu_state imu;
    struct diff_board_replies replies;
    struct arduino_port port; /* of a mega2560; the other boards lose no bytes */
    int64_t boot_until_us;    /* until then the board ignores all bytes and sends nothing */
    int64_t wake_us;          /* time of an action at the next tick; ROBOT_NEVER: none */
    bool is_booting;
    bool is_dtr_on;   /* line of the host */
    bool wants_clear; /* clear the encoder counters at the next tick */
    uint64_t boots;   /* power-ons and resets */
};
