/* Field tables of the messages, and their frames. The sizes are those of the documentation; a test
 * compares them with the sums of the fields. The receiver of the real board is unknown: this
 * receiver searches for the header and has no timeout between bytes. */
#include "protocols/cobot/cobot_wire.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* PACKET(table prefix, name, function, direction, body bytes, struct tag, note, members of an
 * example): big-endian. */
#define PACKET(prefix, text, function, to, bytes, tag, words, ...)                                 \
    const struct wire_packet prefix##_packet =                                                     \
        WIRE_PACKET(text, function, to, WIRE_BIG_ENDIAN, bytes, prefix##_fields, tag,              \
                    .note = words, WIRE_EXAMPLE(tag, __VA_ARGS__))

/* A signed value: two rows of a table, SIGN(...) and VALUE(...). */
#define SIGN(tag, member, words)             WIRE_FIELD(tag, member##_sign, 1, "", words, .is_sign = true)
#define VALUE(tag, member, scale, unit, ...) WIRE_FIELD(tag, member, scale, unit, __VA_ARGS__)

/* ---- Host to robot ---- */

static const struct wire_field cobot_motion_fields[] = {
    SIGN(cobot_move, x, "0 forward, other values backward"),
    VALUE(cobot_move, x, 1, "mm/s", "along"),
    SIGN(cobot_move, y, "0 left, other values right"),
    VALUE(cobot_move, y, 1, "mm/s", "sideways; mecanum only"),
    SIGN(cobot_move, turn, "0 left, other values right"),
    VALUE(cobot_move, turn, 0.01, "rad/s",
          "0..5.4; Ackermann: steering, 0.01 for each whole degree, 0..0.25"),
};
PACKET(cobot_motion, "motion", 0x01, WIRE_TO_ROBOT, 9, cobot_move,
       "repeat at 5 to 20 Hz: 500 ms of silence stop the motors", .x_sign = 1, .x = 800,
       .turn = 25);

WIRE_FIELDS(
    cobot_letter,
    WIRE_FIELD(
        cobot_letter, letter, 1, "",
        "ASCII: 0 5 stop, 3 4 pivot, 6 7 forward and back, a b faster and slower, 8 9 strafe"));
const struct wire_packet cobot_letter_packet =
    WIRE_PACKET("letter", 0, WIRE_TO_ROBOT, WIRE_BIG_ENDIAN, 1, cobot_letter_fields, cobot_letter,
                .has_no_id = true, .note = "Bluetooth only; no frame, only the letter",
                WIRE_EXAMPLE(cobot_letter, .letter = '6'));

/* ---- Robot to host ---- */

static const struct wire_field cobot_velocity_fields[] = {
    SIGN(cobot_move, x, "0 forward, 1 back"),
    VALUE(cobot_move, x, 1, "mm/s", "along"),
    SIGN(cobot_move, y, "0 left, 1 right"),
    VALUE(cobot_move, y, 1, "mm/s", "sideways; 0 except on mecanum"),
    SIGN(cobot_move, turn, "0 left, 1 right"),
    VALUE(cobot_move, turn, 0.01, "rad/s", "turn rate"),
};
PACKET(cobot_velocity, "velocity", 0x02, WIRE_TO_HOST, 9, cobot_move, "20 Hz", .x = 300,
       .turn_sign = 1, .turn = 49);

#define MOTOR(member, words) WIRE_FIELD(cobot_motors, member, 1, "mm/s", words)
WIRE_FIELDS(cobot_motors,
            MOTOR(motor1, "A, front left; without direction; unit: option motor_speed"),
            MOTOR(motor2, "B, rear left"), MOTOR(motor3, "C, front right"),
            MOTOR(motor4, "D, rear right"));
#undef MOTOR
PACKET(cobot_motors, "motors", 0x03, WIRE_TO_HOST, 8, cobot_motors, "20 Hz", .motor1 = 300,
       .motor2 = 300, .motor3 = 300, .motor4 = 300);

