/* The sub-payloads of the Kobuki protocol as plain structs with field tables, and the frames of
 * both directions: AA 55, length, payload, checksum. The payload is a sequence of sub-payloads (id,
 * length, data). Source: the Kobuki protocol page (kobuki_documentation: doc/protocol.rst; for
 * frames, its sections "Structure" and "Checksum") and the packet headers of kobuki_core
 * (include/kobuki_core/packets). Sub-payload 15 (Eeprom) is left out: no firmware sends it and no
 * client supports it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"
#include "protocols/wire.h"

/* Maximum of gyro samples in a packet: the driver's array has 24 words, and is filled without a
 * check (kobuki_core: packets/three_axis_gyro.hpp). */
enum { KOBUKI_GYRO_SAMPLES_MAX = 8 };

/* ---- Robot to host ---- */

struct kobuki_basic {
    uint16_t timestamp;
    uint8_t bumper, wheel_drop, cliff;
    uint16_t left_encoder, right_encoder;
    int8_t left_pwm, right_pwm;
    uint8_t buttons, charger, battery, over_current;
};

struct kobuki_docking {
    uint8_t right, center, left;
};

struct kobuki_inertia {
    int16_t angle, rate;
    uint8_t unused0, unused1, unused2;
};

struct kobuki_cliff {
    uint16_t right, center, left;
};

struct kobuki_current {
    uint8_t left, right;
};

struct kobuki_version {
    uint8_t patch, minor, major, unused;
};

struct kobuki_legacy_version {
    uint16_t version;
};

struct kobuki_gyro {
    uint8_t frame_id, followed_length;
};

struct kobuki_gyro_sample {
    int16_t x, y, z;
};

struct kobuki_inputs {
    uint16_t digital;
    uint16_t analog0, analog1, analog2, analog3;
    uint16_t unused0, unused1, unused2;
};

struct kobuki_udid {
    uint32_t udid0, udid1, udid2;
};

struct kobuki_gain {
    uint8_t type;
    uint32_t p, i, d;
};

/* ---- Host to robot ---- */

struct kobuki_base_control {
    int16_t speed, radius;
};

struct kobuki_sound {
    uint16_t note;
    uint8_t duration;
};

struct kobuki_sound_sequence {
    uint8_t number;
};

struct kobuki_flags {
    uint16_t flags;
};

struct kobuki_get_gain {
    uint8_t unused;
};

/* Bits of request_extra. */
enum { KOBUKI_REQUEST_HARDWARE = 0x01, KOBUKI_REQUEST_FIRMWARE = 0x02, KOBUKI_REQUEST_UDID = 0x08 };

/* Bits of the output word. */
enum {
    KOBUKI_OUTPUT_DIGITAL = 0x000F,
    KOBUKI_OUTPUT_POWERS = 0x00F0,
    KOBUKI_OUTPUT_3V3 = 0x0010,
    KOBUKI_OUTPUT_5V = 0x0020,
    KOBUKI_OUTPUT_12V_5A = 0x0040,
    KOBUKI_OUTPUT_12V_1A5 = 0x0080,
    KOBUKI_OUTPUT_LED1_RED = 0x0100,
    KOBUKI_OUTPUT_LED1_GREEN = 0x0200,
    KOBUKI_OUTPUT_LED2_RED = 0x0400,
    KOBUKI_OUTPUT_LED2_GREEN = 0x0800,
};

/* Every packet and the struct of its message: ROW(name, tag). PART: an element that the packet of
 * the preceding row repeats. */
