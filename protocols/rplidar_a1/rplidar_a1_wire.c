#include "protocols/rplidar_a1/rplidar_a1_wire.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/array.h"

/* ---- Packets ---- */

/* A packet with a table of fields; the remaining arguments are designators. */
#define PACKET(label, number, way, bytes, tag, text, ...)                                          \
    const struct wire_packet rplidar_##label##_packet =                                            \
        WIRE_PACKET(#label, number, way, WIRE_LITTLE_ENDIAN, bytes, label##_fields, tag,           \
                    .note = (text), __VA_ARGS__)
/* A request without a body. */
#define BARE(label, number, text)                                                                  \
    const struct wire_packet rplidar_##label##_packet = {.name = #label,                           \
                                                         .id = (number),                           \
                                                         .direction = WIRE_TO_ROBOT,               \
                                                         .order = WIRE_LITTLE_ENDIAN,              \
                                                         .struct_size =                            \
                                                             sizeof(struct rplidar_nothing),       \
                                                         .note = (text)}

BARE(stop, RPLIDAR_STOP, "ends a scan; no answer");
BARE(reset, RPLIDAR_RESET, "starts the firmware again; boot_text follows");
BARE(scan, RPLIDAR_SCAN, "nodes, as soon as the rotation is stable");
BARE(force_scan, RPLIDAR_FORCE_SCAN, "nodes at once");
BARE(get_info, RPLIDAR_GET_INFO, "answered by info");
BARE(get_health, RPLIDAR_GET_HEALTH, "answered by health");
BARE(get_rates, RPLIDAR_GET_RATES, "answer: rates; firmware 1.17 and later");

WIRE_FIELDS(express_scan,
            WIRE_FIELD(rplidar_express_scan, mode, 1, "", "id of the scan mode; 0 and 1: express"),
            WIRE_FIELD(rplidar_express_scan, flags, 1, "", "0"),
            WIRE_FIELD(rplidar_express_scan, param, 1, "", "0"));
PACKET(express_scan, RPLIDAR_EXPRESS_SCAN, WIRE_TO_ROBOT, 5, rplidar_express_scan,
       "capsules, of the mode; firmware 1.17 and later",
       WIRE_EXAMPLE(rplidar_express_scan, .mode = 1));

#define KEYS                                                                                       \
    "1 speed, 0x70 modes, 0x71 time of a sample, 0x74 range, 0x75 type of answer, 0x7C typical "   \
    "mode, 0x7F name"
WIRE_FIELDS(byte, WIRE_FIELD(rplidar_byte, byte, 1, "", "padding"));
static PACKET(byte, 0, WIRE_TO_ROBOT, 1, rplidar_byte, "padding", .example = NULL);
WIRE_FIELDS(get_conf, WIRE_FIELD(rplidar_get_conf, key, 1, "", KEYS));
PACKET(get_conf, RPLIDAR_GET_CONF, WIRE_TO_ROBOT, 4, rplidar_get_conf,
       "answer: conf; firmware 1.24 and later", WIRE_EXAMPLE(rplidar_get_conf, .key = 0x70));
WIRE_FIELDS(get_mode_conf, WIRE_FIELD(rplidar_get_mode_conf, key, 1, "", KEYS),
            WIRE_FIELD(rplidar_get_mode_conf, mode, 1, "", "id of a scan mode"));
PACKET(get_mode_conf, RPLIDAR_GET_CONF, WIRE_TO_ROBOT, 6, rplidar_get_mode_conf,
       "answer: conf; SDK 1 pads it to 36 bytes", .repeat = &rplidar_byte_packet,
       WIRE_EXAMPLE(rplidar_get_mode_conf, .key = 0x71, .mode = 1), .example_element_count = 1,
       .example_elements = &(const struct rplidar_byte){0});

WIRE_FIELDS(set_motor, WIRE_FIELD(rplidar_set_motor, pwm, 1, "", "0 off .. 1023"));
PACKET(set_motor, RPLIDAR_SET_MOTOR, WIRE_TO_ROBOT, 2, rplidar_set_motor,
       "an A1 ignores it: DTR controls its motor", WIRE_EXAMPLE(rplidar_set_motor, .pwm = 660));
WIRE_FIELDS(get_board, WIRE_FIELD(rplidar_word, word, 1, "", "0"));
PACKET(get_board, RPLIDAR_GET_BOARD, WIRE_TO_ROBOT, 4, rplidar_word,
       "an A1 does not answer; with motor: command answered by board",
       WIRE_EXAMPLE(rplidar_word, .word = 0));

