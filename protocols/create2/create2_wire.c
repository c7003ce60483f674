/* Tables of packets and commands, and their conversion to bytes. */
#include "protocols/create2/create2_wire.h"

#include <assert.h>

#include "base/array.h"

/* ---- Sensor packets ---- */

static const struct create2_readings example = {
#define ROW(id, type, name, unit, note, value) .name = (value),
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
};

/* Comparison of recordings, by packet number; amounts are chosen. Encoders: 9 mm and 1 %. Wheel and
 * battery currents vary with floor and age. */
#define IS_COUNT(id)   ((id) == 43 || (id) == 44)
#define IS_CURRENT(id) ((id) == 23 || ((id) >= 54 && (id) <= 57))
#define IS_SIGNAL(id)  (((id) >= 27 && (id) <= 31) || ((id) >= 46 && (id) <= 51))
#define IS_ROOM(id)                                                                                \
    ((id) <= 13 || (id) == 15 || (id) == 17 || (id) == 45 || (id) == 52 || (id) == 53 ||           \
     (id) == 58 || IS_SIGNAL(id))
#define TOLERANCE(id)                                                                              \
    {                                                                                              \
        .how = IS_COUNT(id)     ? WIRE_HELD_COUNT                                                  \
               : IS_CURRENT(id) ? WIRE_HELD_VALUE                                                  \
               : IS_ROOM(id)    ? WIRE_HELD_ROOM                                                   \
                                : WIRE_HELD_BY_UNIT,                                                  \
        .amount = IS_COUNT(id)     ? 20                                                            \
                  : IS_CURRENT(id) ? 100                                                           \
                  : IS_SIGNAL(id)  ? 50                                                            \
                                   : 0,                                                             \
        .share = IS_COUNT(id)     ? 0.01                                                           \
                 : IS_CURRENT(id) ? 0.2                                                            \
                 : IS_SIGNAL(id)  ? 0.1                                                            \
                                  : 0                                                              \
    }

/* The same fields twice: as the only field of a packet, and together with the others in a group. */
static const struct wire_field group_fields[] = {
#define ROW(id, type, name, unit, note, value)                                                     \
    WIRE_FIELD(create2_readings, name, 1, unit, note, .tolerance = TOLERANCE(id)),
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
};

static const struct wire_field single_fields[] = {
#define ROW(id, kind, member, of_unit, words, value)                                               \
    {.name = "value",                                                                              \
     .name_size = 5,                                                                               \
     .type = WIRE_TYPE_OF(((struct create2_readings *)0)->member),                                 \
     .count = 1,                                                                                   \
     .offset = offsetof(struct create2_readings, member),                                          \
     .scale = 1,                                                                                   \
     .unit = of_unit,                                                                              \
     .note = words,                                                                                \
     .tolerance = TOLERANCE(id)},
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
};

#define READINGS(text, number, bytes, from, count, words)                                          \
    {                                                                                              \
        .name = text, .id = number, .direction = WIRE_TO_HOST, .order = WIRE_BIG_ENDIAN,           \
        .size = bytes, .fields = from, .field_count = count,                                       \
        .struct_size = sizeof(struct create2_readings), .note = words, .example = &example         \
    }

