/* The state of a virtual TurtleBot3, shared by the files of this folder. It has no pointers, so
 * copying it is a snapshot. */
#pragma once

#include "protocols/dynamixel2.h"
#include "protocols/turtlebot3/turtlebot3.h"
#include "protocols/turtlebot3/turtlebot3_table.h"

enum { TURTLEBOT3_LEFT, TURTLEBOT3_RIGHT, TURTLEBOT3_WHEELS };

enum turtlebot3_model { TURTLEBOT3_BURGER, TURTLEBOT3_WAFFLE, TURTLEBOT3_MODELS };

/* Values from the firmware and from data sheets of the motors. */
struct turtlebot3_traits {
    uint8_t information;
    double track_m, linear_max_m_s, angular_max_rad_s;
    int32_t goal_max;                         /* Velocity Limit of the motor, in its unit */
    double gear, stall_nm, stall_a, free_rpm; /* at 11.1 V */
    double board_a;                           /* current of everything except the motors; chosen */
};
extern const struct turtlebot3_traits turtlebot3_traits[TURTLEBOT3_MODELS];

/* One of the two DYNAMIXEL motors. */
struct turtlebot3_servo {
    int32_t goal;                    /* 0.229 rpm */
    double ramp_rad_s, wanted_rad_s; /* after the profile; after the lag */
    double sum_rad;                  /* integral of the error */
    double duty, current_a;
    double zero_rad; /* wheel angle at counter 0 */
    int64_t silent_until_us;
};

struct turtlebot3_imu_state {
    int64_t due_us;
    uint64_t samples;
    double yaw_rad;
    double bias_rad_s[3], bias_sum[3];
    uint64_t calibrations; /* number of samples in bias_sum */
    double rate_rad_s[3], accel_m_s2[3], field_ut[3];
};

struct turtlebot3_power {
    double volts;
    int64_t low_us; /* time when the battery became low; ROBOT_NEVER: not low */
    bool is_cut;    /* the motors have no power */
    bool has_adapter;
};

struct turtlebot3_play {
    uint8_t melody;
    bool is_playing;
    int64_t start_us;
    double hz; /* present tone */
};

struct turtlebot3_state {
    struct turtlebot3_options options;
    uint8_t model; /* enum turtlebot3_model */
    struct turtlebot3_table table;
    struct turtlebot3_table asked[TURTLEBOT3_REQUESTS];

    struct dynamixel2 slave;
    struct dynamixel2_request request;
    bool has_request;
    int64_t answer_us;        /* time of the answer to the present or last request */
    int64_t blocked_until_us; /* the loop of the firmware is blocked until then */
    bool is_calibrating, is_booting;
    uint32_t reply_size;
    uint8_t reply[DYNAMIXEL2_FRAME_MAX];
    uint64_t replies;

    int64_t start_us, pass_us;
    bool has_torque, has_zero, is_connected;
    uint8_t heartbeat; /* last value seen */
    int64_t heartbeat_us;
    double linear_m_s, angular_rad_s; /* command */
    int64_t button_us[2];             /* start of pressing; ROBOT_NEVER: not pressed */
    bool was_held[2], is_button_drive[2];
    int32_t button_position;

    struct turtlebot3_servo servos[TURTLEBOT3_WHEELS];
    struct turtlebot3_imu_state imu;
    struct turtlebot3_power power;
    struct turtlebot3_play play;
    int32_t reported[TURTLEBOT3_WHEELS]; /* positions that a host read last, together with the
                                          * heading */
    double reported_rad;
    bool has_reported;
    uint64_t rng_key, timeouts, melodies;
    struct robot_stats stats;
    uint64_t boots;
};
