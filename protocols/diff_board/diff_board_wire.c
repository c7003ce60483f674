/* Field tables of the messages, and their frames. The sizes are those of the documentation; a test
 * compares them with the sums of the fields. Source of the parser's behavior: the vendor's firmware
 * (gskywolf/MoBot_Arduino: lib/Transport). */
#include "protocols/diff_board/diff_board_wire.h"

#include <assert.h>
#include <string.h>

/* PACKET(name, id, direction, body bytes, fields, struct tag, note, members of an example) */
#define PACKET(text, number, to, bytes, rows, tag, words, ...)                                     \
    WIRE_PACKET(text, number, to, WIRE_LITTLE_ENDIAN, bytes, rows, tag, .note = words,             \
                WIRE_EXAMPLE(tag, __VA_ARGS__))

/* The vendor's example: an apollo with an STM32F1 (pibotek/pibot_bringup: doc/README.md). */
#define APOLLO                                                                                     \
    .wheel_diameter = 65, .wheel_track = 175, .encoder_resolution = 44, .do_pid_interval = 10,     \
    .kp = 320, .ki = 2700, .ko = 10, .cmd_last_time = 250, .max_v_liner_x = 50,                    \
    .max_v_angular_z = 200, .imu_type = 71, .motor_ratio = 90, .model_type = DIFF_BOARD_2WD,       \
    .motor_nonexchange_flag = 0x0F, .encoder_nonexchange_flag = 0x0F

/* A message without a body: a request for data, or an acknowledgement. */
#define EMPTY(prefix, text, number, to, words)                                                     \
    static const struct wire_packet prefix##_packet = {.name = (text),                             \
                                                       .id = (number),                             \
                                                       .direction = (to),                          \
                                                       .order = WIRE_LITTLE_ENDIAN,                \
                                                       .note = (words)}

/* ---- Host to board ---- */

EMPTY(get_version, "get_version", DIFF_BOARD_VERSION, WIRE_TO_ROBOT, "answered by version");
EMPTY(get_parameters, "get_parameters", DIFF_BOARD_GET_PARAMETERS, WIRE_TO_ROBOT,
      "answered by parameters");
EMPTY(init_odometry, "init_odometry", DIFF_BOARD_INIT_ODOMETRY, WIRE_TO_ROBOT,
      "clears odometry and encoder counters, nothing else");
EMPTY(get_odometry, "get_odometry", DIFF_BOARD_ODOMETRY, WIRE_TO_ROBOT, "answered by odometry");
EMPTY(get_pid, "get_pid", DIFF_BOARD_PID, WIRE_TO_ROBOT, "answered by pid");
EMPTY(get_imu, "get_imu", DIFF_BOARD_IMU, WIRE_TO_ROBOT, "answer: imu; not in the document");
EMPTY(get_encoders, "get_encoders", DIFF_BOARD_ENCODERS, WIRE_TO_ROBOT,
      "answer: encoders; newer firmware");

#define ROW(member, unit, note) WIRE_FIELD(diff_board_parameters, member, 1, unit, note)
static const struct wire_field parameter_fields[] = {
    ROW(wheel_diameter, "mm", ""),
    ROW(wheel_track, "mm", "omni3: wheel circle; mecanum, omni4: wheelbase + track"),
    ROW(encoder_resolution, "", "counts, x 4 included; per motor turn from firmware 2"),
    ROW(do_pid_interval, "ms", ""),
    ROW(kp, "", ""),
    ROW(ki, "", ""),
    ROW(kd, "", ""),
    ROW(ko, "", "divisor of the three gains"),
    ROW(cmd_last_time, "ms", "duration of a velocity command"),
    ROW(max_v_liner_x, "cm/s", ""),
    ROW(max_v_liner_y, "cm/s", ""),
    WIRE_FIELD(diff_board_parameters, max_v_angular_z, 0.01, "rad/s", ""),
    ROW(imu_type, "", "49 GY65, 69 GY85, 71 GY87, 255 none"),
    ROW(motor_ratio, "", "gear ratio"),
    ROW(model_type, "", "1 diff 2WD, 2 diff 4WD, 101 omni3, 102 omni4, 201 mecanum"),
    ROW(motor_nonexchange_flag, "", "bits 0..3: motors 1..4; 1 normal, 0 reversed"),
    ROW(encoder_nonexchange_flag, "", "bits 0..3: motors 1..4; 1 normal, 0 reversed"),
    WIRE_ARRAY(diff_board_parameters, reserve, 1, "", "kept as set"),
};
#undef ROW
const struct wire_packet diff_board_set_parameters_packet =
    PACKET("set_parameters", DIFF_BOARD_SET_PARAMETERS, WIRE_TO_ROBOT, DIFF_BOARD_BLOCK_SIZE,
           parameter_fields, diff_board_parameters, "immediate effect; saved", APOLLO);

