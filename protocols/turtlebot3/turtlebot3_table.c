/* Addresses, types and units: ROBOTIS-GIT/OpenCR @ 68ec75d, turtlebot3_ros2:
 * src/turtlebot3/turtlebot3.cpp. Hosts read 172 bytes from address 10 on, and write single bytes,
 * the six velocities and both accelerations (ROBOTIS-GIT/turtlebot3 @ da785b7: turtlebot3_node).
 * These frames are packets, which an observer identifies by their sizes. */
#include "protocols/turtlebot3/turtlebot3_table.h"

#include "base/array.h"

#define ROW(member, ...)   WIRE_FIELD(turtlebot3_table, member, __VA_ARGS__)
#define PLAIN(member, ...) WIRE_FIELD(turtlebot3_table, member, 1, "", __VA_ARGS__)
#define GAP(member)        WIRE_ARRAY(turtlebot3_table, member, 1, "", "reads 0")
#define BYTE_GAP(member)   WIRE_FIELD(turtlebot3_table, member, 1, "", "reads 0")

#define VELOCITIES                                                                                 \
    ROW(linear_x, 0.01, "m/s", "command, forward"), ROW(linear_y, 0.01, "m/s", "no effect"),       \
        ROW(linear_z, 0.01, "m/s", "no effect"), ROW(angular_x, 0.01, "rad/s", "no effect"),       \
        ROW(angular_y, 0.01, "rad/s", "no effect"),                                                \
        ROW(angular_z, 0.01, "rad/s", "command, left positive")
#define ACCELERATIONS                                                                              \
    ROW(acceleration_left, 214.577, "rev/min2", "profile acceleration of the motor; 0: no limit"), \
        ROW(acceleration_right, 214.577, "rev/min2", "the same")

/* Addresses 10 to 181. */
#define TABLE                                                                                      \
    ROW(millis, 1, "ms", "since power-on, in steps of 20"),                                        \
        PLAIN(debug, "1: counts as connected without a heartbeat"),                                \
        PLAIN(connected, "1: the heartbeat changes"), PLAIN(manipulator, "0: none"),               \
        BYTE_GAP(gap17), PLAIN(device_status, "-1: no motors were found at the start"),            \
        PLAIN(heartbeat, "counted up by the host"), PLAIN(led1, "front left"),                     \
        PLAIN(led2, "front right"), PLAIN(led3, "back left"), PLAIN(led4, "back right"),           \
        GAP(gap24), PLAIN(button1, ""), PLAIN(button2, ""),                                        \
        PLAIN(bumper1, "1: pressed, or none is plugged in"), PLAIN(bumper2, "the same"),           \
        PLAIN(illumination, "0 .. 1023"), GAP(gap32), PLAIN(infrared, "0 .. 1023"),                \
        ROW(sonar, 1, "", "0: the firmware never reads it"),                                       \
        ROW(battery, 0.01, "V", "measured in steps of 0.0184"),                                    \
        ROW(battery_percent, 0.01, "%", "10.5 V is 0, 12.3 V is 100"),                             \
        PLAIN(sound, "0 off, 1 on, 2 low battery, 3 error"), GAP(gap51),                           \
        PLAIN(recalibrate, "1: the gyro, for 2.56 s"), ROW(gyro_x, 1, "rad/s", ""),                \
        ROW(gyro_y, 1, "rad/s", ""), ROW(gyro_z, 1, "rad/s", "left positive"),                     \
        ROW(accel_x, 1, "m/s2", ""), ROW(accel_y, 1, "m/s2", ""),                                  \
        ROW(accel_z, 1, "m/s2", "9.8 at rest"), ROW(field_x, 1, "T", "0 with an ICM-20648"),       \
        ROW(field_y, 1, "T", ""), ROW(field_z, 1, "T", ""), PLAIN(orientation_w, ""),              \
        PLAIN(orientation_x, ""), PLAIN(orientation_y, ""), PLAIN(orientation_z, ""), GAP(gap112), \
        PLAIN(current_left, "2.69 mA; load in 0.1 % on a Burger"),                                 \
        PLAIN(current_right, "the same"), ROW(velocity_left, 0.229, "rpm", ""),                    \
        ROW(velocity_right, 0.229, "rpm", ""),                                                     \
        PLAIN(position_left, "4096 a turn; at power-on 0 .. 4095",                                 \
              .tolerance = {WIRE_HELD_COUNT, 60, 0.01}),                                           \
        PLAIN(position_right, "the same", .tolerance = {WIRE_HELD_COUNT, 60, 0.01}), GAP(gap144),  \
        PLAIN(motors_connected, "both were found at the start"),                                   \
        PLAIN(torque, "1: both motors hold"), VELOCITIES, ACCELERATIONS

