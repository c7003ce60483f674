/* A COBOT in a real simulation, driven by bytes: frames are made and read here from the public
 * document, so that the tests do not lean on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

enum { RIG_UART, RIG_BLUETOOTH, RIG_CHANNELS, RIG_FUNCTIONS = 8, RIG_FRAME_MAX = 34 };

/* What a host makes of message 02: the pose since the rig was opened or rig_forget. */
struct odometry {
    double x_m, y_m, heading_rad;
};

struct rig {
    struct scene *scene;
    struct sim *sim;
    size_t channel[RIG_CHANNELS];
    uint64_t received[RIG_CHANNELS][RIG_FUNCTIONS]; /* good frames, by function */
    uint64_t bad[RIG_CHANNELS];                     /* chunks that are no good frame */
    uint8_t last[RIG_FUNCTIONS][RIG_FRAME_MAX];     /* newest frames of the uart, whole */
    size_t last_size[RIG_FUNCTIONS];
    struct odometry odometry;
    double gyro_turn_rad; /* gyro z of message 06, integrated */

    /* Called for every good frame of the uart, right after it came. May be NULL. */
    void (*heard)(struct rig *rig, uint8_t function);
    void *user;
};

/* A COBOT named `cobot`, of this model, alone at the middle of a room of 40 x 40 m, heading 0, with
 * hosts on both channels. Noise is off. OPTIONS is a NULL-terminated list of `cobot.key=value`. */
struct rig rig_open(const char *model, const char *const *options);
void rig_close(struct rig *rig);

/* ---- To the robot ---- */

/* Bytes written in hexadecimal, as they are. */
void rig_hex(struct rig *rig, int channel, const char *hex);
/* A whole frame with that function and data. */
void rig_frame(struct rig *rig, int channel, uint8_t function, const uint8_t *data, size_t size);
/* Message 01: mm/s, mm/s, 0.01 rad/s or degrees; left positive. */
void rig_motion(struct rig *rig, int channel, int x, int y, int turn);

/* ---- Time ---- */

/* Runs on, keeping the messages that come out. */
void rig_run(struct rig *rig, double seconds);
/* The same, with message 01 on the uart now and every 50 ms after. */
void rig_drive(struct rig *rig, int x, int y, int turn, double seconds);
/* Stands for long enough to have come to rest, with message 01 of zeros. */
void rig_stand(struct rig *rig, int turn);

/* ---- From the robot ---- */

/* Signed value and u16 that begin at a byte of the newest frame; bytes count from 0, the header. */
int rig_signed(const struct rig *rig, uint8_t function, size_t at);
unsigned rig_u16(const struct rig *rig, uint8_t function, size_t at);
/* The newest frame of a function reads like this in hexadecimal, lower case, with spaces. */
void rig_expect(const struct rig *rig, uint8_t function, const char *hex);

void rig_forget(struct rig *rig);

/* A signal `cobot.NAME`; fails the test where there is none. */
double rig_get(const struct rig *rig, const char *name);
/* A command `cobot.TEXT` that must work. */
void rig_do(struct rig *rig, const char *text);
