/* Field tables of the COBOT messages. The sizes are the documented ones, without header, length,
 * function and checksum; a test compares them with the sums of the fields. */
#include "protocols/cobot/cobot_packets.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

/* PACKET(table prefix, name, function, direction, body bytes, struct tag, note): big-endian. */
#define PACKET(prefix, text, function, to, bytes, tag, words)                                      \
    const struct wire_packet prefix##_packet = {                                                   \
        .name = text,                                                                              \
        .id = function,                                                                            \
        .direction = to,                                                                           \
        .order = WIRE_BIG_ENDIAN,                                                                  \
        .size = bytes,                                                                             \
        .fields = prefix##_fields,                                                                 \
        .field_count = COUNT(prefix##_fields),                                                     \
        .struct_size = sizeof(struct tag),                                                         \
        .note = words,                                                                             \
    }

/* A signed value: SIGN(...), VALUE(...) of one table. */
#define SIGN(tag, member, words)               WIRE_FIELD(tag, member##_sign, 1, "", words)
#define VALUE(tag, member, scale, unit, words) WIRE_FIELD(tag, member, scale, unit, words)

/* ---- Host to robot ---- */

static const struct wire_field cobot_motion_fields[] = {
    SIGN(cobot_move, x, "0 forward, else back"),
    VALUE(cobot_move, x, 1, "mm/s", "along"),
    SIGN(cobot_move, y, "0 left, else right"),
    VALUE(cobot_move, y, 1, "mm/s", "sideways; mecanum only"),
    SIGN(cobot_move, turn, "0 left, else right"),
    VALUE(cobot_move, turn, 0.01, "rad/s", "0..540; Ackermann: steering, whole degrees, 0..25"),
};
PACKET(cobot_motion, "motion", 0x01, WIRE_TO_ROBOT, 9, cobot_move,
       "to be repeated at 5 to 20 Hz: 500 ms of silence stop the motors");

static const struct wire_field cobot_letter_fields[] = {
    WIRE_FIELD(
        cobot_letter, letter, 1, "",
        "ASCII: 0 5 stop, 3 4 pivot, 6 7 forward and back, a b faster and slower, 8 9 strafe"),
};
PACKET(cobot_letter, "letter", 0x00, WIRE_TO_ROBOT, 1, cobot_letter,
       "Bluetooth only; no frame, just the letter");

/* ---- Robot to host ---- */

static const struct wire_field cobot_velocity_fields[] = {
    SIGN(cobot_move, x, "0 forward, 1 back"),
    VALUE(cobot_move, x, 1, "mm/s", "along"),
    SIGN(cobot_move, y, "0 left, 1 right"),
    VALUE(cobot_move, y, 1, "mm/s", "sideways; 0 but on mecanum"),
    SIGN(cobot_move, turn, "0 left, 1 right"),
    VALUE(cobot_move, turn, 0.01, "rad/s", "turn rate"),
};
PACKET(cobot_velocity, "velocity", 0x02, WIRE_TO_HOST, 9, cobot_move, "20 Hz");

#define MOTOR(member, words) WIRE_FIELD(cobot_motors, member, 1, "mm/s", words)
static const struct wire_field cobot_motors_fields[] = {
    MOTOR(motor1, "A, front left; without direction; unit: option motor_speed"),
    MOTOR(motor2, "B, rear left"),
    MOTOR(motor3, "C, front right"),
    MOTOR(motor4, "D, rear right"),
};
#undef MOTOR
PACKET(cobot_motors, "motors", 0x03, WIRE_TO_HOST, 8, cobot_motors, "20 Hz");

static const struct wire_field cobot_battery_fields[] = {
    WIRE_FIELD(cobot_battery, voltage, 0.1, "V", "0..25.5"),
};
PACKET(cobot_battery, "battery", 0x04, WIRE_TO_HOST, 1, cobot_battery, "5 Hz");

#define ANGLE(member, words)                                                                       \
    SIGN(cobot_attitude, member, "1: negative"), VALUE(cobot_attitude, member, 0.01, "deg", words)
static const struct wire_field cobot_attitude_fields[] = {
    ANGLE(pitch, "nose down positive"),
    ANGLE(roll, "right side down positive"),
    ANGLE(yaw, "clockwise positive, wraps at +-180"),
};
#undef ANGLE
PACKET(cobot_attitude, "attitude", 0x05, WIRE_TO_HOST, 9, cobot_attitude, "20 Hz");

#define PART(member, scale, unit, words)                                                           \
    SIGN(cobot_imu, member, "1: negative"), VALUE(cobot_imu, member, scale, unit, words)
static const struct wire_field cobot_imu_fields[] = {
    PART(gyro_x, 0.001, "rad/s", "about the robot's -x"),
    PART(gyro_y, 0.001, "rad/s", "about y"),
    PART(gyro_z, 0.001, "rad/s", "about z, left positive"),
    PART(accel_x, 0.0001, "g", "along the robot's -x"),
    PART(accel_y, 0.0001, "g", "along y"),
    PART(accel_z, 0.0001, "g", "along z, 1 at rest"),
    PART(quat_w, 0.0001, "", "of roll, pitch and yaw as in attitude, ZYX"),
    PART(quat_x, 0.0001, "", ""),
    PART(quat_y, 0.0001, "", ""),
    PART(quat_z, 0.0001, "", ""),
};
#undef PART
PACKET(cobot_imu, "imu", 0x06, WIRE_TO_HOST, 30, cobot_imu, "40 Hz");

static const struct wire_field cobot_model_fields[] = {
    WIRE_FIELD(cobot_model_report, model, 1, "",
               "1 Ackermann, 2 differential, 3 mecanum, 4 tracked"),
};
PACKET(cobot_model, "model", 0x07, WIRE_TO_HOST, 1, cobot_model_report, "5 Hz");

/* ---- All of them ---- */

const struct wire_packet *const cobot_packets[COBOT_PACKET_COUNT] = {
    &cobot_motion_packet,  &cobot_letter_packet,   &cobot_velocity_packet, &cobot_motors_packet,
    &cobot_battery_packet, &cobot_attitude_packet, &cobot_imu_packet,      &cobot_model_packet,
};

const struct wire_packet *cobot_packet_find(enum wire_direction direction, uint8_t function)
{
    for (size_t i = 0; i < COBOT_PACKET_COUNT; i++) {
        const struct wire_packet *packet = cobot_packets[i];
        if (packet != &cobot_letter_packet && packet->direction == direction &&
            packet->id == function)
            return packet;
    }
    return NULL;
}

void cobot_put_signed(double value, uint8_t *sign, uint16_t *magnitude)
{
    double amount = floor(fabs(value));
    *magnitude = wire_saturate_u16(amount);
    *sign = value < 0 && *magnitude != 0 ? 1 : 0;
}

bool cobot_letter_is_known(uint8_t letter)
{
    return letter != '\0' && strchr("03456789ab", letter) != NULL;
}
