/* The messages of the PIBOT chassis protocol as plain structs in wire units, with field tables, and
 * their frames: 5A, id, length, body, sum of all preceding bytes. Source: the document
 * "Communication protocol" of the vendor (pibotek/pibot_bringup: doc/README.md). Ids 7 to 9 and the
 * end of the parameter block are from its drivers and firmware. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
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
    DIFF_BOARD_ID_COUNT_1_0_1 = DIFF_BOARD_ENCODERS, /* firmware 1.0.1 does not know later ids */
};

struct diff_board_version {
    char version[16];
    char time[16];
};

enum {
    DIFF_BOARD_BLOCK_SIZE = 64, /* size of the parameter block, on the wire and in memory */
    DIFF_BOARD_RESERVE_SIZE = 35,
};

/* Values of model_type in the parameter block. */
enum diff_board_kind {
    DIFF_BOARD_2WD = 1,
    DIFF_BOARD_4WD = 2,
    DIFF_BOARD_OMNI_3 = 101,
    DIFF_BOARD_OMNI_4 = 102,
    DIFF_BOARD_MECANUM = 201,
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

/* Requests first, then replies, each in the order of ids; NULL-terminated. */
extern const struct wire_packet *const diff_board_packets[];

extern const struct wire_framing diff_board_framing; /* of both directions */

/* Packets with fields. */
extern const struct wire_packet diff_board_set_parameters_packet, diff_board_set_velocity_packet,
    diff_board_set_pwm_packet;
extern const struct wire_packet diff_board_version_packet, diff_board_parameters_packet,
    diff_board_odometry_packet, diff_board_pid_packet, diff_board_imu_packet,
    diff_board_encoders_packet;

/* The packet with an id and direction; NULL: unknown id. */
const struct wire_packet *diff_board_packet_find(enum wire_direction direction, uint8_t id);

enum {
    DIFF_BOARD_FRAME_HEAD = 3, /* 5A, id, length */
    DIFF_BOARD_FRAME_EXTRA = DIFF_BOARD_FRAME_HEAD + 1,
    DIFF_BOARD_BODY_MAX = 255,
    DIFF_BOARD_REPLY_MAX = 64 + DIFF_BOARD_FRAME_EXTRA, /* the parameter block */
};

/* ---- Receiving: the state machine of the firmware, including its quirks. All zero is the initial
 * state. ---- */

enum diff_board_wait {
    DIFF_BOARD_WAIT_HEADER,
    DIFF_BOARD_WAIT_ID,
    DIFF_BOARD_WAIT_LENGTH,
    DIFF_BOARD_WAIT_BODY,
    DIFF_BOARD_WAIT_SUM,
};

struct diff_board_framer {
    uint8_t wait; /* enum diff_board_wait */
    uint8_t id, length, used, sum;
    uint8_t body[DIFF_BOARD_BODY_MAX];
};

/* Takes a byte. True: the byte completed a good frame, whose id and body are in the framer until
 * the next call. IDS: the firmware knows ids below this. There is no timeout between bytes, and the
 * bytes of a broken frame are not searched again. Counts frames, bad_frames, noise_bytes and
 * unknown_ids. */
bool diff_board_framer_push(struct diff_board_framer *framer, uint8_t byte, unsigned ids,
                            struct robot_stats *stats);

/* ---- Complete frames ---- */

/* Writes a frame with MESSAGE (NULL for a packet without fields) into OUT. Returns its size. */
size_t diff_board_frame_make(const struct wire_packet *packet, const void *message,
                             uint8_t out[DIFF_BOARD_REPLY_MAX]);
