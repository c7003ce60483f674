/* A COBOT in a real simulation, driven by bytes. Frames are built and parsed here from the public
 * document, so the tests do not depend on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

enum { RIG_UART, RIG_BLUETOOTH, RIG_CHANNELS, RIG_FUNCTIONS = 8, RIG_FRAME_MAX = 34 };

/* Pose that a host computes from message 02, since the rig was opened or since rig_forget. */
struct odometry {
    double x_m, y_m, heading_rad;
};

struct rig {
    struct scene *scene;
    struct sim *sim;
    size_t channel[RIG_CHANNELS];
    uint64_t received[RIG_CHANNELS][RIG_FUNCTIONS]; /* valid frames, by function */
    uint64_t bad[RIG_CHANNELS];                     /* chunks that are not valid frames */
    uint8_t last[RIG_FUNCTIONS][RIG_FRAME_MAX];     /* newest frames of the uart, complete */
    size_t last_size[RIG_FUNCTIONS];
    struct odometry odometry;
    double gyro_turn_rad; /* gyro z of message 06, integrated */

    /* Called for every valid frame of the uart, right after its arrival. May be NULL. */
    void (*heard)(struct rig *rig, uint8_t function);
    void *user;
};

/* A COBOT named `cobot`, of this model, alone in the middle of a room of 40 x 40 m, heading 0, with
 * hosts on both channels. Noise is off. OPTIONS is a NULL-terminated list of `cobot.key=value`. */
struct rig rig_open(const char *model, const char *const *options);
void rig_close(struct rig *rig);

/* ---- To the robot ---- */

/* Writes the bytes of a hexadecimal text unchanged. */
void rig_hex(struct rig *rig, int channel, const char *hex);
/* Writes a complete frame with that function and data. */
void rig_frame(struct rig *rig, int channel, uint8_t function, const uint8_t *data, size_t size);
/* Sends message 01: mm/s, mm/s, 0.01 rad/s or degrees; left is positive. */
void rig_motion(struct rig *rig, int channel, int x, int y, int turn);

/* ---- Time ---- */

/* Continues the run and keeps the messages that the robot sends. */
void rig_run(struct rig *rig, double seconds);
/* Like rig_run, and sends message 01 on the uart now and every 50 ms. */
void rig_drive(struct rig *rig, int x, int y, int turn, double seconds);
/* Sends message 01 with speeds of 0 for 1 s, which is long enough to come to rest. */
void rig_stand(struct rig *rig, int turn);

/* ---- From the robot ---- */

/* A signed value and a u16 that begin at byte AT of the newest frame. Byte 0 is the header. */
int rig_signed(const struct rig *rig, uint8_t function, size_t at);
unsigned rig_u16(const struct rig *rig, uint8_t function, size_t at);
/* Asserts the newest frame of a function in hexadecimal: lower case, with spaces. */
void rig_expect(const struct rig *rig, uint8_t function, const char *hex);

void rig_forget(struct rig *rig);

/* A signal `cobot.NAME`; fails the test if there is no such signal. */
double rig_get(const struct rig *rig, const char *name);
/* Runs a command `cobot.TEXT` that must succeed. */
void rig_do(struct rig *rig, const char *text);
