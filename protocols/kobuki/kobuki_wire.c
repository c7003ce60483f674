/* Field tables of the sub-payloads, and their frames. The sizes are those of the documentation; a
 * test compares them with the sums of the fields. */
#include "protocols/kobuki/kobuki_wire.h"

#include <assert.h>
#include <string.h>

/* PACKET(table prefix, name, id, direction, body bytes, struct tag, note, members of an example):
 * little-endian. The examples come from a robot on the floor and from its driver. */
#define PACKET(prefix, text, number, to, bytes, tag, words, ...)                                   \
    const struct wire_packet prefix##_packet =                                                     \
        WIRE_PACKET(text, number, to, WIRE_LITTLE_ENDIAN, bytes, prefix##_fields, tag,             \
                    .note = words, WIRE_EXAMPLE(tag, __VA_ARGS__))

/* ---- Robot to host ---- */

#define ROW(member, scale, unit, ...) WIRE_FIELD(kobuki_basic, member, scale, unit, __VA_ARGS__)
/* Chosen: 60 ticks are 5 mm of floor (85.3 um each: conversions.rst), plus 1 % of the distance. In
 * addition, a value may be one packet early or late. */
#define TRAVEL .tolerance = {WIRE_HELD_COUNT, 60, 0.01}
#define ROOM   .tolerance = {WIRE_HELD_ROOM, 0, 0}
#define NEVER  .tolerance = {WIRE_HELD_NEVER, 0, 0}
static const struct wire_field kobuki_basic_fields[] = {
    ROW(timestamp, 1, "ms", "n x 20, modulo 65536", // somewhat above the time between two packets
        .tolerance = {WIRE_HELD_COUNT, 25, 0}),
    ROW(bumper, 1, "", "right 0x01, center 0x02, left 0x04", ROOM),
    ROW(wheel_drop, 1, "", "right 0x01, left 0x02", ROOM),
    ROW(cliff, 1, "", "right 0x01, center 0x02, left 0x04", ROOM),
    ROW(left_encoder, 1, "tick", "grows when driving forward, wraps", TRAVEL),
    ROW(right_encoder, 1, "tick", "grows when driving forward, wraps", TRAVEL),
    ROW(left_pwm, 1, "%", "share of the full voltage, negative: backward",
        // depends on the motor controller
        .tolerance = {WIRE_HELD_VALUE, 30, 0.2}),
    ROW(right_pwm, 1, "%", "share of the full voltage, negative: backward",
        // depends on the motor controller
        .tolerance = {WIRE_HELD_VALUE, 30, 0.2}),
    ROW(buttons, 1, "", "B0 0x01, B1 0x02, B2 0x04, one at a time"),
    ROW(charger, 1, "", "0 discharging, dock 2 charged 6 charging, adapter 18 charged 22 charging"),
    ROW(battery, 0.1, "V", "full: 16.7 V", .tolerance = {WIRE_HELD_VALUE, 0.5, 0}),
    ROW(over_current, 1, "", "left 0x01, right 0x02"),
};
PACKET(kobuki_basic, "basic", 1, WIRE_TO_HOST, 15, kobuki_basic, "every packet, first",
       .timestamp = 2984, .left_encoder = 65532, .right_encoder = 62447, .battery = 157);
#undef ROW

#define ROW(member, note) WIRE_FIELD(kobuki_docking, member, 1, "", note, ROOM)
WIRE_FIELDS(kobuki_docking, ROW(right, "near left 0x01, near center 0x02, near right 0x04"),
            ROW(center, "far center 0x08, far left 0x10, far right 0x20"),
            ROW(left, "regions are the dock's own left and right"));
PACKET(kobuki_docking, "docking", 3, WIRE_TO_HOST, 3, kobuki_docking, "every packet", .right = 0x20,
       .center = 0x28, .left = 0x08);
#undef ROW

#define ROW(member, scale, unit, ...) WIRE_FIELD(kobuki_inertia, member, scale, unit, __VA_ARGS__)
WIRE_FIELDS(kobuki_inertia,
            ROW(angle, 0.01, "deg", "counter-clockwise positive, wraps at +-180",
                .tolerance = {WIRE_HELD_COUNT, 3, 0.01}),
            ROW(rate, 0.01, "deg/s", "bias removed"),
            ROW(unused0, 1, "", "0; 0x88 in firmware of 2012"),
            ROW(unused1, 1, "", "same as unused0"), ROW(unused2, 1, "", "same as unused0"));
