/* One robot without a world: a state, plausible sensors, a wire in memory, and a check of the
 * contract (protocols/robot.h) after every call. The contract test and the fuzzer use it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/robot.h"

struct robot_rig {
    const struct robot_type *type;
    void *options;
    void *state;
    uint8_t *image; /* room for the camera's picture; NULL: no camera */
    struct robot_storage storage;
    struct robot_body body;
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    int64_t now_us, due_us;
    uint64_t sent, sent_hash; /* frames handed over, and a hash over their bytes and times */
    bool is_full;             /* the wire accepts no bytes */
    struct rig_line {
        struct wire_promises promises;
        struct wire_splitter requests; /* finds requests, which promise their answers */
        uint64_t told;                 /* frames that the splitter has found */
        bool is_lost; /* the robot has counted other frames: from then on the rig ignores unexpected
                       * answers
                       */
    } lines[ROBOT_CHANNELS_MAX];
    uint64_t answers; /* sent pieces that are correct only as answers to earlier requests */
    char broken[256]; /* the first violation of the contract; empty if there was none */

    /* Called just before and after a call into the robot, for tests that watch it. May be NULL. */
    void (*around)(bool is_inside);
};

/* Options have their defaults if SEED is 0, otherwise random values that their rows allow.
 * Allocates all memory of the rig, resets the robot, and opens every channel. */
void rig_open(struct robot_rig *rig, const struct robot_type *type, uint64_t seed);
void rig_close(struct robot_rig *rig);

/* Copies FROM to TO, which is open with the same type and options: the bytes of the state, and the
 * state of the world. */
void rig_copy(struct robot_rig *to, const struct robot_rig *from);

/* Power-on, with a storage if the type has one. Does not open channels. */
void rig_reset(struct robot_rig *rig);

void rig_host(struct robot_rig *rig, unsigned channel, bool present);
void rig_rx(struct robot_rig *rig, unsigned channel, const uint8_t *bytes, size_t size);

/* Advances the time in steps of 1 ms, with a tick at the first step at or after its due time. */
void rig_run(struct robot_rig *rig, int64_t duration_us);

/* Fills the arguments of a command: the fallback if there is one, otherwise a value that its row
 * allows. */
void rig_arguments(const struct option_row *rows, size_t count, uint64_t seed, void *out);

struct robot_stats *rig_stats(const struct robot_rig *rig, unsigned channel);

/* Whether the bytes of both states, without their counters, are equal. */
bool rig_same_state(const struct robot_rig *a, const struct robot_rig *b);
