/* Commands and sensor packets of the Open Interface as structs with field tables, and the framer
 * for commands of a host. Source, called "OI" below: iRobot Create 2 Open Interface Specification
 * based on the Roomba 600, 10 August 2016. A command is its opcode and its data, without header or
 * checksum. An answer is data only. Only the stream has frames. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

/* ---- Robot to host ---- */

/* Every sensor packet in the order of the ids: ROW(id, type, name, unit, note, example). */
/* clang-format off */
#define CREATE2_SENSOR_ROWS(ROW)                                                                   \
    ROW(7, uint8_t, bumps_and_wheel_drops, "", "bump right 1, left 2; wheel drop right 4, left 8", 6)\
    ROW(8, uint8_t, wall, "", "the right light bumper", 1)                                         \
    ROW(9, uint8_t, cliff_left, "", "", 0)                                                         \
    ROW(10, uint8_t, cliff_front_left, "", "", 1)                                                  \
    ROW(11, uint8_t, cliff_front_right, "", "", 0)                                                 \
    ROW(12, uint8_t, cliff_right, "", "", 1)                                                       \
    ROW(13, uint8_t, virtual_wall, "", "", 1)                                                      \
    ROW(14, uint8_t, overcurrents, "", "side brush 1, main brush 4, right wheel 8, left wheel 16", 16)\
    ROW(15, uint8_t, dirt_detect, "", "", 5)                                                       \
    ROW(16, uint8_t, unused16, "", "0", 0)                                                         \
    ROW(17, uint8_t, ir_omni, "", "character, 0: none", 161)                                       \
    ROW(18, uint8_t, buttons, "", "clean 1, spot 2, dock 4, minute 8, hour 16, day 32; roomba_500 only: schedule 64, clock 128", 5)\
    ROW(19, int16_t, distance, "mm", "since it was last read", -120)                               \
    ROW(20, int16_t, angle, "deg", "since it was last read, counter-clockwise positive", 45)       \
    ROW(21, uint8_t, charging_state, "", "0 not charging, 1 reconditioning, 2 full charging, 3 trickle, 4 waiting, 5 fault", 2)\
    ROW(22, uint16_t, voltage, "mV", "", 16120)                                                    \
    ROW(23, int16_t, current, "mA", "negative: discharging", 1232)                                 \
    ROW(24, int8_t, temperature, "degC", "temperature of the battery", 29)                                     \
    ROW(25, uint16_t, charge, "mAh", "", 1801)                                                     \
    ROW(26, uint16_t, capacity, "mAh", "", 2696)                                                   \
    ROW(27, uint16_t, wall_signal, "", "0..1023", 212)                                             \
    ROW(28, uint16_t, cliff_left_signal, "", "0..4095", 2624)                                      \
    ROW(29, uint16_t, cliff_front_left_signal, "", "0..4095", 0)                                   \
    ROW(30, uint16_t, cliff_front_right_signal, "", "0..4095", 2624)                               \
    ROW(31, uint16_t, cliff_right_signal, "", "0..4095", 0)                                        \
    ROW(32, uint8_t, unused32, "", "0", 0)                                                         \
    ROW(33, uint16_t, unused33, "", "0", 0)                                                        \
    ROW(34, uint8_t, charging_sources, "", "internal charger 1, Home Base 2", 2)                   \
    ROW(35, uint8_t, mode, "", "0 off, 1 passive, 2 safe, 3 full", 2)                              \
    ROW(36, uint8_t, song_number, "", "", 1)                                                       \
    ROW(37, uint8_t, song_playing, "", "", 1)                                                      \
    ROW(38, uint8_t, stream_packets, "", "0..108", 3)                                              \
    ROW(39, int16_t, requested_velocity, "mm/s", "request of the last drive", -200)                        \
    ROW(40, int16_t, requested_radius, "mm", "request of the last drive", 500)                             \
    ROW(41, int16_t, requested_right, "mm/s", "request of the last drive_direct", 200)                     \
    ROW(42, int16_t, requested_left, "mm/s", "request of the last drive_direct", -200)                     \
    ROW(43, int16_t, encoder_left, "", "508.8 a turn, wraps", 113)                                 \
    ROW(44, int16_t, encoder_right, "", "508.8 a turn, wraps", -5)                                 \
    ROW(45, uint8_t, light_bumper, "", "left 1, front left 2, center left 4, center right 8, front right 16, right 32", 36)\
    ROW(46, uint16_t, light_left, "", "0..4095", 20)                                               \
    ROW(47, uint16_t, light_front_left, "", "0..4095", 16)                                         \
    ROW(48, uint16_t, light_center_left, "", "0..4095", 900)                                       \
    ROW(49, uint16_t, light_center_right, "", "0..4095", 31)                                       \
    ROW(50, uint16_t, light_front_right, "", "0..4095", 21)                                        \
    ROW(51, uint16_t, light_right, "", "0..4095", 700)                                             \
    ROW(52, uint8_t, ir_left, "", "character, 0: none", 168)                                       \
    ROW(53, uint8_t, ir_right, "", "character, 0: none", 164)                                      \
    ROW(54, int16_t, current_left, "mA", "current of the wheel", 310)                                      \
    ROW(55, int16_t, current_right, "mA", "current of the wheel", -305)                                    \
    ROW(56, int16_t, current_main_brush, "mA", "", 12)                                             \
    ROW(57, int16_t, current_side_brush, "mA", "", -3)                                             \
    ROW(58, uint8_t, stasis, "", "1: the robot moves forward", 1)