WIRE_FIELDS(info, WIRE_FIELD(rplidar_info, model, 1, "", "0x18: A1M8"),
            WIRE_FIELD(rplidar_info, firmware_minor, 1, "", ""),
            WIRE_FIELD(rplidar_info, firmware_major, 1, "", ""),
            WIRE_FIELD(rplidar_info, hardware, 1, "", ""),
            WIRE_ARRAY(rplidar_info, serial, 1, "", ""));
PACKET(info, RPLIDAR_INFO, WIRE_TO_HOST, 20, rplidar_info, "answers get_info",
       WIRE_EXAMPLE(rplidar_info, .model = 0x18, .firmware_minor = 29, .firmware_major = 1,
                    .hardware = 7));
WIRE_FIELDS(health,
            WIRE_FIELD(rplidar_health, status, 1, "",
                       "0 good, 1 warning, 2 error: protection stop"),
            WIRE_FIELD(rplidar_health, code, 1, "", ""));
PACKET(health, RPLIDAR_HEALTH, WIRE_TO_HOST, 3, rplidar_health, "answers get_health",
       WIRE_EXAMPLE(rplidar_health, .status = 0));
WIRE_FIELDS(rates, WIRE_FIELD(rplidar_rates, standard_us, 1, "us", "time of a sample"),
            WIRE_FIELD(rplidar_rates, express_us, 1, "us", "time of a sample"));
PACKET(rates, RPLIDAR_RATES, WIRE_TO_HOST, 4, rplidar_rates, "answers get_rates",
       WIRE_EXAMPLE(rplidar_rates, .standard_us = 508, .express_us = 254));

WIRE_FIELDS(conf_type, WIRE_FIELD(rplidar_conf_type, key, 1, "", "0x75"),
            WIRE_FIELD(rplidar_conf_type, type, 1, "", "0x81 node, 0x82 express, 0x84 ultra"));
PACKET(conf_type, RPLIDAR_CONF, WIRE_TO_HOST, 5, rplidar_conf_type, "answers get_mode_conf",
       WIRE_EXAMPLE(rplidar_conf_type, .key = 0x75, .type = RPLIDAR_EXPRESS));
WIRE_FIELDS(conf_count, WIRE_FIELD(rplidar_conf_count, key, 1, "", "0x70 or 0x7C"),
            WIRE_FIELD(rplidar_conf_count, value, 1, "", "number of modes, or the typical mode"));
PACKET(conf_count, RPLIDAR_CONF, WIRE_TO_HOST, 6, rplidar_conf_count, "answers get_conf",
       WIRE_EXAMPLE(rplidar_conf_count, .key = 0x70, .value = 5));
WIRE_FIELDS(conf_value, WIRE_FIELD(rplidar_conf_value, key, 1, "", "0x71, 0x74 or 1"),
            WIRE_FIELD(rplidar_conf_value, value, 1, "",
                       "0x71: us in 1/256; 0x74: m in 1/256; 1: rpm, and PWM in the upper half"));
PACKET(conf_value, RPLIDAR_CONF, WIRE_TO_HOST, 8, rplidar_conf_value,
       "answers get_mode_conf, key 1 get_conf",
       WIRE_EXAMPLE(rplidar_conf_value, .key = 0x71, .value = 65024));
WIRE_FIELDS(letter, WIRE_FIELD(rplidar_letter, letter, 1, "", ""));
static PACKET(letter, 0, WIRE_TO_HOST, 1, rplidar_letter, "of a text", .example = NULL);
WIRE_FIELDS(conf_name, WIRE_FIELD(rplidar_conf_name, key, 1, "", "0x7F"));
PACKET(conf_name, RPLIDAR_CONF, WIRE_TO_HOST, 4, rplidar_conf_name,
       "answers get_mode_conf; the name ends with NUL", .repeat = &rplidar_letter_packet,
       WIRE_EXAMPLE(rplidar_conf_name, .key = 0x7F), .example_element_count = 6,
       .example_elements = (const struct rplidar_letter[]){{'B'}, {'o'}, {'o'}, {'s'}, {'t'}, {0}});
WIRE_FIELDS(board, WIRE_FIELD(rplidar_word, word, 1, "", "bit 0: it takes set_motor"));
PACKET(board, RPLIDAR_BOARD, WIRE_TO_HOST, 4, rplidar_word, "answers get_board",
       WIRE_EXAMPLE(rplidar_word, .word = 1));