PACKET(kobuki_inertia, "inertia", 4, WIRE_TO_HOST, 7, kobuki_inertia, "every packet",
       .angle = -6245);
#undef ROW

#define ROW(member)                                                                                \
    WIRE_FIELD(kobuki_cliff, member, 3.3 / 4095.0, "V", "12-bit ADC of the distance sensor",       \
               .tolerance = {WIRE_HELD_ROOM, 0.3, 0.1})
WIRE_FIELDS(kobuki_cliff, ROW(right), ROW(center), ROW(left));
PACKET(kobuki_cliff, "cliff", 5, WIRE_TO_HOST, 6, kobuki_cliff, "every packet", .right = 1673,
       .center = 1965, .left = 1609);
#undef ROW

WIRE_FIELDS(kobuki_current,
            WIRE_FIELD(kobuki_current, left, 0.01, "A", "amount, without sign",
                       .tolerance = {WIRE_HELD_VALUE, 0.3, 0.2}),
            WIRE_FIELD(kobuki_current, right, 0.01, "A", "amount, without sign",
                       .tolerance = {WIRE_HELD_VALUE, 0.3, 0.2}));
PACKET(kobuki_current, "current", 6, WIRE_TO_HOST, 2, kobuki_current, "every packet", .left = 12,
       .right = 11);

#define ROW(member, note) WIRE_FIELD(kobuki_version, member, 1, "", note)
#define VERSION_ROWS      ROW(patch, ""), ROW(minor, ""), ROW(major, ""), ROW(unused, "0")
WIRE_FIELDS(kobuki_hardware, VERSION_ROWS);
WIRE_FIELDS(kobuki_firmware, VERSION_ROWS);
PACKET(kobuki_hardware, "hardware", 10, WIRE_TO_HOST, 4, kobuki_version, "sent on request",
       .patch = 4, .minor = 0, .major = 1);
PACKET(kobuki_firmware, "firmware", 11, WIRE_TO_HOST, 4, kobuki_version, "sent on request",
       .patch = 0, .minor = 2, .major = 1);
#undef VERSION_ROWS
#undef ROW

WIRE_FIELDS(kobuki_hardware_legacy,
            WIRE_FIELD(kobuki_legacy_version, version, 1, "", "104: 1.0.4"));
WIRE_FIELDS(kobuki_firmware_legacy, WIRE_FIELD(kobuki_legacy_version, version, 1, "",
                                               "123: 1.0.0, 10100: 1.1.0, 10101: 1.1.1"));
PACKET(kobuki_hardware_legacy, "hardware_legacy", 10, WIRE_TO_HOST, 2, kobuki_legacy_version,
       "sent on request, firmware below 1.1.2", .version = 104);
PACKET(kobuki_firmware_legacy, "firmware_legacy", 11, WIRE_TO_HOST, 2, kobuki_legacy_version,
       "sent on request, firmware below 1.1.2", .version = 10100);

#define ROW(member, note)                                                                          \
    WIRE_FIELD(kobuki_gyro_sample, member, 0.00875, "deg/s", note,                                 \
               .tolerance = {WIRE_HELD_VALUE, 5, 0.05})
WIRE_FIELDS(kobuki_gyro_sample, ROW(x, "the robot's y axis"), ROW(y, "the robot's -x axis"),
            ROW(z, "the robot's z axis"));
PACKET(kobuki_gyro_sample, "gyro_sample", 13, WIRE_TO_HOST, 6, kobuki_gyro_sample,
       "one raw sample of the L3G4200D", .x = 42, .y = -110, .z = -68);
#undef ROW

WIRE_FIELDS(kobuki_gyro,
            WIRE_FIELD(kobuki_gyro, frame_id, 1, "", "number of the first sample, modulo 256",
                       NEVER),
            WIRE_FIELD(kobuki_gyro, followed_length, 1, "",
                       "16-bit words that follow: 3 per sample", NEVER));
const struct wire_packet kobuki_gyro_packet = WIRE_PACKET(
    "gyro", 13, WIRE_TO_HOST, WIRE_LITTLE_ENDIAN, 2, kobuki_gyro_fields, kobuki_gyro,
    .repeat = &kobuki_gyro_sample_packet, .note = "every packet; two samples, occasionally three",
    WIRE_EXAMPLE(kobuki_gyro, .frame_id = 0xEE, .followed_length = 6),
    .example_elements = (const struct kobuki_gyro_sample[]){{42, -110, -68}, {35, -104, -71}},
    .example_element_count = 2);