/* clang-format on */

/* The values of packets 7 to 58, which together are group 100. */
struct create2_readings {
#define ROW(id, type, name, unit, note, example) type name;
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
};

/* Groups are ranges of packets: ROW(index, id, first packet, last packet, documented bytes) (OI,
 * Sensors). */
#define CREATE2_GROUP_ROWS(ROW)                                                                    \
    ROW(0, 0, 7, 26, 26)                                                                           \
    ROW(1, 1, 7, 16, 10)                                                                           \
    ROW(2, 2, 17, 20, 6)                                                                           \
    ROW(3, 3, 21, 26, 10)                                                                          \
    ROW(4, 4, 27, 34, 14)                                                                          \
    ROW(5, 5, 35, 42, 12)                                                                          \
    ROW(6, 6, 7, 42, 52)                                                                           \
    ROW(7, 100, 7, 58, 80)                                                                         \
    ROW(8, 101, 43, 58, 28)                                                                        \
    ROW(9, 106, 46, 51, 12)                                                                        \
    ROW(10, 107, 54, 58, 9)

enum { CREATE2_FIRST_ID = 7, CREATE2_LAST_ID = 58, CREATE2_GROUPS = 11 };

/* Packets with fields of struct create2_readings: one sensor each, indexed by id -
 * CREATE2_FIRST_ID; and groups. */
extern const struct wire_packet create2_singles[], create2_groups[];

/* The packet of a sensor or of a group, with fields of struct create2_readings. NULL: unknown
 * id. */
const struct wire_packet *create2_sensor_packet(uint8_t id);

/* A line of text that the firmware prints. It is not part of the interface, and may occur within
 * answers. */
extern const struct wire_packet create2_text_packet;

/* ---- Host to robot ---- */

struct create2_byte {
    uint8_t value;
};
struct create2_drive {
    int16_t velocity, radius;
};
struct create2_wheels {
    int16_t right, left;
};
struct create2_pwm {
    int8_t main_brush, side_brush, vacuum;
};
struct create2_leds {
    uint8_t leds, color, intensity;
};
struct create2_song {
    uint8_t number, count;
};
struct create2_note {
    uint8_t note, duration;
};
struct create2_schedule_leds {
    uint8_t days, marks;
};
struct create2_digits {
    uint8_t digit[4];
};
struct create2_schedule {
    uint8_t days;
    uint8_t times[14]; /* hour and minute of each day, from Sunday */
};
struct create2_day_time {
    uint8_t day, hour, minute;
};
struct create2_old_word {
    int16_t value;
};

/* Codes of command baud. */
enum { CREATE2_BAUD_19200 = 7, CREATE2_BAUD_115200 = 11 };

/* The last message of each command that has data. Commands that share a struct have separate
 * messages. */
struct create2_messages {
    struct create2_byte baud, motors, play, sensors, stream, query_list, pause_stream, buttons;
    struct create2_drive drive;
    struct create2_wheels drive_direct, drive_pwm;
    struct create2_pwm pwm_motors;
    struct create2_leds leds;
    struct create2_song song;
    struct create2_schedule_leds schedule_leds;
    struct create2_digits digits_raw, digits_ascii;
    struct create2_schedule schedule;
    struct create2_day_time day_time;
    /* Removed after the Create 1; old clients still send them. */
    struct create2_byte digital_outputs, send_ir, script, wait_time, wait_event;
    struct create2_old_word wait_distance, wait_angle;
};

/* Every command: ROW(packet, name of its opcode, opcode, bytes of data, bytes of each element that
 * the last data byte counts, message). BARE(packet, name, opcode): a command without data. */