WIRE_FIELDS(boot_text,
            WIRE_ARRAY(rplidar_boot_text, text, 1, "", "lines of ASCII that end with CR LF"));
PACKET(boot_text, 0, WIRE_TO_HOST, RPLIDAR_TEXT_BYTES, rplidar_boot_text,
       "sent at power-on and after reset",
       WIRE_EXAMPLE(rplidar_boot_text,
                    .text = "RP LIDAR System.\r\nFirmware Ver 1.29 - rtm, HW Ver 7"
                            "\r\nModel: 18\r\n"));

WIRE_FIELDS(descriptor,
            WIRE_FIELD(rplidar_descriptor, length, 1, "",
                       "bytes of each answer; bit 30: they repeat until the next request"),
            WIRE_FIELD(rplidar_descriptor, type, 1, "", "0x81 node, 0x82 express, 0x84 ultra"));
PACKET(descriptor, RPLIDAR_DESCRIPTOR, WIRE_TO_HOST, 5, rplidar_descriptor,
       "answers scan, force_scan and express_scan; the points follow",
       WIRE_EXAMPLE(rplidar_descriptor, .length = 0x40000005, .type = RPLIDAR_NODE));
/* The angle of a node depends on the phase of the motor. */
#define ROOM(amount, part) .tolerance = {WIRE_HELD_ROOM, amount, part}
WIRE_FIELDS(node,
            WIRE_BITS(rplidar_node, start, quality, 0, 1, 1, "",
                      "bit 0: the first of a turn; bit 1: not bit 0", .is_part = true, ROOM(0, 0)),
            WIRE_BITS(rplidar_node, quality, quality, 2, 6, 1, "", "bits 2..7", ROOM(0, 0)),
            WIRE_BITS(rplidar_node, angle, angle, 1, 15, 1.0 / 64, "deg",
                      "bits 1..15, clockwise; bit 0 is 1", ROOM(2, 0)),
            WIRE_FIELD(rplidar_node, distance, 0.25, "mm", "0: none", ROOM(20, 0.02)));
PACKET(node, RPLIDAR_NODE, WIRE_TO_HOST, 5, rplidar_node, "a point of a standard scan",
       WIRE_EXAMPLE(rplidar_node, .quality = 0xBD, .angle = 1, .distance = 12000));
WIRE_FIELDS(
    cabin,
    WIRE_FIELD(rplidar_cabin, first, 1, "", "bits 2..15: mm; bits 0, 1: bits 4, 5 of its offset"),
    WIRE_FIELD(rplidar_cabin, second, 1, "", "bits 2..15: mm; bits 0, 1: bits 4, 5 of its offset"),
    WIRE_FIELD(rplidar_cabin, offsets, 1, "", "in 1/8 deg, bits 0..3 of the first, second"));
static PACKET(cabin, 0, WIRE_TO_HOST, 5, rplidar_cabin, "two points", .example = NULL);
WIRE_FIELDS(
    capsule,
    WIRE_FIELD(rplidar_capsule, sync_1, 1, "",
               "bits 4..7: 0xA; 0..3: the lower half of the XOR of all bytes from start on"),
    WIRE_FIELD(rplidar_capsule, sync_2, 1, "", "bits 4..7: 5; 0..3: the upper half of that XOR"),
    WIRE_FIELD(rplidar_capsule, start, 1.0 / 64, "deg",
               "angle of the first point; bit 15: the first capsule of a scan"));
#define express_fields capsule_fields
#define ultra_fields   capsule_fields
PACKET(express, RPLIDAR_EXPRESS, WIRE_TO_HOST, 4, rplidar_capsule,
       "32 points, evenly spaced up to the start of the next capsule",
       .repeat = &rplidar_cabin_packet,
       WIRE_EXAMPLE(rplidar_capsule, .sync_1 = 0xA7, .sync_2 = 0x55, .start = 0x80D7));
WIRE_FIELDS(triple,
            WIRE_FIELD(rplidar_word, word, 1, "",
                       "bits 0..11: mm, scaled; 12..21 and 22..31: the next two, as differences"));
