/* Driver side of the iRobot Open Interface over a serial port, based only on the public document:
 * opens the port as drivers do, writes commands, parses the frames of the stream. One thread, plain
 * libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last values in the stream; values that were not requested stay 0. */
struct create2_reading {
    uint8_t bumps, wheel_drops; /* right 1, left 2 */
    uint8_t cliffs;             /* from the left: 1, 2, 4, 8 */
    uint8_t ir_omni, ir_left, ir_right;
    uint8_t buttons, charging_state, sources, mode, light_bumper;
    bool is_virtual_wall;
    uint16_t voltage_mv, charge_mah, capacity_mah;
    int16_t current_ma;
    uint16_t left_counts, right_counts; /* wrap */
};

struct create2_client {
    int descriptor; /* -1: closed */
    struct create2_reading reading;
    uint64_t frames, bad_frames, skipped; /* good frames; frames with a wrong checksum or an invalid
                                             part; bytes outside frames */
    uint8_t frame[3 + 255];
    size_t used;
    uint8_t input[512];
    size_t input_at, input_size;
};

#define CREATE2_M_PER_COUNT  (3.14159265358979 * 0.072 / 508.8)
#define CREATE2_WHEEL_BASE_M 0.235

/* For create2_push only, without a port. */
void create2_init(struct create2_client *self);

/* Opens the port in raw mode at 115200 8N1. Returns NULL, or an error message. */
const char *create2_open(struct create2_client *self, const char *path);
/* Stops the wheels and the interface, as drivers do at the end, and closes the port. */
void create2_close(struct create2_client *self);

/* Writes bytes. False: the port is gone. */
bool create2_write(struct create2_client *self, const uint8_t *bytes, size_t size);
bool create2_command(struct create2_client *self, uint8_t opcode);
/* Drive direct, mm/s. */
bool create2_wheels(struct create2_client *self, int left_mm_s, int right_mm_s);
/* Requests the stream of these packets. */
bool create2_stream(struct create2_client *self, const uint8_t *ids, size_t count);

/* Requests one packet or group, and reads its SIZE bytes of data, which have no header. */
bool create2_ask(struct create2_client *self, uint8_t id, uint8_t *data, size_t size,
                 int timeout_ms);

/* Waits for the next good frame of the stream. False: no byte for TIMEOUT_MS. */
bool create2_wait(struct create2_client *self, int timeout_ms);

/* Takes one byte; true if it completed a good frame. */
bool create2_push(struct create2_client *self, uint8_t byte);
