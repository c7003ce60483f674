/* The messages of the PIBOT chassis protocol as plain structs, in wire units. Source: the document
 * "Communication protocol" of the vendor (pibotek/pibot_bringup: doc/README.md); ids 7 to 9 and the
 * end of the parameter block from its drivers and firmware. */
#ifndef PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_PACKETS_H
#define PTYBOT_PROTOCOLS_DIFF_BOARD_DIFF_BOARD_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include "protocols/wire.h"

enum diff_board_id {
    DIFF_BOARD_VERSION,
    DIFF_BOARD_SET_PARAMETERS,
    DIFF_BOARD_GET_PARAMETERS,
    DIFF_BOARD_INIT_ODOMETRY,
    DIFF_BOARD_SET_VELOCITY,
    DIFF_BOARD_ODOMETRY,
    DIFF_BOARD_PID,
    DIFF_BOARD_IMU,
    DIFF_BOARD_ENCODERS,
    DIFF_BOARD_SET_PWM,
    DIFF_BOARD_ID_COUNT,
    DIFF_BOARD_ID_COUNT_1_0_1 = DIFF_BOARD_ENCODERS, /* firmware 1.0.1 knows no later ids */
};

struct diff_board_version {
    char version[16];
    char time[16];
};

enum {
    DIFF_BOARD_BLOCK_SIZE = 64, /* of the parameter block, on the wire and in memory */
    DIFF_BOARD_RESERVE_SIZE = 35,
};

/* The parameter block. */
struct diff_board_parameters {
    uint16_t wheel_diameter, wheel_track;
    uint16_t encoder_resolution;
    uint8_t do_pid_interval;
    uint16_t kp, ki, kd, ko;
    uint16_t cmd_last_time;
    uint16_t max_v_liner_x, max_v_liner_y, max_v_angular_z;
    uint8_t imu_type;
    uint16_t motor_ratio;
    uint8_t model_type;
    uint8_t motor_nonexchange_flag, encoder_nonexchange_flag;
    uint8_t reserve[DIFF_BOARD_RESERVE_SIZE];
};

struct diff_board_velocity {
    int16_t v_liner_x, v_liner_y, v_angular_z;
};

struct diff_board_odometry {
    int16_t v_liner_x, v_liner_y, v_angular_z;
    int32_t x, y;
    int16_t yaw;
};

struct diff_board_pid {
    int32_t input[4], output[4];
};

struct diff_board_imu {
    float accel[3], gyro[3], field[3];
};

struct diff_board_encoders {
    float count[4];
};

struct diff_board_pwm {
    int16_t pwm[4];
};

enum { DIFF_BOARD_PACKET_COUNT = 2 * DIFF_BOARD_ID_COUNT };

/* Requests first, then replies, each in the order of ids. */
extern const struct wire_packet *const diff_board_packets[DIFF_BOARD_PACKET_COUNT];

/* Those with fields. */
extern const struct wire_packet diff_board_set_parameters_packet, diff_board_set_velocity_packet,
    diff_board_set_pwm_packet;
extern const struct wire_packet diff_board_version_packet, diff_board_parameters_packet,
    diff_board_odometry_packet, diff_board_pid_packet, diff_board_imu_packet,
    diff_board_encoders_packet;

/* The packet of an id and direction; NULL: no such id. */
const struct wire_packet *diff_board_packet_find(enum wire_direction direction, uint8_t id);

#endif
