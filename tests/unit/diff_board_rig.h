/* A chassis board in a real simulation, driven by bytes. Requests are framed here from the public
 * protocol text, so the tests do not depend on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h" /* struct rig: a simulation in a test, with any robot */

enum { BOARD_FRAMES_MAX = 512, BOARD_BLOCK = 64 };

struct board_frame {
    int64_t at_us;
    size_t size;
    uint8_t bytes[80];
};

struct board {
    struct rig rig;
    struct board_frame frames[BOARD_FRAMES_MAX]; /* frames that the board sent, oldest first */
    size_t count;
};

struct board_odometry {
    int vx_cm_s, vy_cm_s, wz; /* wz: 0.01 rad/s */
    int x_cm, y_cm, yaw;      /* yaw: 0.01 rad */
};

/* One board named `board` in the middle of a room of 40 x 40 m, heading 0, with a noise-free IMU
 * and a host on its uart. OPTIONS is a NULL-terminated list of `board.key=value`. */
void board_open(struct board *board, const char *const *options);
void board_close(struct board *board);

/* Continues the run and keeps the frames that the board sends. */
void board_run(struct board *board, int milliseconds);

/* Writes bytes unchanged, and a frame of an ID and a body. */
void board_write(struct board *board, const uint8_t *bytes, size_t size);
void board_write_hex(struct board *board, const char *hex);
void board_send(struct board *board, uint8_t id, const uint8_t *body, size_t size);
void board_velocity(struct board *board, int vx_cm_s, int vy_cm_s, int wz);

/* Sends a request without a body and returns the body of its reply. The reply must be the only
 * frame received, with the same ID, a correct checksum and SIZE bytes. */
const uint8_t *board_ask(struct board *board, uint8_t id, size_t size);
struct board_odometry board_odometry(struct board *board);
int32_t board_i32(const uint8_t *bytes);
float board_f32(const uint8_t *bytes);

/* Sends a velocity every 100 ms for this duration. */
void board_drive(struct board *board, int vx_cm_s, int vy_cm_s, int wz, int milliseconds);

/* Reads the parameter block, changes SIZE bytes at AT, and writes the block back. */
void board_set(struct board *board, size_t at, uint32_t value, size_t size);

double board_get(const struct board *board, const char *signal_of_robot);

/* Whether the received frames, concatenated, are exactly these. */
bool board_came(const struct board *board, const char *hex);
