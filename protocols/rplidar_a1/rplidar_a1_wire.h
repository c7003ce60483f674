/* Requests, answers, nodes and capsules of the RPLIDAR protocol. Numbers without a source are from
 * the vendor's document "RPLIDAR interface protocol", and from both generations of its SDK and
 * their behavior (README.md). Little-endian. */
#pragma once

#include "protocols/robot.h"

enum rplidar_command {
    RPLIDAR_SCAN = 0x20,
    RPLIDAR_FORCE_SCAN = 0x21,
    RPLIDAR_STOP = 0x25,
    RPLIDAR_RESET = 0x40,
    RPLIDAR_GET_INFO = 0x50,
    RPLIDAR_GET_HEALTH = 0x52,
    RPLIDAR_GET_RATES = 0x59,
    RPLIDAR_EXPRESS_SCAN = 0x82,
    RPLIDAR_GET_CONF = 0x84,
    RPLIDAR_SET_MOTOR = 0xF0,
    RPLIDAR_GET_BOARD = 0xFF,
};

/* Types of answers. */
enum rplidar_answer {
    RPLIDAR_INFO = 0x04,
    RPLIDAR_HEALTH = 0x06,
    RPLIDAR_RATES = 0x15,
    RPLIDAR_CONF = 0x20,
    RPLIDAR_DESCRIPTOR = 0x5A, /* our own number: the head of repeated answers */
    RPLIDAR_NODE = 0x81,
    RPLIDAR_EXPRESS = 0x82,
    RPLIDAR_ULTRA = 0x84,
    RPLIDAR_BOARD = 0xFF,
};

struct rplidar_nothing {
    uint8_t unused;
};
enum { RPLIDAR_TEXT_BYTES = 64 };
struct rplidar_boot_text {
    char text[RPLIDAR_TEXT_BYTES];
};
struct rplidar_express_scan {
    uint8_t mode;
    uint16_t flags, param;
};
struct rplidar_get_conf {
    uint32_t key;
};
struct rplidar_get_mode_conf {
    uint32_t key;
    uint16_t mode;
};
struct rplidar_byte {
    uint8_t byte;
};
struct rplidar_set_motor {
    uint16_t pwm;
};
struct rplidar_word {
    uint32_t word;
};

struct rplidar_info {
    uint8_t model, firmware_minor, firmware_major, hardware;
    uint8_t serial[16];
};
struct rplidar_health {
    uint8_t status;
    uint16_t code;
};
struct rplidar_rates {
    uint16_t standard_us, express_us;
};
struct rplidar_conf_type {
    uint32_t key;
    uint8_t type;
};
struct rplidar_conf_count {
    uint32_t key;
    uint16_t value;
};
struct rplidar_conf_value {
    uint32_t key, value;
};
struct rplidar_conf_name {
    uint32_t key;
};
struct rplidar_letter {
    char letter;
};
struct rplidar_descriptor {
    uint32_t length;
    uint8_t type;
};
struct rplidar_node {
    uint8_t quality;
    uint16_t angle, distance;
};
struct rplidar_capsule {
    uint8_t sync_1, sync_2;
    uint16_t start;
};
struct rplidar_cabin {
    uint16_t first, second;
    uint8_t offsets;
};

/* Every packet: ROW(name, struct of its message). BARE: a packet without a body. */
#define RPLIDAR_PACKETS(ROW, BARE)                                                                 \
    BARE(stop, nothing)                                                                            \
    BARE(reset, nothing)                                                                           \
    BARE(scan, nothing)                                                                            \
    BARE(force_scan, nothing)                                                                      \
    BARE(get_info, nothing)                                                                        \
    BARE(get_health, nothing)                                                                      \
    BARE(get_rates, nothing)                                                                       \
    ROW(express_scan, express_scan)                                                                \
    ROW(get_conf, get_conf)                                                                        \
    ROW(get_mode_conf, get_mode_conf)                                                              \
    ROW(set_motor, set_motor)                                                                      \
    ROW(get_board, word)                                                                           \
    ROW(boot_text, boot_text)                                                                      \
    ROW(info, info)                                                                                \
    ROW(health, health)                                                                            \
    ROW(rates, rates)                                                                              \
    ROW(conf_type, conf_type)                                                                      \
    ROW(conf_count, conf_count)                                                                    \
    ROW(conf_value, conf_value)                                                                    \
    ROW(conf_name, conf_name)                                                                      \
    ROW(board, word)                                                                               \
    ROW(descriptor, descriptor)                                                                    \
    ROW(node, node)                                                                                \
    ROW(express, capsule)                                                                          \
    ROW(ultra, capsule)

#define DECLARE(name, tag) extern const struct wire_packet rplidar_##name##_packet;
RPLIDAR_PACKETS(DECLARE, DECLARE)
#undef DECLARE
extern const struct wire_packet *const rplidar_packets[];

enum {
    RPLIDAR_PAYLOAD_MAX = 36, /* SDK 1 pads to that size; a longer request has a wrong length */
    RPLIDAR_REQUEST_MAX = 4 + RPLIDAR_PAYLOAD_MAX,
    RPLIDAR_NODE_BYTES = 5,
    RPLIDAR_EXPRESS_BYTES = 84,
    RPLIDAR_EXPRESS_SAMPLES = 32,
    RPLIDAR_ULTRA_BYTES = 132,
    RPLIDAR_ULTRA_SAMPLES = 96,
    RPLIDAR_ANSWER_MAX = 7 + 24,
};

/* ---- Requests ---- */

struct rplidar_framer {
    uint8_t bytes[RPLIDAR_REQUEST_MAX];
    uint16_t used;
};

/* Takes the next byte. True: BYTES has a complete request of *SIZE bytes. */
bool rplidar_framer_push(struct rplidar_framer *framer, uint8_t byte, struct robot_stats *stats,
                         size_t *size);

/* The payload of a complete request. */
const uint8_t *rplidar_payload(const uint8_t *request, size_t *size);

/* The packet of a command with a payload of SIZE bytes; NULL: none. */
const struct wire_packet *rplidar_request_find(uint8_t command, size_t size);
/* Whether a request with this command exists. */
bool rplidar_is_command(uint8_t command);

/* ---- Answers ---- */

/* Writes an answer with its header; NAME: text after the message, or NULL. Returns the size, at
 * most RPLIDAR_ANSWER_MAX. */
size_t rplidar_answer(const struct wire_packet *packet, const void *message, const char *name,
                      uint8_t *out);

/* ---- Points. Angles in 1/64 of a degree, clockwise; distances in mm, 0: no return ---- */

/* A full turn in that unit. */
enum { RPLIDAR_TURN_Q6 = 360 * 64 };

void rplidar_put_node(bool is_first, unsigned quality, unsigned angle_q6, double distance_mm,
                      uint8_t out[RPLIDAR_NODE_BYTES]);

/* IS_FIRST: the first capsule of a scan. */
void rplidar_put_express(bool is_first, unsigned start_q6, const uint16_t *distances_mm,
                         uint8_t out[RPLIDAR_EXPRESS_BYTES]);
/* DISTANCES_MM: the distances of the capsule, and the first distance of the next capsule. */
void rplidar_put_ultra(bool is_first, unsigned start_q6, const uint16_t *distances_mm,
                       uint8_t out[RPLIDAR_ULTRA_BYTES]);

/* ---- Complete frames ---- */

extern const struct wire_framing rplidar_requests, rplidar_answers;