#define ROW(member, scale, unit, ...) WIRE_FIELD(kobuki_inputs, member, scale, unit, __VA_ARGS__)
#define ANALOG(member)                ROW(member, 3.3 / 4095.0, "V", "12-bit ADC, open: 3.3")
static const struct wire_field kobuki_inputs_fields[] = {
    ROW(digital, 1, "", "channels 0..3: 1, 2, 4, 8; test board: 64"),
    ANALOG(analog0),
    ANALOG(analog1),
    ANALOG(analog2),
    ANALOG(analog3),
    ROW(unused0, 1, "", "0x0FEF or 0x0FF0 on real robots", NEVER),
    ROW(unused1, 1, "", "0"),
    ROW(unused2, 1, "", "0"),
};
PACKET(kobuki_inputs, "inputs", 16, WIRE_TO_HOST, 16, kobuki_inputs, "every packet",
       .analog0 = 4095, .analog1 = 4095, .analog2 = 4095, .analog3 = 4095, .unused0 = 0x0FF0);
#undef ANALOG
#undef ROW

#define ROW(member) WIRE_FIELD(kobuki_udid, member, 1, "", "96-bit id of the chip", NEVER)
WIRE_FIELDS(kobuki_udid, ROW(udid0), ROW(udid1), ROW(udid2));
PACKET(kobuki_udid, "udid", 19, WIRE_TO_HOST, 12, kobuki_udid, "sent on request",
       .udid0 = 736034612, .udid1 = 892621875, .udid2 = 1125147971);
#undef ROW

#define ROW(member, scale, note) WIRE_FIELD(kobuki_gain, member, scale, "", note)
#define GAIN_ROWS                                                                                  \
    ROW(type, 1, "0 factory, 1 user"), ROW(p, 0.001, "factory 100"), ROW(i, 0.001, "factory 0.1"), \
        ROW(d, 0.001, "factory 2")
WIRE_FIELDS(kobuki_controller_info, GAIN_ROWS);
WIRE_FIELDS(kobuki_set_gain, GAIN_ROWS);
PACKET(kobuki_controller_info, "controller_info", 21, WIRE_TO_HOST, 13, kobuki_gain,
       "answer to get_gain, firmware 1.2 and later", .p = 100000, .i = 100, .d = 2000);
#undef GAIN_ROWS
#undef ROW

/* ---- Host to robot ---- */

WIRE_FIELDS(kobuki_base_control,
            WIRE_FIELD(kobuki_base_control, speed, 1, "mm/s", "speed of the outer wheel"),
            WIRE_FIELD(kobuki_base_control, radius, 1, "mm",
                       "0 straight, 1 on the spot, left positive"));
PACKET(kobuki_base_control, "base_control", 1, WIRE_TO_ROBOT, 4, kobuki_base_control,
       "repeat it: a watchdog stops the wheels", .speed = 200);

WIRE_FIELDS(kobuki_sound, WIRE_FIELD(kobuki_sound, note, 1, "", "1 / (Hz x 0.00000275)"),
            WIRE_FIELD(kobuki_sound, duration, 1, "ms", ""));
PACKET(kobuki_sound, "sound", 3, WIRE_TO_ROBOT, 3, kobuki_sound, "plays one note", .note = 826,
       .duration = 200);

WIRE_FIELDS(
    kobuki_sound_sequence,
    WIRE_FIELD(kobuki_sound_sequence, number, 1, "",
               "0 on, 1 off, 2 recharge, 3 button, 4 error, 5 cleaning start, 6 cleaning end"));
PACKET(kobuki_sound_sequence, "sound_sequence", 4, WIRE_TO_ROBOT, 1, kobuki_sound_sequence,
       "plays a melody", .number = 4);

WIRE_FIELDS(kobuki_set_power, WIRE_FIELD(kobuki_flags, flags, 1, "",
                                         "3.3 V 0x01, 5 V 0x02, 12 V 5 A 0x04, 12 V 1.5 A 0x08"));