static const struct wire_field set_velocity_fields[] = {
    WIRE_FIELD(diff_board_velocity, v_liner_x, 1, "cm/s", "forward positive"),
    WIRE_FIELD(diff_board_velocity, v_liner_y, 1, "cm/s", "left positive"),
    WIRE_FIELD(diff_board_velocity, v_angular_z, 0.01, "rad/s", "left positive"),
};
const struct wire_packet diff_board_set_velocity_packet =
    PACKET("set_velocity", DIFF_BOARD_SET_VELOCITY, WIRE_TO_ROBOT, 6, set_velocity_fields,
           diff_board_velocity, "holds for cmd_last_time", .v_liner_x = 30, .v_angular_z = -50);

static const struct wire_field set_pwm_fields[] = {
    WIRE_ARRAY(diff_board_pwm, pwm, 1, "", "motors 1 to 4"),
};
const struct wire_packet diff_board_set_pwm_packet =
    PACKET("set_pwm", DIFF_BOARD_SET_PWM, WIRE_TO_ROBOT, 8, set_pwm_fields, diff_board_pwm,
           "newer firmware, for tests of motors", .pwm = {100, -100});

/* ---- Board to host ---- */

EMPTY(parameters_set, "parameters_set", DIFF_BOARD_SET_PARAMETERS, WIRE_TO_HOST,
      "sent before the values are saved");
EMPTY(odometry_initialized, "odometry_initialized", DIFF_BOARD_INIT_ODOMETRY, WIRE_TO_HOST,
      "acknowledgement");
EMPTY(velocity_set, "velocity_set", DIFF_BOARD_SET_VELOCITY, WIRE_TO_HOST, "acknowledgement");
EMPTY(pwm_set, "pwm_set", DIFF_BOARD_SET_PWM, WIRE_TO_HOST, "acknowledgement");

static const struct wire_field version_fields[] = {
    WIRE_ARRAY(diff_board_version, version, 1, "", "version of the firmware"),
    WIRE_ARRAY(diff_board_version, time, 1, "", "when it was built"),
};
const struct wire_packet diff_board_version_packet =
    PACKET("version", DIFF_BOARD_VERSION, WIRE_TO_HOST, 32, version_fields, diff_board_version,
           "padded with NUL", .version = "v2.0.0", .time = "20200109-m3e3");

const struct wire_packet diff_board_parameters_packet =
    PACKET("parameters", DIFF_BOARD_GET_PARAMETERS, WIRE_TO_HOST, DIFF_BOARD_BLOCK_SIZE,
           parameter_fields, diff_board_parameters, "all bytes as last set", APOLLO);

static const struct wire_field odometry_fields[] = {
    WIRE_FIELD(diff_board_odometry, v_liner_x, 1, "cm/s", "forward positive"),
    WIRE_FIELD(diff_board_odometry, v_liner_y, 1, "cm/s", "left positive"),
    WIRE_FIELD(diff_board_odometry, v_angular_z, 0.01, "rad/s", "left positive"),
    WIRE_FIELD(diff_board_odometry, x, 1, "cm", "along the heading at the last initialization",
               .tolerance = {WIRE_HELD_COUNT, 2, 0.01}),
    WIRE_FIELD(diff_board_odometry, y, 1, "cm", "left of the heading at the last initialization",
               .tolerance = {WIRE_HELD_COUNT, 2, 0.01}),
    WIRE_FIELD(diff_board_odometry, yaw, 0.01, "rad", "left positive, counts whole turns",
               .tolerance = {WIRE_HELD_COUNT, 0.05, 0.01}),
};
const struct wire_packet diff_board_odometry_packet = PACKET(
    "odometry", DIFF_BOARD_ODOMETRY, WIRE_TO_HOST, 16, odometry_fields, diff_board_odometry,
    "new every 100 ms", .v_liner_x = 30, .v_angular_z = -50, .x = 1234, .y = -56, .yaw = -157);

static const struct wire_field pid_fields[] = {
    WIRE_ARRAY(diff_board_pid, input, 1, "", "wanted counts in a PID interval",
               .tolerance = {WIRE_HELD_VALUE, 2, 0.03}),
    WIRE_ARRAY(diff_board_pid, output, 1, "", "measured counts in a PID interval",
               .tolerance = {WIRE_HELD_VALUE, 4, 0.1}),
};
const struct wire_packet diff_board_pid_packet =
    PACKET("pid", DIFF_BOARD_PID, WIRE_TO_HOST, 32, pid_fields, diff_board_pid,
           "values of the last PID interval", .input = {-22, 22}, .output = {-23, 23});

static const struct wire_field imu_fields[] = {
    WIRE_ARRAY(diff_board_imu, accel, 1, "m/s2", "+9.8 in z if level",
               .tolerance = {WIRE_HELD_VALUE, 2, 0.05}),
    WIRE_ARRAY(diff_board_imu, gyro, 1, "rad/s", ""),
    WIRE_ARRAY(diff_board_imu, field, 1, "mG", "milligauss",
               .tolerance = {WIRE_HELD_ROOM, 50, 0.1}),
};
const struct wire_packet diff_board_imu_packet = PACKET(
    "imu", DIFF_BOARD_IMU, WIRE_TO_HOST, 36, imu_fields, diff_board_imu, "not in the document",
    .accel = {0.1f, 0.2f, 9.8f}, .gyro = {0, 0, -0.5f}, .field = {-33, 258, -297});