WIRE_FIELDS(cobot_battery, WIRE_FIELD(cobot_battery, voltage, 0.1, "V", "0..25.5",
                                      .tolerance = {WIRE_HELD_VALUE, 0.5, 0}));
PACKET(cobot_battery, "battery", 0x04, WIRE_TO_HOST, 1, cobot_battery, "5 Hz", .voltage = 123);

#define ANGLE(member, ...)                                                                         \
    SIGN(cobot_attitude, member, "1: negative"),                                                   \
        VALUE(cobot_attitude, member, 0.01, "deg", __VA_ARGS__)
WIRE_FIELDS(cobot_attitude, ANGLE(pitch, "nose down positive"),
            ANGLE(roll, "right side down positive"),
            ANGLE(yaw, "clockwise positive, wraps at +-180",
                  .tolerance = {WIRE_HELD_COUNT, 3, 0.01}));
#undef ANGLE
PACKET(cobot_attitude, "attitude", 0x05, WIRE_TO_HOST, 9, cobot_attitude, "20 Hz", .pitch = 40,
       .roll_sign = 1, .roll = 70, .yaw_sign = 1, .yaw = 9000);

#define PART(member, scale, unit, ...)                                                             \
    SIGN(cobot_imu, member, "1: negative"), VALUE(cobot_imu, member, scale, unit, __VA_ARGS__)
#define NOISY .tolerance = {WIRE_HELD_VALUE, 0.2, 0.05}
static const struct wire_field cobot_imu_fields[] = {
    PART(gyro_x, 0.001, "rad/s", "about the robot's -x"),
    PART(gyro_y, 0.001, "rad/s", "about y"),
    PART(gyro_z, 0.001, "rad/s", "about z, left positive"),
    PART(accel_x, 0.0001, "g", "along the robot's -x", NOISY),
    PART(accel_y, 0.0001, "g", "along y", NOISY),
    PART(accel_z, 0.0001, "g", "along z, 1 at rest", NOISY),
    PART(quat_w, 0.0001, "", "quaternion of roll, pitch and yaw as in attitude, ZYX",
         .tolerance = {WIRE_HELD_VALUE, 0.05, 0}),
    PART(quat_x, 0.0001, "", "", .tolerance = {WIRE_HELD_VALUE, 0.05, 0}),
    PART(quat_y, 0.0001, "", "", .tolerance = {WIRE_HELD_VALUE, 0.05, 0}),
    PART(quat_z, 0.0001, "", "", .tolerance = {WIRE_HELD_VALUE, 0.05, 0}),
};
#undef NOISY
#undef PART
PACKET(cobot_imu, "imu", 0x06, WIRE_TO_HOST, 30, cobot_imu, "40 Hz", .gyro_z = 490,
       .accel_z = 10000, .quat_w = 10000);

WIRE_FIELDS(cobot_model, WIRE_FIELD(cobot_model_report, model, 1, "",
                                    "1 Ackermann, 2 differential, 3 mecanum, 4 tracked"));
PACKET(cobot_model, "model", 0x07, WIRE_TO_HOST, 1, cobot_model_report, "5 Hz", .model = 3);

/* ---- List of all packets ---- */

const struct wire_packet *const cobot_packets[] = {
    &cobot_motion_packet, &cobot_letter_packet,  &cobot_velocity_packet,
    &cobot_motors_packet, &cobot_battery_packet, &cobot_attitude_packet,
    &cobot_imu_packet,    &cobot_model_packet,   NULL,
};

void cobot_put_signed(double value, uint8_t *sign, uint16_t *magnitude)
{
    double amount = floor(fabs(value));
    *magnitude = wire_saturate_u16(amount);
    *sign = value < 0 && *magnitude != 0 ? 1 : 0;
}

#define COBOT_LETTERS "03456789ab"