PACKET(kobuki_set_power, "set_power", 8, WIRE_TO_ROBOT, 2, kobuki_flags, "obsolete", .flags = 0x0F);

WIRE_FIELDS(kobuki_request_extra,
            WIRE_FIELD(kobuki_flags, flags, 1, "", "hardware 0x01, firmware 0x02, UDID 0x08"));
PACKET(kobuki_request_extra, "request_extra", 9, WIRE_TO_ROBOT, 2, kobuki_flags,
       "answered in the next packet", .flags = 0x0B);

WIRE_FIELDS(
    kobuki_outputs,
    WIRE_FIELD(kobuki_flags, flags, 1, "",
               "digital 0x000F, 3.3 V 0x10, 5 V 0x20, 12 V 5 A 0x40, 12 V 1.5 A 0x80, LED1 red "
               "0x100 green 0x200, LED2 red 0x400 green 0x800"));
PACKET(kobuki_outputs, "outputs", 12, WIRE_TO_ROBOT, 2, kobuki_flags, "replaces the whole word",
       .flags = 0x01F0);

PACKET(kobuki_set_gain, "set_gain", 13, WIRE_TO_ROBOT, 13, kobuki_gain,
       "firmware 1.2 and later; type 0 restores the factory values", .type = 1, .p = 100000,
       .i = 100, .d = 2000);

WIRE_FIELDS(kobuki_get_gain, WIRE_FIELD(kobuki_get_gain, unused, 1, "", "0"));
PACKET(kobuki_get_gain, "get_gain", 14, WIRE_TO_ROBOT, 1, kobuki_get_gain,
       "firmware 1.2 and later; answered by controller_info", .unused = 0);

/* ---- List of all packets ---- */

const struct wire_packet *const kobuki_packets[] = {
#define ROW(name, tag) &kobuki_##name##_packet,
#define PART(name, tag)
    KOBUKI_PACKETS(ROW, PART) NULL};
#undef PART
#undef ROW

static const uint8_t KOBUKI_HEADER_0 = 0xAA;
static const uint8_t KOBUKI_HEADER_1 = 0x55;

const struct wire_framing kobuki_framing = {
    .head = {0xAA, 0x55},
    .head_size = 2,
    .length_at = 2,
    .length_min = KOBUKI_PAYLOAD_MIN,
    .length_max = KOBUKI_PAYLOAD_MAX,
    .length_extra = KOBUKI_FRAME_EXTRA,
    .check = WIRE_CHECK_XOR,
    .check_from = 2,
    .body_at = KOBUKI_FRAME_HEAD,
    .parts = WIRE_PARTS_SIZED,
};

/* ---- Receiving ---- */

/* Drops COUNT leading bytes, and counts those that belong to no frame as noise if IS_NOISE. */
static void framer_drop(struct kobuki_framer *framer, size_t count, bool is_noise,
                        struct robot_stats *stats)
{
    assert(count <= framer->used);
    size_t spoiled = framer->spoiled < count ? framer->spoiled : count;
    if (is_noise)
        stats->noise_bytes += count - spoiled;
    framer->spoiled = (uint16_t)(framer->spoiled - spoiled);
    framer->used = (uint16_t)(framer->used - count);
    memmove(framer->bytes, framer->bytes + count, framer->used);
}

/* Counts a frame of SIZE bytes as bad and drops its first byte. The rest is searched again. */
static void framer_reject(struct kobuki_framer *framer, size_t size, struct robot_stats *stats)
{
    stats->bad_frames++;
    if (framer->spoiled < size)
        framer->spoiled = (uint16_t)size;
    framer_drop(framer, 1, true, stats);
}

/* Drops bytes that cannot begin a frame. False: fewer than two bytes are left. */
static bool framer_seek(struct kobuki_framer *framer, struct robot_stats *stats)
{
    size_t at = 0;
    while (at < framer->used) {
        bool is_last = at + 1 == framer->used;
        if (framer->bytes[at] == KOBUKI_HEADER_0 &&
            (is_last || framer->bytes[at + 1] == KOBUKI_HEADER_1))
            break;
        at++;
    }
    if (at > 0)
        framer_drop(framer, at, true, stats);
    return framer->used >= 2;
}

/* AA 55 AA 55: a frame was cut after its header, and the next one follows. If AA were taken as a
 * length of 170, it would swallow many good frames. No client sends 170 bytes that begin with the
 * unknown id 0x55. */