static PACKET(triple, 0, WIRE_TO_HOST, 4, rplidar_word, "three points", .example = NULL);
PACKET(ultra, RPLIDAR_ULTRA, WIRE_TO_HOST, 4, rplidar_capsule,
       "96 points, evenly spaced up to the start of the next capsule",
       .repeat = &rplidar_triple_packet,
       WIRE_EXAMPLE(rplidar_capsule, .sync_1 = 0xA7, .sync_2 = 0x55, .start = 0x80D7));

const struct wire_packet *const rplidar_packets[] = {
#define PACKET_OF(name, tag) &rplidar_##name##_packet,
    RPLIDAR_PACKETS(PACKET_OF, PACKET_OF) NULL};
#undef PACKET_OF

const struct wire_packet *rplidar_request_find(uint8_t command, size_t size)
{
    for (size_t i = 0; rplidar_packets[i]; i++) {
        const struct wire_packet *packet = rplidar_packets[i];
        bool fits = packet->size == size || (packet->repeat && size > packet->size);
        if (packet->direction == WIRE_TO_ROBOT && packet->id == command && fits)
            return packet;
    }
    return NULL;
}

bool rplidar_is_command(uint8_t command)
{
    for (size_t i = 0; rplidar_packets[i]; i++)
        if (rplidar_packets[i]->direction == WIRE_TO_ROBOT && rplidar_packets[i]->id == command)
            return true;
    return false;
}

/* ---- Requests: A5 and command; if bit 7 of the command is set, also a length, a payload and the
 * XOR of all bytes ---- */

enum { SYNC = 0xA5, SYNC_2 = 0x5A };

/* Drops COUNT bytes at the front, and further bytes up to a possible begin of a request. */
static void drop(struct rplidar_framer *framer, size_t count, struct robot_stats *stats)
{
    while (count < framer->used && framer->bytes[count] != SYNC) {
        stats->noise_bytes++;
        count++;
    }
    framer->used = (uint16_t)(framer->used - count);
    memmove(framer->bytes, framer->bytes + count, framer->used);
}

bool rplidar_framer_push(struct rplidar_framer *framer, uint8_t byte, struct robot_stats *stats,
                         size_t *size)
{
    framer->bytes[framer->used++] = byte;
    while (framer->used > 0) {
        const uint8_t *bytes = framer->bytes;
        if (bytes[0] != SYNC || (framer->used > 1 && bytes[1] == SYNC)) {
            stats->noise_bytes++;
            drop(framer, 1, stats);
            continue;
        }
        size_t whole = wire_frame_size(&rplidar_requests, bytes, framer->used);
        if (whole == 0 ? framer->used < 3 : framer->used < whole)
            return false;
        if (wire_frame_is_good(&rplidar_requests, bytes, whole)) {
            stats->frames++;
            framer->used = 0;
            *size = whole;
            return true;
        }
        stats->bad_frames++;
        drop(framer, 1, stats);
    }
    return false;
}

const uint8_t *rplidar_payload(const uint8_t *request, size_t *size)
{
    *size = request[1] & 0x80 ? request[2] : 0;
    return request + 3;
}

/* ---- Answers: A5 5A, length and send mode, type, and the answer ---- */

enum { HEAD = 7 };

size_t rplidar_answer(const struct wire_packet *packet, const void *message, const char *name,
                      uint8_t *out)
{
    size_t size = wire_encode(packet, message, out), letters = name ? strlen(name) + 1 : 0;
    assert(HEAD + size + letters <= RPLIDAR_ANSWER_MAX);
    if (name)
        memcpy(out + size, name, letters);
    return wire_frame_wrap(&rplidar_answers, packet, out, size + letters, out);
}

/* ---- Points ---- */

void rplidar_put_node(bool is_first, unsigned quality, unsigned angle_q6, double distance_mm,
                      uint8_t out[RPLIDAR_NODE_BYTES])
{
    const struct rplidar_node node = {
        .quality = (uint8_t)(quality << 2 | (is_first ? 1u : 2u)),
        .angle = (uint16_t)(angle_q6 << 1 | 1),
        .distance = wire_saturate_u16(distance_mm * 4),
    };
    wire_encode(&rplidar_node_packet, &node, out);
}

/* Writes the start angle before the points, and the checksum of all bytes. */
static void seal(const struct wire_packet *packet, bool is_first, unsigned start_q6, uint8_t *out,
                 size_t size)
{
    out[2] = (uint8_t)start_q6;
    out[3] = (uint8_t)(start_q6 >> 8 | (is_first ? 0x80 : 0));
    wire_frame_wrap(&rplidar_answers, packet, out, size, out);
}