static const struct wire_field encoders_fields[] = {
    WIRE_ARRAY(diff_board_encoders, count, 1, "", "since the last initialization",
               .tolerance = {WIRE_HELD_COUNT, 60, 0.01}),
};
const struct wire_packet diff_board_encoders_packet =
    PACKET("encoders", DIFF_BOARD_ENCODERS, WIRE_TO_HOST, 16, encoders_fields, diff_board_encoders,
           "newer firmware", .count = {-3960, 3960});

/* ---- List of all packets ---- */

const struct wire_packet *const diff_board_packets[] = {
    &get_version_packet,
    &diff_board_set_parameters_packet,
    &get_parameters_packet,
    &init_odometry_packet,
    &diff_board_set_velocity_packet,
    &get_odometry_packet,
    &get_pid_packet,
    &get_imu_packet,
    &get_encoders_packet,
    &diff_board_set_pwm_packet,

    &diff_board_version_packet,
    &parameters_set_packet,
    &diff_board_parameters_packet,
    &odometry_initialized_packet,
    &velocity_set_packet,
    &diff_board_odometry_packet,
    &diff_board_pid_packet,
    &diff_board_imu_packet,
    &diff_board_encoders_packet,
    &pwm_set_packet,
    NULL,
};

const struct wire_packet *diff_board_packet_find(enum wire_direction direction, uint8_t id)
{
    if (id >= DIFF_BOARD_ID_COUNT)
        return NULL;
    return diff_board_packets[direction == WIRE_TO_ROBOT ? id : id + DIFF_BOARD_ID_COUNT];
}

static const uint8_t DIFF_BOARD_HEADER = 0x5A;

const struct wire_framing diff_board_framing = {
    .head = {0x5A},
    .head_size = 1,
    .length_at = 2,
    .length_max = UINT8_MAX,
    .length_extra = DIFF_BOARD_FRAME_EXTRA,
    .check = WIRE_CHECK_SUM,
    .id_at = 1,
    .body_at = DIFF_BOARD_FRAME_HEAD,
};

/* ---- Receiving ---- */

static void framer_start(struct diff_board_framer *framer)
{
    memset(framer, 0, sizeof *framer);
    framer->wait = DIFF_BOARD_WAIT_ID;
    framer->sum = DIFF_BOARD_HEADER;
}

static void framer_sum(struct diff_board_framer *framer, uint8_t byte)
{
    framer->sum = (uint8_t)(framer->sum + byte);
}

bool diff_board_framer_push(struct diff_board_framer *framer, uint8_t byte, unsigned ids,
                            struct robot_stats *stats)
{
    switch (framer->wait) {
    case DIFF_BOARD_WAIT_HEADER:
        if (byte == DIFF_BOARD_HEADER)
            framer_start(framer);
        else
            stats->noise_bytes++;
        return false;
    case DIFF_BOARD_WAIT_ID:
        framer->id = byte;
        framer_sum(framer, byte);
        framer->wait = byte < ids ? DIFF_BOARD_WAIT_LENGTH : DIFF_BOARD_WAIT_HEADER;
        stats->unknown_ids += byte >= ids; /* not taken as a header, even if it is 5A */
        return false;
    case DIFF_BOARD_WAIT_LENGTH:
        framer->length = byte;
        framer_sum(framer, byte);
        framer->wait = byte > 0 ? DIFF_BOARD_WAIT_BODY : DIFF_BOARD_WAIT_SUM;
        return false;
    case DIFF_BOARD_WAIT_BODY:
        framer->body[framer->used++] = byte;
        framer_sum(framer, byte);
        framer->wait = framer->used < framer->length ? DIFF_BOARD_WAIT_BODY : DIFF_BOARD_WAIT_SUM;
        return false;
    default:
        framer->wait = DIFF_BOARD_WAIT_HEADER;
        stats->frames += byte == framer->sum;
        stats->bad_frames += byte != framer->sum;
        return byte == framer->sum;
    }
}

/* ---- Complete frames ---- */

size_t diff_board_frame_make(const struct wire_packet *packet, const void *message,
                             uint8_t out[DIFF_BOARD_REPLY_MAX])
{
    uint8_t body[DIFF_BOARD_REPLY_MAX] = {0};
    size_t size = wire_size(packet);
    assert(size + DIFF_BOARD_FRAME_EXTRA <= DIFF_BOARD_REPLY_MAX);
    if (message)
        wire_encode(packet, message, body);
    return wire_frame_wrap(&diff_board_framing, packet, body, size, out);
}