static bool framer_is_repeated(const struct kobuki_framer *framer)
{
    return framer->used > KOBUKI_FRAME_HEAD && framer->bytes[2] == KOBUKI_HEADER_0 &&
           framer->bytes[3] == KOBUKI_HEADER_1;
}

/* The XOR of length, payload and checksum is 0, or equals the bytes that the checksum excludes: the
 * length (roarmstrong/kobuki: commands.py), or the length and the first id
 * (yumyum-web/kobukidriver2: command_transmission.py). */
static bool framer_has_good_sum(const struct kobuki_framer *framer, bool is_lenient)
{
    uint8_t length = framer->bytes[2];
    uint8_t first_id = framer->bytes[KOBUKI_FRAME_HEAD];
    uint8_t left_out = wire_xor(framer->bytes + 2, length + 2u);
    return left_out == 0 || (is_lenient && (left_out == length || left_out == (length ^ first_id)));
}

void kobuki_framer_push(struct kobuki_framer *framer, uint8_t byte)
{
    assert(framer->used < KOBUKI_FRAME_MAX);
    framer->bytes[framer->used++] = byte;
}

bool kobuki_framer_next(struct kobuki_framer *framer, bool is_lenient, struct robot_stats *stats,
                        const uint8_t **payload, size_t *size)
{
    if (framer->taken > 0) {
        framer_drop(framer, framer->taken, false, stats);
        framer->taken = 0;
    }
    while (framer_seek(framer, stats) && framer->used >= KOBUKI_FRAME_HEAD) {
        uint8_t length = framer->bytes[2];
        if (length < KOBUKI_PAYLOAD_MIN) {
            framer_reject(framer, KOBUKI_FRAME_HEAD, stats);
            continue;
        }
        if (framer_is_repeated(framer)) {
            framer_drop(framer, 2, true, stats);
            continue;
        }
        size_t whole = (size_t)length + KOBUKI_FRAME_EXTRA;
        if (framer->used < whole)
            return false;
        if (framer_has_good_sum(framer, is_lenient)) {
            stats->frames++;
            framer->taken = (uint16_t)whole;
            *payload = framer->bytes + KOBUKI_FRAME_HEAD;
            *size = length;
            return true;
        }
        framer_reject(framer, whole, stats);
    }
    return false;
}

/* ---- Complete frames ---- */

void kobuki_frame_begin(struct kobuki_frame *frame)
{
    frame->bytes[0] = KOBUKI_HEADER_0;
    frame->bytes[1] = KOBUKI_HEADER_1;
    frame->bytes[2] = 0;
    frame->size = KOBUKI_FRAME_HEAD;
}

void kobuki_frame_add_repeated(struct kobuki_frame *frame, const struct wire_packet *packet,
                               const void *message, const void *elements, size_t count)
{
    size_t step = packet->repeat ? wire_size(packet->repeat) : 0;
    size_t body = wire_size(packet) + step * count;
    assert(body <= UINT8_MAX);
    assert(frame->size + 2 + body + 1 <= sizeof frame->bytes);
    frame->bytes[frame->size++] = packet->id;
    frame->bytes[frame->size++] = (uint8_t)body;
    frame->size += wire_encode(packet, message, frame->bytes + frame->size);
    const uint8_t *element = elements;
    for (size_t i = 0; i < count; i++, element += packet->repeat->struct_size)
        frame->size += wire_encode(packet->repeat, element, frame->bytes + frame->size);
}

void kobuki_frame_add(struct kobuki_frame *frame, const struct wire_packet *packet,
                      const void *message)
{
    kobuki_frame_add_repeated(frame, packet, message, NULL, 0);
}

void kobuki_frame_end(struct kobuki_frame *frame)
{
    frame->bytes[2] = (uint8_t)(frame->size - KOBUKI_FRAME_HEAD);
    frame->bytes[frame->size] = wire_xor(frame->bytes + 2, frame->size - 2);
    frame->size++;
}

/* ---- Sub-payloads ---- */

bool kobuki_part_next(const uint8_t *payload, size_t size, size_t *at, struct kobuki_part *part)
{
    if (size - *at < 2 || size - *at - 2 < payload[*at + 1])
        return false;
    part->id = payload[*at];
    part->size = payload[*at + 1];
    part->body = payload + *at + 2;
    *at += 2u + part->size;
    return true;
}
