/* A device on a line of Dynamixel protocol 2.0 (ROBOTIS e-manual, "DYNAMIXEL Protocol 2.0"), like a
 * board with the library Dynamixel2Arduino: its frames, the behavior of each library release, and
 * the instructions that such a board answers (ping, read, write) on a control table. */
#pragma once

#include "protocols/control_table.h"
#include "protocols/framing.h"
#include "protocols/robot.h"

enum dynamixel2_instruction {
    DYNAMIXEL2_PING = 0x01,
    DYNAMIXEL2_READ = 0x02,
    DYNAMIXEL2_WRITE = 0x03,
    DYNAMIXEL2_STATUS = 0x55,
};

/* Releases of the library that differ on the wire (from its change log, and from running each of
 * them). */
enum dynamixel2_library {
    DYNAMIXEL2_0_6_1, /* stuffed answers: the bytes after the stuffing byte are FD */
    DYNAMIXEL2_0_6_3, /* waits for one byte too many if a request is stuffed, like 0.6.1 */
    DYNAMIXEL2_0_7_0,
};

enum {
    DYNAMIXEL2_HEAD = 7,          /* bytes up to and including the length */
    DYNAMIXEL2_LENGTH_MAX = 1024, /* of a request; chosen: hosts refuse to send more */
    DYNAMIXEL2_READ_MAX = 1013,   /* most bytes that every release returns; larger requests get
                                   * no answer (chosen) */
    DYNAMIXEL2_FRAME_MAX = DYNAMIXEL2_HEAD + 4 + DYNAMIXEL2_READ_MAX * 4 / 3,
    DYNAMIXEL2_QUEUE = 4096, /* bytes of waiting requests; chosen: the USB port of an OpenCR
                              * stops its host from 2 KiB on */
};

/* Frames of a device in both directions; initializers for a struct wire_framing. */
#define DYNAMIXEL2_FRAMING(id)                                                                     \
    .head = {0xFF, 0xFF, 0xFD, 0x00}, .head_size = 4, .device_at = 4, .device = (id),              \
    .length_at = 5, .has_wide_length = true, .length_min = 3,                                      \
    .length_max = DYNAMIXEL2_FRAME_MAX - DYNAMIXEL2_HEAD, .length_extra = DYNAMIXEL2_HEAD,         \
    .check = WIRE_CHECK_CRC16, .stuffed_from = DYNAMIXEL2_HEAD, .id_at = DYNAMIXEL2_HEAD,          \
    .body_at = DYNAMIXEL2_HEAD + 1

/* Received bytes. All zero is the initial state. */
struct dynamixel2 {
    uint8_t frame[DYNAMIXEL2_HEAD + DYNAMIXEL2_LENGTH_MAX + DYNAMIXEL2_LENGTH_MAX / 4];
    uint32_t used, size; /* bytes of the frame so far, and its full size */
    uint32_t waiting;    /* used bytes of the queue */
    uint8_t queue[DYNAMIXEL2_QUEUE];
};

/* A request. */
struct dynamixel2_request {
    int64_t at_us; /* time of its last byte */
    uint8_t id, instruction;
    uint16_t size;
    uint8_t bytes[DYNAMIXEL2_LENGTH_MAX];
};

/* Takes received bytes. Complete good frames for any device wait in the queue and are counted. */
void dynamixel2_push(struct dynamixel2 *self, enum dynamixel2_library library, const uint8_t *bytes,
                     size_t size, int64_t now_us, struct robot_stats *stats);

/* Whether a request waits; and removal of the next request from the queue. */
static inline bool dynamixel2_has_request(const struct dynamixel2 *self)
{
    return self->waiting > 0;
}
bool dynamixel2_pop(struct dynamixel2 *self, struct dynamixel2_request *request);

/* Writes a status frame. Returns its size. */
size_t dynamixel2_status(enum dynamixel2_library library, uint8_t id, uint8_t error,
                         const uint8_t *bytes, size_t size, uint8_t out[DYNAMIXEL2_FRAME_MAX]);

/* A device that answers requests. */
struct dynamixel2_device {
    const struct control_table *table;
    void *message;
    const uint8_t *id; /* a field of MESSAGE; a write may change it, and the answer then has the
                        * new id */
    enum dynamixel2_library library;
    uint8_t identity[3]; /* model number (two bytes) and firmware version */
};
/* Executes a request. Adds the effects of a write to EFFECTS (see control_table_write). Returns the
 * size of the status frame; 0: no answer, also if the request is for another device. */
size_t dynamixel2_obey(const struct dynamixel2_device *device,
                       const struct dynamixel2_request *request, uint64_t *effects,
                       struct robot_stats *stats, uint8_t out[DYNAMIXEL2_FRAME_MAX]);