static const struct wire_field fields[] = {
    PLAIN(model_number, ""),
    PLAIN(model_information, ""),
    PLAIN(firmware, ""),
    PLAIN(id, ""),
    BYTE_GAP(gap8),
    PLAIN(protocol, ""),
    TABLE,
};

static const struct control_row rows[] = {
    {.address = 0, .initial = 0x5000},
    {.address = 2, .is_read_only = true},
    {.address = 7, .initial = 200, .most = 252},
    {.address = 9, .initial = 2, .least = 2, .most = 2}, /* protocol 1 is left out */
    {.address = 50, .effect = TURTLEBOT3_SOUND},
    {.address = 59, .effect = TURTLEBOT3_RECALIBRATE},
    {.address = 149, .effect = TURTLEBOT3_TORQUE},
    {.address = 150, .effect = TURTLEBOT3_LINEAR},
    {.address = 170, .effect = TURTLEBOT3_ANGULAR},
};
const struct control_table turtlebot3_control = {fields, COUNT(fields), rows, COUNT(rows),
                                                 WIRE_LITTLE_ENDIAN};

/* ---- Packets ---- */

struct byte {
    char byte;
};
static const struct wire_field byte_fields[] = {WIRE_FIELD(byte, byte, 1, "", "")};
#define BYTE(to)                                                                                   \
    WIRE_PACKET("byte", 0, to, WIRE_LITTLE_ENDIAN, 1, byte_fields, byte,                           \
                .note = "content of the table")
static const struct wire_packet byte_to_host = BYTE(WIRE_TO_HOST);
static const struct wire_packet byte_to_robot = BYTE(WIRE_TO_ROBOT);

#define PACKET(text, number, to, bytes, rows_of, words, ...)                                       \
    WIRE_PACKET(text, number, to, WIRE_LITTLE_ENDIAN, bytes, rows_of, turtlebot3_table,            \
                .note = words, __VA_ARGS__)
#define EXAMPLE(...) WIRE_EXAMPLE(turtlebot3_table, __VA_ARGS__)

static const struct wire_packet ping_packet = {.name = "ping",
                                               .id = DYNAMIXEL2_PING,
                                               .direction = WIRE_TO_ROBOT,
                                               .note =
                                                   "answered by pong; a broadcast is not answered"};

static const struct wire_field read_fields[] = {
    PLAIN(address, "first address"),
    PLAIN(count, "bytes"),
};
const struct wire_packet turtlebot3_read_packet =
    PACKET("read", DYNAMIXEL2_READ, WIRE_TO_ROBOT, 4, read_fields,
           "any range; gaps and parts of an item read 0", EXAMPLE(.address = 10, .count = 172));

static const struct wire_field write_fields[] = {PLAIN(address, "first address")};
const struct wire_packet turtlebot3_write_packet = PACKET(
    "write", DYNAMIXEL2_WRITE, WIRE_TO_ROBOT, 2, write_fields,
    "other sizes than below; whole items are written, the rest is skipped", EXAMPLE(.address = 170),
    .repeat = &byte_to_robot, .example_elements = "\xCE\xFF\xFF\xFF", .example_element_count = 4);

static const struct wire_field write_byte_fields[] = {
    PLAIN(address, "14 debug, 19 heartbeat, 50 sound, 59 recalibrate, 149 torque"),
    PLAIN(value, ""),
};
const struct wire_packet turtlebot3_write_byte_packet = PACKET(
    "write_byte", DYNAMIXEL2_WRITE, WIRE_TO_ROBOT, 3, write_byte_fields,
    "the heartbeat, every 100 ms, and the states of switches", EXAMPLE(.address = 19, .value = 1));