const struct wire_packet create2_singles[] = {
#define ROW(id, type, name, unit, note, value)                                                     \
    READINGS(#name, id, sizeof(type), &single_fields[(id)-CREATE2_FIRST_ID], 1, "OI, packet " #id),
    CREATE2_SENSOR_ROWS(ROW)
#undef ROW
};

#define GROUP(index, id, first, last, bytes)                                                       \
    READINGS("group_" #id, id, bytes, &group_fields[(first)-CREATE2_FIRST_ID],                     \
             (last) - (first) + 1, "packets " #first " to " #last),
const struct wire_packet create2_groups[] = {CREATE2_GROUP_ROWS(GROUP)};
#undef GROUP

const struct wire_packet *create2_sensor_packet(uint8_t id)
{
    if (id >= CREATE2_FIRST_ID && id <= CREATE2_LAST_ID)
        return &create2_singles[id - CREATE2_FIRST_ID];
    for (size_t i = 0; i < COUNT(create2_groups); i++)
        if (create2_groups[i].id == id)
            return &create2_groups[i];
    return NULL;
}

/* ---- Repeated bytes ---- */

WIRE_FIELDS(byte, WIRE_FIELD(create2_byte, value, 1, "", ""));

/* Elements that other packets repeat. */
static const struct wire_packet id_packet =
    WIRE_PACKET("id", 0, WIRE_TO_ROBOT, WIRE_BIG_ENDIAN, 1, byte_fields, create2_byte,
                .note = "ID of a sensor packet or group");

struct letter {
    char letter;
};
WIRE_FIELDS(letter, WIRE_FIELD(letter, letter, 1, "", "ASCII"));
static const struct wire_packet letter_packet =
    WIRE_PACKET("letter", 0, WIRE_TO_HOST, WIRE_BIG_ENDIAN, 1, letter_fields, letter,
                .note = "character of a line of text");

const struct wire_packet create2_text_packet = WIRE_TEXT_PACKET(
    "text", WIRE_TO_HOST, WIRE_BIG_ENDIAN, letter_packet,
    "text line of the firmware, with CR and LF; not part of the interface", "bl-start\r\n");

/* ---- Commands ---- */

enum {
#define ROW(packet, name, opcode, bytes, ...) packet##_opcode = opcode, packet##_bytes = bytes,
#define BARE(packet, name, opcode)            packet##_opcode = opcode, packet##_bytes = 0,
    CREATE2_COMMAND_ROWS(ROW, BARE)
#undef ROW
#undef BARE
};

WIRE_FIELDS(note, WIRE_FIELD(create2_note, note, 1, "", "MIDI, 31..127; others: a rest"),
            WIRE_FIELD(create2_note, duration, 1.0 / 64, "s", ""));
static const struct wire_packet note_packet = WIRE_PACKET(
    "note", 0, WIRE_TO_ROBOT, WIRE_BIG_ENDIAN, 2, note_fields, create2_note, .note = "of a song");

#define BYTE(name, words) WIRE_FIELDS(name, WIRE_FIELD(create2_byte, value, 1, "", words))

BYTE(baud,
     "0 300, 1 600, 2 1200, 3 2400, 4 4800, 5 9600, 6 14400, 7 19200, 8 28800, 9 38400, 10 57600, "
     "11 115200");
BYTE(motors, "side brush 1, vacuum 2, main brush 4; side clockwise 8, main outward 16");
BYTE(play, "number of a song, 0..3");
BYTE(query, "id of a packet or group");
BYTE(list, "count of the ids that follow");
BYTE(pause_stream, "0 pause, 1 resume");
BYTE(press, "clean 1, spot 2, dock 4, minute 8, hour 16, day 32, schedule 64, clock 128");
WIRE_FIELDS(drive, WIRE_FIELD(create2_drive, velocity, 1, "mm/s", "-500..500"),
            WIRE_FIELD(create2_drive, radius, 1, "mm",
                       "-2000..2000, left positive; -1, 1 in place; 32767, -32768 straight"));
WIRE_FIELDS(direct, WIRE_FIELD(create2_wheels, right, 1, "mm/s", "-500..500"),
            WIRE_FIELD(create2_wheels, left, 1, "mm/s", "-500..500"));
WIRE_FIELDS(drive_pwm, WIRE_FIELD(create2_wheels, right, 1, "", "-255..255"),
            WIRE_FIELD(create2_wheels, left, 1, "", "-255..255"));
WIRE_FIELDS(pwm, WIRE_FIELD(create2_pwm, main_brush, 1, "", "-127..127"),
            WIRE_FIELD(create2_pwm, side_brush, 1, "", "-127..127"),
            WIRE_FIELD(create2_pwm, vacuum, 1, "", "0..127"));
WIRE_FIELDS(leds, WIRE_FIELD(create2_leds, leds, 1, "", "debris 1, spot 2, dock 4, check robot 8"),
            WIRE_FIELD(create2_leds, color, 1, "", "color of the power LED: 0 green .. 255 red"),
            WIRE_FIELD(create2_leds, intensity, 1, "", "brightness of the power LED"));
WIRE_FIELDS(song, WIRE_FIELD(create2_song, number, 1, "", "0..3"),
            WIRE_FIELD(create2_song, count, 1, "", "1..16"));
WIRE_FIELDS(schedule_leds,
            WIRE_FIELD(create2_schedule_leds, days, 1, "", "Sunday 1 .. Saturday 64"),
            WIRE_FIELD(create2_schedule_leds, marks, 1, "",
                       "colon 1, PM 2, AM 4, clock 8, schedule 16"));
WIRE_FIELDS(digits_raw,
            WIRE_ARRAY(create2_digits, digit, 1, "", "left to right; segments A 1 .. G 64"));
WIRE_FIELDS(digits_ascii, WIRE_ARRAY(create2_digits, digit, 1, "", "left to right; 32..126"));
WIRE_FIELDS(schedule, WIRE_FIELD(create2_schedule, days, 1, "", "Sunday 1 .. Saturday 64"),
            WIRE_ARRAY(create2_schedule, times, 1, "",
                       "hour and minute for each day, from Sunday"));
WIRE_FIELDS(day_time, WIRE_FIELD(create2_day_time, day, 1, "", "0 Sunday .. 6 Saturday"),
            WIRE_FIELD(create2_day_time, hour, 1, "", "0..23"),
            WIRE_FIELD(create2_day_time, minute, 1, "", "0..59"));
BYTE(old, "");
WIRE_FIELDS(old_word, WIRE_FIELD(create2_old_word, value, 1, "", ""));

#define COMMAND(variable, words, ...)                                                              \
    const struct wire_packet create2_##variable##_packet = {.name = #variable,                     \
                                                            .id = variable##_opcode,               \
                                                            .direction = WIRE_TO_ROBOT,            \
                                                            .order = WIRE_BIG_ENDIAN,              \
                                                            .size = variable##_bytes,              \
                                                            .note = words,                         \
                                                            __VA_ARGS__}
/* DATA(fields, struct tag, members of an example) */
#define DATA(list, tag, ...)                                                                       \
    .fields = list##_fields, .field_count = COUNT(list##_fields),                                  \
    .struct_size = sizeof(struct tag), WIRE_EXAMPLE(tag, __VA_ARGS__)
#define IDS(...)                                                                                   \
    .repeat = &id_packet, .example_elements = (const struct create2_byte[])                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

COMMAND(reset, "restart, as after a change of the battery", .fields = NULL);
COMMAND(start, "passive mode; must come first", .fields = NULL);
COMMAND(baud, "Open Interface: wait 100 ms before you use the new rate",
        DATA(baud, create2_byte, 11));
COMMAND(control, "same as safe", .fields = NULL);
COMMAND(safe, "safe mode", .fields = NULL);
COMMAND(full, "full mode", .fields = NULL);
COMMAND(power, "sleeps until a pulse on RTS (pin BRC), the button clean or a charger",
        .fields = NULL);
COMMAND(spot, "passive mode; same as the button", .fields = NULL);
COMMAND(clean, "passive mode; same as the button", .fields = NULL);
COMMAND(max, "passive mode; cleans until the battery is empty", .fields = NULL);
COMMAND(drive, "safe and full", DATA(drive, create2_drive, -200, 500));
COMMAND(motors, "safe and full", DATA(motors, create2_byte, 13));
COMMAND(leds, "safe and full", DATA(leds, create2_leds, 4, 0, 128));
COMMAND(song, "defines one", DATA(song, create2_song, 0, 2), .repeat = &note_packet,
        .example_elements = (const struct create2_note[]){{69, 16}, {72, 32}},
        .example_element_count = 2);
COMMAND(play, "safe and full", DATA(play, create2_byte, 0));
COMMAND(query, "the answer is bare data", DATA(query, create2_byte, 35));
COMMAND(seek_dock, "passive mode; same as the button", .fields = NULL);
COMMAND(pwm_motors, "safe and full", DATA(pwm, create2_pwm, 64, -64, 127));
COMMAND(drive_direct, "safe and full", DATA(direct, create2_wheels, 200, 200));
COMMAND(drive_pwm, "safe and full", DATA(drive_pwm, create2_wheels, -255, 128));
COMMAND(stream, "a frame every 1/64 s", DATA(list, create2_byte, 2), IDS({29}, {13}),
        .example_element_count = 2);
COMMAND(query_list, "the answer is bare data", DATA(list, create2_byte, 2), IDS({7}, {13}),
        .example_element_count = 2);
COMMAND(pause_stream, "the list is kept", DATA(pause_stream, create2_byte, 0));
COMMAND(schedule_leds, "safe and full", DATA(schedule_leds, create2_schedule_leds, 8, 17));
COMMAND(digits_raw, "safe and full", DATA(digits_raw, create2_digits, {6, 91, 79, 102}));
COMMAND(digits_ascii, "safe and full", DATA(digits_ascii, create2_digits, {65, 66, 67, 68}));
COMMAND(press, "released automatically after a sixth of a second", DATA(press, create2_byte, 1));
COMMAND(schedule, "times of automatic cleaning; no days: never",
        DATA(schedule, create2_schedule, 0x28, {0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 10, 36, 0, 0}));
COMMAND(day_time, "sets the clock", DATA(day_time, create2_day_time, 3, 15, 30));
COMMAND(stop, "off mode", .fields = NULL);

#define OLD "command of the Create 1; accepted and ignored"
COMMAND(digital_outputs, OLD, DATA(old, create2_byte, 7));
COMMAND(send_ir, OLD, DATA(old, create2_byte, 130));
COMMAND(script, OLD, DATA(list, create2_byte, 1), IDS({128}), .example_element_count = 1);
COMMAND(play_script, OLD, .fields = NULL);
COMMAND(show_script, OLD, .fields = NULL);
COMMAND(wait_time, OLD, DATA(old, create2_byte, 10));
COMMAND(wait_distance, OLD, DATA(old_word, create2_old_word, 400));
COMMAND(wait_angle, OLD, DATA(old_word, create2_old_word, -90));
COMMAND(wait_event, OLD, DATA(old, create2_byte, 5));

static const struct create2_command create2_commands[] = {
#define ROW(packet, name, opcode, bytes, each, message)                                            \
    {&create2_##packet##_packet, offsetof(struct create2_messages, message)},
#define BARE(packet, ...) {&create2_##packet##_packet, 0},
    CREATE2_COMMAND_ROWS(ROW, BARE)
#undef ROW
#undef BARE
};

const struct wire_packet *const create2_packets[] = {
#define COMMAND_PACKET(packet, ...) &create2_##packet##_packet,
#define SINGLE(id, ...)             &create2_singles[(id)-CREATE2_FIRST_ID],
#define GROUP(index, ...)           &create2_groups[index],
    CREATE2_COMMAND_ROWS(COMMAND_PACKET, COMMAND_PACKET) CREATE2_SENSOR_ROWS(SINGLE)
            CREATE2_GROUP_ROWS(GROUP) &
        create2_text_packet,
    NULL};
#undef COMMAND_PACKET
#undef SINGLE
#undef GROUP

const struct create2_command *create2_command_find(uint8_t opcode)
{
    for (size_t i = 0; i < COUNT(create2_commands); i++)
        if (create2_commands[i].packet->id == opcode)
            return &create2_commands[i];
    return NULL;
}

/* ---- Framing, for observers of the line ---- */

static const struct wire_first_byte command_sizes[] = {
#define ROW(packet, name, opcode, bytes, each, message)                                            \
    {opcode, 1 + (bytes), (each) ? (bytes) : 0, each},
#define BARE(packet, name, opcode) {opcode, 1, 0, 0},
    CREATE2_COMMAND_ROWS(ROW, BARE)
#undef ROW
#undef BARE
        {0, 0, 0, 0},
};

/* Answers are data only: of one packet, or of all packets in the list. */
static const struct wire_promise answers[] = {
    {.id = CREATE2_SENSORS_QUERY, .ids_at = 1, .id_count = 1},
    {.id = CREATE2_QUERY_LIST, .ids_at = 2},
    {0},
};

const struct wire_framing create2_framing_to_robot = {
    .sizes = command_sizes, .body_at = 1, .promises = answers};

const struct wire_framing create2_framing_to_host = {
    .head = {CREATE2_STREAM_HEAD},
    .head_size = 1,
    .length_at = 1,
    .length_min = 2,
    .length_max = UINT8_MAX,
    .length_extra = 3,
    .check = WIRE_CHECK_SUM_ZERO,
    .body_at = 2,
    .parts = WIRE_PARTS_KNOWN,
    .text = &create2_text_packet,
};

/* ---- Receiving ---- */

/* Size of the command that begins here, bytes; 0: too few bytes to decide. */
static uint16_t command_size(const struct wire_packet *packet, const uint8_t *bytes, size_t size)
{
    size_t fixed = 1u + packet->size;
    if (!packet->repeat)
        return (uint16_t)fixed;
    /* The last byte of the fixed part is the number of elements that follow. */
    return size < fixed ? 0 : (uint16_t)(fixed + bytes[fixed - 1] * wire_size(packet->repeat));
}

bool create2_framer_push(struct create2_framer *framer, uint8_t byte, struct robot_stats *stats)
{
    if (framer->size > 0 && framer->used == framer->size)
        framer->used = framer->size = 0;
    if (framer->used == 0 && !create2_command_find(byte)) {
        stats->noise_bytes++;
        return false;
    }
    framer->bytes[framer->used++] = byte;
    if (framer->size == 0)
        framer->size = command_size(create2_command_find(framer->bytes[0])->packet, framer->bytes,
                                    framer->used);
    bool is_whole = framer->size > 0 && framer->used == framer->size;
    stats->frames += is_whole;
    return is_whole;
}

/* ---- Sending ---- */

bool create2_put(const struct create2_readings *readings, uint8_t id, uint8_t *out, size_t *size,
                 size_t room)
{
    const struct wire_packet *packet = create2_sensor_packet(id);
    if (!packet || *size + packet->size > room)
        return false;
    *size += wire_encode(packet, readings, out + *size);
    return true;
}

size_t create2_stream_frame(const struct create2_readings *readings, const uint8_t *ids,
                            size_t count, uint8_t out[CREATE2_STREAM_MAX])
{
    size_t size = 2;
    for (size_t i = 0; i < count; i++) {
        out[size++] = ids[i];
        bool is_put = create2_put(readings, ids[i], out, &size, CREATE2_STREAM_MAX - 1);
        assert(is_put);
        (void)is_put;
    }
    out[0] = CREATE2_STREAM_HEAD;
    out[1] = (uint8_t)(size - 2);
    out[size] = (uint8_t)-wire_sum(out, size);
    return size + 1;
}
