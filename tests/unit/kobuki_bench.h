/* A Kobuki on a bench: the real robot type, two wheels turned by DC motors against the inertia of
 * the robot, and sensors that the test sets. The bench keeps every frame that the robot sends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/kobuki/kobuki.h"
#include "protocols/kobuki/kobuki_wire.h"

/* cmocka compares floats only. The test must include <math.h> and cmocka. */
#define ASSERT_NEAR(value, expected, tolerance)                                                    \
    do {                                                                                           \
        double got_ = (value), wanted_ = (expected);                                               \
        if (!(fabs(got_ - wanted_) <= (tolerance))) {                                              \
            fail_msg("%s is %.9g, not %.9g", #value, got_, wanted_);                               \
        }                                                                                          \
    } while (0)

#define ASSERT_SIGNAL(bench, name, expected) ASSERT_NEAR(bench_signal(bench, name), expected, 0)

enum { BENCH_FRAMES_MAX = 8000, BENCH_FRAME_BYTES = 192 };

struct bench_frame {
    int64_t at_us;
    size_t size;
    uint8_t bytes[BENCH_FRAME_BYTES];
};

struct bench {
    struct kobuki_options options;
    void *state;
    struct robot_body body;
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    bool is_jammed[KOBUKI_WHEELS]; /* the wheel cannot turn */
    bool is_full;                  /* the wire accepts no bytes */
    bool is_plain;                 /* no motors: only the test turns the wheels */
    int64_t now_us, due_us;
    struct bench_frame *frames;
    size_t frame_count;
};

/* Powers a robot on, with a NULL-terminated list of "key=value" options. Noise is off and the gyro
 * has no bias unless the options say otherwise. */
void bench_open(struct bench *bench, ...) __attribute__((sentinel));
void bench_close(struct bench *bench);

/* Advances time in steps of 1 ms. */
void bench_run(struct bench *bench, int milliseconds);

/* The host sends these bytes, written in hexadecimal. */
void bench_send(struct bench *bench, const char *hex);

/* The host sends one sub-payload in a separate frame. */
void bench_send_packet(struct bench *bench, const struct wire_packet *packet, const void *message);
void bench_base(struct bench *bench, int speed, int radius);

/* Drives for a duration and repeats the command every 20 ms. */
void bench_drive(struct bench *bench, int speed, int radius, int milliseconds);

/* Runs a command of the robot with a NULL-terminated list of "key=value" arguments. */
void bench_command(struct bench *bench, const char *name, ...) __attribute__((sentinel));

/* A signal of the robot, by name. */
double bench_signal(const struct bench *bench, const char *name);
const struct robot_stats *bench_stats(const struct bench *bench);

/* The newest frame. */
const struct bench_frame *bench_last(const struct bench *bench);

/* The body of the part with that ID in a frame, or NULL. */
const uint8_t *bench_part(const struct bench_frame *frame, uint8_t id, size_t *size);

/* IDs of a frame's parts in their order, as text: "1 3 4 5 6 13 16". */
const char *bench_ids(const struct bench_frame *frame);

/* Reads a part of the newest frame into its message. Fails the test if the frame does not have this
 * part. */
void bench_read(const struct bench *bench, const struct wire_packet *packet, void *message);
struct kobuki_basic bench_basic(const struct bench *bench);

/* Converts a hexadecimal text to bytes. */
size_t bench_bytes(const char *hex, uint8_t *bytes, size_t max);