/* clang-format off */
#define CREATE2_COMMAND_ROWS(ROW, BARE)                                                            \
    BARE(reset, RESET, 7)                                                                          \
    BARE(start, START, 128)                                                                        \
    ROW(baud, BAUD, 129, 1, 0, baud)                                                               \
    BARE(control, CONTROL, 130)                                                                    \
    BARE(safe, SAFE, 131)                                                                          \
    BARE(full, FULL, 132)                                                                          \
    BARE(power, POWER, 133)                                                                        \
    BARE(spot, SPOT, 134)                                                                          \
    BARE(clean, CLEAN, 135)                                                                        \
    BARE(max, MAX, 136)                                                                            \
    ROW(drive, DRIVE, 137, 4, 0, drive)                                                            \
    ROW(motors, MOTORS, 138, 1, 0, motors)                                                         \
    ROW(leds, LEDS, 139, 3, 0, leds)                                                               \
    ROW(song, SONG, 140, 2, 2, song)                                                               \
    ROW(play, PLAY, 141, 1, 0, play)                                                               \
    ROW(query, SENSORS_QUERY, 142, 1, 0, sensors)                                                  \
    BARE(seek_dock, SEEK_DOCK, 143)                                                                \
    ROW(pwm_motors, PWM_MOTORS, 144, 3, 0, pwm_motors)                                             \
    ROW(drive_direct, DRIVE_DIRECT, 145, 4, 0, drive_direct)                                       \
    ROW(drive_pwm, DRIVE_PWM, 146, 4, 0, drive_pwm)                                                \
    ROW(stream, STREAM, 148, 1, 1, stream)                                                         \
    ROW(query_list, QUERY_LIST, 149, 1, 1, query_list)                                             \
    ROW(pause_stream, PAUSE_STREAM, 150, 1, 0, pause_stream)                                       \
    ROW(schedule_leds, SCHEDULE_LEDS, 162, 2, 0, schedule_leds)                                    \
    ROW(digits_raw, DIGITS_RAW, 163, 4, 0, digits_raw)                                             \
    ROW(digits_ascii, DIGITS_ASCII, 164, 4, 0, digits_ascii)                                       \
    ROW(press, BUTTONS, 165, 1, 0, buttons)                                                        \
    ROW(schedule, SCHEDULE, 167, 15, 0, schedule)                                                  \
    ROW(day_time, DAY_TIME, 168, 3, 0, day_time)                                                   \
    BARE(stop, STOP, 173)                                                                          \
    ROW(digital_outputs, DIGITAL_OUTPUTS, 147, 1, 0, digital_outputs)                              \
    ROW(send_ir, SEND_IR, 151, 1, 0, send_ir)                                                      \
    ROW(script, SCRIPT, 152, 1, 1, script)                                                         \
    BARE(play_script, PLAY_SCRIPT, 153)                                                            \
    BARE(show_script, SHOW_SCRIPT, 154)                                                            \
    ROW(wait_time, WAIT_TIME, 155, 1, 0, wait_time)                                                \
    ROW(wait_distance, WAIT_DISTANCE, 156, 2, 0, wait_distance)                                    \
    ROW(wait_angle, WAIT_ANGLE, 157, 2, 0, wait_angle)                                             \
    ROW(wait_event, WAIT_EVENT, 158, 1, 0, wait_event)
/* clang-format on */

#define DECLARE(packet, ...) extern const struct wire_packet create2_##packet##_packet;
CREATE2_COMMAND_ROWS(DECLARE, DECLARE)
#undef DECLARE

#define ROW(packet, name, opcode, ...) CREATE2_##name = opcode,
#define BARE(packet, name, opcode)     CREATE2_##name = opcode,
enum create2_opcode { CREATE2_COMMAND_ROWS(ROW, BARE) };
#undef ROW
#undef BARE

/* A command: its packet, and the offset of its message in struct create2_messages. */
struct create2_command {
    const struct wire_packet *packet;
    size_t message;
};

/* The command with this opcode; NULL: unknown opcode. */
const struct create2_command *create2_command_find(uint8_t opcode);

/* Every packet in both directions, NULL-terminated. */
extern const struct wire_packet *const create2_packets[];

extern const struct wire_framing create2_framing_to_host, create2_framing_to_robot;

enum {
    CREATE2_COMMAND_MAX = 2 + 2 * 255 + 1, /* a song of 255 notes is too long, but its data must
                                            * still be received */
    CREATE2_STREAM_HEAD = 0x13,            /* first byte of a frame */
    CREATE2_STREAM_MAX = 255 + 3,          /* bytes of a frame */
    CREATE2_ANSWER_MAX = 1024, /* chosen: a longer answer to a query list is truncated */
};

/* ---- Receiving ---- */

struct create2_framer {
    uint16_t used, size; /* of the command that is being received; size 0: not known yet */
    uint8_t bytes[CREATE2_COMMAND_MAX];
};

/* Adds a byte. True: BYTES has a complete command, until the next call. Counts frames. Counts
 * bytes that are not an opcode as noise. An incomplete command waits for the rest without a
 * timeout (OI). */
bool create2_framer_push(struct create2_framer *framer, uint8_t byte, struct robot_stats *stats);

/* ---- Sending ---- */

/* Appends the data of packet ID to OUT, which already has *SIZE of ROOM bytes. False: unknown id,
 * or no room. */
bool create2_put(const struct create2_readings *readings, uint8_t id, uint8_t *out, size_t *size,
                 size_t room);

/* Writes a stream frame with the packets IDS. Their data must fit. Returns the size of the
 * frame. */
size_t create2_stream_frame(const struct create2_readings *readings, const uint8_t *ids,
                            size_t count, uint8_t out[CREATE2_STREAM_MAX]);