bool cobot_letter_is_known(uint8_t letter)
{
    return letter != '\0' && strchr(COBOT_LETTERS, letter) != NULL;
}

static const uint8_t COBOT_HEADER_TO_ROBOT = 0xCD;

#define FRAMING(byte)                                                                              \
    .head = {(byte)}, .head_size = 1, .length_at = 1, .length_min = 1,                             \
    .length_max = COBOT_LENGTH_MAX, .length_extra = COBOT_FRAME_EXTRA, .check = WIRE_CHECK_XOR,    \
    .check_from = 2, .id_at = 2, .body_at = 3
const struct wire_framing cobot_framing_to_host = {FRAMING(0xFD)};
const struct wire_framing cobot_framing_to_robot = {FRAMING(0xCD)};
const struct wire_framing cobot_framing_bluetooth = {FRAMING(0xCD), .singles = COBOT_LETTERS,
                                                     .single = &cobot_letter_packet};

static bool frame_length_is_possible(uint8_t length)
{
    return length > 0 && length <= COBOT_LENGTH_MAX;
}

/* ---- Receiving ---- */

static void framer_drop(struct cobot_framer *framer, unsigned count)
{
    unsigned spoiled = framer->spoiled < count ? framer->spoiled : count;
    framer->spoiled = (uint8_t)(framer->spoiled - spoiled);
    framer->used = (uint8_t)(framer->used - count);
    memmove(framer->bytes, framer->bytes + count, framer->used);
}

/* Drops bytes that cannot begin a frame. Bytes of a frame that already counts as bad are not
 * reported again. */
static bool framer_stray(struct cobot_framer *framer, uint8_t *stray)
{
    bool is_news = false;
    while (!is_news && framer->used > 0 && framer->bytes[0] != COBOT_HEADER_TO_ROBOT) {
        is_news = framer->spoiled == 0;
        *stray = framer->bytes[0];
        framer_drop(framer, 1);
    }
    return is_news;
}

/* Rejects a bad frame of SIZE bytes. The search continues one byte after its beginning. */
static enum cobot_found framer_reject(struct cobot_framer *framer, unsigned size)
{
    if (framer->spoiled < size)
        framer->spoiled = (uint8_t)size;
    framer_drop(framer, 1);
    return COBOT_FOUND_BAD_FRAME;
}

void cobot_framer_push(struct cobot_framer *framer, uint8_t byte)
{
    assert(framer->used < COBOT_FRAME_MAX);
    framer->bytes[framer->used++] = byte;
}

enum cobot_found cobot_framer_next(struct cobot_framer *framer, struct cobot_part *part)
{
    framer_drop(framer, framer->taken);
    framer->taken = 0;
    if (framer_stray(framer, &part->function))
        return COBOT_FOUND_STRAY;
    if (framer->used < 2)
        return COBOT_FOUND_NOTHING;
    uint8_t length = framer->bytes[1];
    if (!frame_length_is_possible(length))
        return framer_reject(framer, 2);
    unsigned size = length + (unsigned)COBOT_FRAME_EXTRA;
    if (framer->used < size)
        return COBOT_FOUND_NOTHING;
    if (!wire_frame_is_good(&cobot_framing_to_robot, framer->bytes, size))
        return framer_reject(framer, size);
    *part = (struct cobot_part){
        .function = framer->bytes[2], .data = framer->bytes + 3, .size = size - 4};
    framer->taken = (uint8_t)size;
    return COBOT_FOUND_FRAME;
}

/* ---- Complete frames ---- */

size_t cobot_frame_write(const struct wire_packet *packet, const void *message, uint8_t *out)
{
    size_t size = wire_encode(packet, message, out + 3);
    const struct wire_framing *framing =
        packet->direction == WIRE_TO_ROBOT ? &cobot_framing_to_robot : &cobot_framing_to_host;
    return wire_frame_wrap(framing, packet, out + 3, size, out);
}