void rplidar_put_express(bool is_first, unsigned start_q6, const uint16_t *distances_mm,
                         uint8_t out[RPLIDAR_EXPRESS_BYTES])
{
    for (size_t i = 0; i < RPLIDAR_EXPRESS_SAMPLES / 2; i++) {
        uint8_t *cabin = out + 4 + 5 * i;
        for (size_t k = 0; k < 2; k++) {
            uint16_t mm = distances_mm[2 * i + k];
            cabin[2 * k] = (uint8_t)(mm << 2);
            cabin[2 * k + 1] = (uint8_t)(mm >> 6);
        }
        cabin[4] = 0; /* angles are true: no offsets */
    }
    seal(&rplidar_express_packet, is_first, start_q6, out, RPLIDAR_EXPRESS_BYTES);
}

/* Steps of the scaled distance: from this code and distance in mm on, a step is 1 << SHIFT mm. */
static const struct {
    uint16_t code, mm;
    unsigned shift;
} scales[] = {{0, 0, 0}, {512, 512, 1}, {1280, 2048, 2}, {1792, 4096, 3}, {3328, 16384, 4}};

struct scaled {
    unsigned code, mm, shift; /* MM: as the host reads the code */
};

static struct scaled scale(unsigned mm)
{
    size_t i = COUNT(scales) - 1;
    while (i > 0 && mm < scales[i].mm)
        i--;
    unsigned half = (1u << scales[i].shift) / 2;
    struct scaled scaled = {.code =
                                scales[i].code + ((mm - scales[i].mm + half) >> scales[i].shift)};
    // After rounding up, the code may be the first of the next scale, and is decoded as such.
    i += i + 1 < COUNT(scales) && scaled.code == scales[i + 1].code;
    scaled.shift = scales[i].shift;
    scaled.mm = scales[i].mm + ((scaled.code - scales[i].code) << scaled.shift);
    return scaled;
}

/* MM as a difference from a base, signed, 10 bits; 0x1FF: none. */
static uint32_t predict(unsigned mm, struct scaled base)
{
    enum { NONE = 0x1FF, MOST = 510 };
    double steps = ((double)mm - (double)base.mm) / (double)(1u << base.shift);
    double whole = floor(steps + 0.5);
    if (mm == 0 || fabs(whole) > MOST)
        return NONE;
    return (uint32_t)(int32_t)whole & 0x3FF;
}

void rplidar_put_ultra(bool is_first, unsigned start_q6, const uint16_t *distances_mm,
                       uint8_t out[RPLIDAR_ULTRA_BYTES])
{
    for (size_t i = 0; i < RPLIDAR_ULTRA_SAMPLES / 3; i++) {
        const uint16_t *mm = distances_mm + 3 * i;
        struct scaled major = scale(mm[0]), next = scale(mm[3]);
        uint32_t word = major.code;
        word |= predict(mm[1], major.mm == 0 && next.mm > 0 ? next : major) << 12;
        word |= predict(mm[2], next) << 22;
        for (size_t k = 0; k < 4; k++)
            out[4 + 4 * i + k] = (uint8_t)(word >> 8 * k);
    }
    seal(&rplidar_ultra_packet, is_first, start_q6, out, RPLIDAR_ULTRA_BYTES);
}

/* ---- Complete frames ---- */

const struct wire_framing rplidar_requests = {
    .head = {0xA5},
    .head_size = 1,
    .length_at = 2,
    .length_max = RPLIDAR_PAYLOAD_MAX,
    .length_extra = 4,
    .long_bit = 0x80,
    .check = WIRE_CHECK_XOR,
    .id_at = 1,
    .body_at = 3,
};

static const struct wire_promise series[] = {
    {.id = RPLIDAR_NODE, .repeat = WIRE_NODES},
    {.id = RPLIDAR_EXPRESS, .repeat = WIRE_CAPSULES},
    {.id = RPLIDAR_ULTRA, .repeat = WIRE_CAPSULES},
    {.repeat = WIRE_ONCE},
};
const struct wire_framing rplidar_answers = {
    .head = {SYNC, SYNC_2},
    .head_size = 2,
    .length_at = 2,
    .length_max = RPLIDAR_ULTRA_BYTES,
    .length_extra = HEAD,
    .series = &rplidar_descriptor_packet,
    .id_at = 6,
    .body_at = HEAD,
    .text = &rplidar_boot_text_packet,
    .promises = series,
};
