/* One e-puck2 without a world: its state, sensors to be set by hand, and every frame that it sends.
 * Wheels turn as the steppers want. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/epuck2/epuck2.h"
#include "protocols/epuck2/epuck2_state.h"
#include "protocols/epuck2/epuck2_wire.h"

enum { RIG_FRAMES_MAX = 4096, RIG_BYTES_MAX = 4 << 20 };

struct rig_frame {
    unsigned channel;
    int64_t at_us;
    const uint8_t *bytes;
    size_t size;
};

struct epuck2_rig {
    struct epuck2_options options;
    struct epuck2_state state;
    struct robot_body body;
    struct robot_sensors sensors;
    struct robot_actuators actuators;
    int64_t now_us, due_us;
    bool is_unread;    /* the host does not read: frames stay on the wire */
    size_t queued;     /* bytes on it */
    uint64_t pictures; /* times that one was wanted */
    uint8_t rgb[EPUCK2_IMAGE_WIDTH * EPUCK2_IMAGE_HEIGHT * 3];
    struct rig_frame frames[RIG_FRAMES_MAX];
    size_t frame_count;
    uint8_t bytes[RIG_BYTES_MAX];
    size_t byte_count;
};

/* OPTIONS: "key=value key=value", or NULL. Noise is off unless they say otherwise. */
struct epuck2_rig *rig_new(const char *options);
void rig_free(struct epuck2_rig *rig);

void rig_host(struct epuck2_rig *rig, unsigned channel, bool present);
void rig_send(struct epuck2_rig *rig, unsigned channel, const void *bytes, size_t size);
void rig_run(struct epuck2_rig *rig, int64_t ms);

/* A command over WiFi. */
void rig_order(struct epuck2_rig *rig, const struct epuck2_command *command);

/* Runs a command row of the robot: "remote key=3". */
void rig_do(struct epuck2_rig *rig, const char *text);

/* Forgets the frames so far. */
void rig_forget(struct epuck2_rig *rig);

/* Frames with that id since then; on the serial channel: all. */
size_t rig_count(const struct epuck2_rig *rig, unsigned channel, uint8_t id);

/* The last sensor packet, decoded. */
struct epuck2_sensors rig_sensors(const struct epuck2_rig *rig);

/* Connects, requests sensors with motors at rest and waits until they come. */
void rig_stream(struct epuck2_rig *rig);
