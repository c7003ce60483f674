/* A chassis board in a real simulation, driven by bytes: requests are framed here from the public
 * protocol text, so that the tests do not lean on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h" /* struct rig: a simulation in a test, whatever robot is in it */

enum { BOARD_FRAMES_MAX = 512, BOARD_BLOCK = 64 };

struct board_frame {
    int64_t at_us;
    size_t size;
    uint8_t bytes[80];
};

struct board {
    struct rig rig;
    struct board_frame frames[BOARD_FRAMES_MAX]; /* what came out, oldest first */
    size_t count;
};

struct board_odometry {
    int vx_cm_s, vy_cm_s, wz; /* wz: 0.01 rad/s */
    int x_cm, y_cm, yaw;      /* yaw: 0.01 rad */
};

/* One board named `board` in the middle of a room of 40 x 40 m, heading 0, with a quiet IMU and a
 * host on its uart. OPTIONS: `board.key=value`, ended by NULL. */
void board_open(struct board *board, const char *const *options);
void board_close(struct board *board);

/* Runs on, keeping the frames that come out. */
void board_run(struct board *board, int milliseconds);

/* Writes bytes as they are; a frame of an id and a body. */
void board_write(struct board *board, const uint8_t *bytes, size_t size);
void board_write_hex(struct board *board, const char *hex);
void board_send(struct board *board, uint8_t id, const uint8_t *body, size_t size);
void board_velocity(struct board *board, int vx_cm_s, int vy_cm_s, int wz);

/* Sends a request without a body and returns the body of its reply, which must be the only frame
 * that comes, with the same id, a good sum and SIZE bytes. */
const uint8_t *board_ask(struct board *board, uint8_t id, size_t size);
struct board_odometry board_odometry(struct board *board);
int32_t board_i32(const uint8_t *bytes);
float board_f32(const uint8_t *bytes);

/* A velocity each 100 ms for so long. */
void board_drive(struct board *board, int vx_cm_s, int vy_cm_s, int wz, int milliseconds);

/* Reads the parameter block, changes SIZE bytes at AT, and sets it. */
void board_set(struct board *board, size_t at, uint32_t value, size_t size);

double board_get(const struct board *board, const char *signal_of_robot);

/* Whether the frames that came, one after the other, are exactly these. */
bool board_came(const struct board *board, const char *hex);