static const struct wire_field velocity_fields[] = {PLAIN(address, "150"), VELOCITIES};
const struct wire_packet turtlebot3_velocity_packet =
    PACKET("velocity", DYNAMIXEL2_WRITE, WIRE_TO_ROBOT, 26, velocity_fields,
           "the commands apply while the heartbeat changes",
           EXAMPLE(.address = 150, .linear_x = 10, .angular_z = -50));

static const struct wire_field acceleration_fields[] = {PLAIN(address, "174"), ACCELERATIONS};
const struct wire_packet turtlebot3_acceleration_packet = PACKET(
    "acceleration", DYNAMIXEL2_WRITE, WIRE_TO_ROBOT, 10, acceleration_fields, "slope of the motors",
    EXAMPLE(.address = 174, .acceleration_left = 40, .acceleration_right = 40));

/* ---- To the host ---- */

#define ERROR PLAIN(error, "0 none, 4 range, 7 access")
#define STATUS(text, bytes, rows_of, ...)                                                          \
    PACKET(text, DYNAMIXEL2_STATUS, WIRE_TO_HOST, bytes, rows_of, __VA_ARGS__)

static const struct wire_field pong_fields[] = {ERROR, PLAIN(model_number, "20480"),
                                                PLAIN(firmware, "")};
const struct wire_packet turtlebot3_pong_packet = STATUS(
    "pong", 4, pong_fields, "answer to a ping", EXAMPLE(.model_number = 0x5000, .firmware = 5));

static const struct wire_field model_fields[] = {ERROR, PLAIN(model_number, "20480")};
const struct wire_packet turtlebot3_model_packet =
    STATUS("model", 3, model_fields, "answer to the read of two bytes, at the start of a driver",
           EXAMPLE(.model_number = 0x5000));

static const struct wire_field table_fields[] = {ERROR, TABLE};
const struct wire_packet turtlebot3_table_packet =
    STATUS("table", 173, table_fields, "answer to the read of 172 bytes from 10 on",
           EXAMPLE(.millis = 12340, .connected = 1, .heartbeat = 7, .bumper1 = 1, .bumper2 = 1,
                   .battery = 1207, .battery_percent = 8722, .accel_z = 9.8f, .orientation_w = 1,
                   .velocity_left = 176, .velocity_right = 75, .position_left = 876,
                   .position_right = 4001, .motors_connected = 1, .torque = 1, .linear_x = 10,
                   .angular_z = -50));

static const struct wire_field status_fields[] = {ERROR};
const struct wire_packet turtlebot3_status_packet = STATUS(
    "status", 1, status_fields, "answer to a write, and to any other read", EXAMPLE(.error = 0),
    .repeat = &byte_to_host, .example_elements = "\x6C\x03\x00\x00", .example_element_count = 4);

const struct wire_packet *const turtlebot3_packets[] = {
    &ping_packet,
    &turtlebot3_read_packet,
    &turtlebot3_write_packet,
    &turtlebot3_write_byte_packet,
    &turtlebot3_velocity_packet,
    &turtlebot3_acceleration_packet,
    &turtlebot3_pong_packet,
    &turtlebot3_model_packet,
    &turtlebot3_status_packet,
    &turtlebot3_table_packet,
    NULL,
};

const struct robot_answer turtlebot3_answers[] = {
    {"pong", "ping"},       {"model", "read"},          {"table", "read"},
    {"status", "read"},     {"status", "write"},        {"status", "write_byte"},
    {"status", "velocity"}, {"status", "acceleration"}, {NULL, NULL},
};

void turtlebot3_note(struct turtlebot3_table asked[TURTLEBOT3_REQUESTS],
                     const struct dynamixel2_request *request)
{
    for (size_t i = 0; i < TURTLEBOT3_REQUESTS; i++)
        if (turtlebot3_packets[i]->id == request->instruction)
            wire_decode(turtlebot3_packets[i], request->bytes, request->size, &asked[i]);
}

const struct wire_framing turtlebot3_framing = {DYNAMIXEL2_FRAMING(200)};