/* clang-format off */
#define KOBUKI_PACKETS(ROW, PART)                                                                  \
    ROW(basic, kobuki_basic)                                                                       \
    ROW(docking, kobuki_docking)                                                                   \
    ROW(inertia, kobuki_inertia)                                                                   \
    ROW(cliff, kobuki_cliff)                                                                       \
    ROW(current, kobuki_current)                                                                   \
    ROW(hardware, kobuki_version)                                                                  \
    ROW(hardware_legacy, kobuki_legacy_version)                                                    \
    ROW(firmware, kobuki_version)                                                                  \
    ROW(firmware_legacy, kobuki_legacy_version)                                                    \
    ROW(gyro, kobuki_gyro)                                                                         \
    PART(gyro_sample, kobuki_gyro_sample)                                                          \
    ROW(inputs, kobuki_inputs)                                                                     \
    ROW(udid, kobuki_udid)                                                                         \
    ROW(controller_info, kobuki_gain)                                                              \
    ROW(base_control, kobuki_base_control)                                                         \
    ROW(sound, kobuki_sound)                                                                       \
    ROW(sound_sequence, kobuki_sound_sequence)                                                     \
    ROW(set_power, kobuki_flags)                                                                   \
    ROW(request_extra, kobuki_flags)                                                               \
    ROW(outputs, kobuki_flags)                                                                     \
    ROW(set_gain, kobuki_gain)                                                                     \
    ROW(get_gain, kobuki_get_gain)
/* clang-format on */

#define DECLARE(name, tag) extern const struct wire_packet kobuki_##name##_packet;
KOBUKI_PACKETS(DECLARE, DECLARE)
#undef DECLARE

/* Every packet in this order, without the repeated element; NULL-terminated. */
extern const struct wire_packet *const kobuki_packets[];

enum {
    KOBUKI_FRAME_HEAD = 3,                      /* AA 55 LEN */
    KOBUKI_FRAME_EXTRA = KOBUKI_FRAME_HEAD + 1, /* including the checksum */
    KOBUKI_PAYLOAD_MIN = 3,                     /* id, length, one byte of data */
    KOBUKI_PAYLOAD_MAX = 255,
    KOBUKI_FRAME_MAX = KOBUKI_PAYLOAD_MAX + KOBUKI_FRAME_EXTRA,
};

extern const struct wire_framing kobuki_framing; /* of both directions */

/* ---- Receiving. The framer keeps bytes until they are a frame or cannot become one. Therefore it
 * also finds a frame that begins inside a broken one. All zero is the initial state. ---- */

struct kobuki_framer {
    uint16_t used;    /* bytes held */
    uint16_t taken;   /* leading bytes that were returned as a frame */
    uint16_t spoiled; /* leading bytes of a frame that already counts as bad */
    uint8_t bytes[KOBUKI_FRAME_MAX];
};

/* Adds one byte. There is always room after kobuki_framer_next has returned false. */
void kobuki_framer_push(struct kobuki_framer *framer, uint8_t byte);

/* Returns the next good frame in the held bytes: true, and its payload, which the framer owns until
 * the next call. False: more bytes are needed. Call it after every push until it returns false.
 * IS_LENIENT also accepts a checksum that excludes the length byte, or the length byte and the
 * first id, as some Python clients send it. Counts frames, bad_frames and noise_bytes. */
bool kobuki_framer_next(struct kobuki_framer *framer, bool is_lenient, struct robot_stats *stats,
                        const uint8_t **payload, size_t *size);

/* ---- Whole frames ---- */

/* A frame under construction. */
struct kobuki_frame {
    size_t size;
    uint8_t bytes[KOBUKI_FRAME_MAX];
};

void kobuki_frame_begin(struct kobuki_frame *frame);

/* Appends MESSAGE as a sub-payload. If the packet repeats an element, COUNT elements follow from
 * ELEMENTS (an array of the element's struct). Exceeding KOBUKI_PAYLOAD_MAX is a bug. */
void kobuki_frame_add(struct kobuki_frame *frame, const struct wire_packet *packet,
                      const void *message);
void kobuki_frame_add_repeated(struct kobuki_frame *frame, const struct wire_packet *packet,
                               const void *message, const void *elements, size_t count);

/* Fills in length and checksum. */
void kobuki_frame_end(struct kobuki_frame *frame);

/* ---- Sub-payloads ---- */

struct kobuki_part {
    uint8_t id;
    uint8_t size;
    const uint8_t *body; /* part of the payload */
};

/* Returns the sub-payload at *AT and moves *AT past it. False at the end: *AT == SIZE, or the
 * remaining bytes are not a complete sub-payload. */
bool kobuki_part_next(const uint8_t *payload, size_t size, size_t *at, struct kobuki_part *part);
