/* One e-puck2 without a world: its state, sensors that the test sets, and every frame that it
 * sends. The wheels turn exactly as the stepper motors command. */
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
    size_t queued;     /* bytes on the wire */
    uint64_t pictures; /* number of requested pictures */
    uint8_t rgb[EPUCK2_IMAGE_WIDTH * EPUCK2_IMAGE_HEIGHT * 3];
    struct rig_frame frames[RIG_FRAMES_MAX];
    size_t frame_count;
    uint8_t bytes[RIG_BYTES_MAX];
    size_t byte_count;
};

/* OPTIONS: "key=value key=value", or NULL. Noise is off unless OPTIONS sets it. */
struct epuck2_rig *rig_new(const char *options);
void rig_free(struct epuck2_rig *rig);

void rig_host(struct epuck2_rig *rig, unsigned channel, bool present);
void rig_send(struct epuck2_rig *rig, unsigned channel, const void *bytes, size_t size);
void rig_run(struct epuck2_rig *rig, int64_t ms);

/* Sends a command over WiFi. */
void rig_order(struct epuck2_rig *rig, const struct epuck2_command *command);

/* Runs a command of the robot: "remote key=3". */
void rig_do(struct epuck2_rig *rig, const char *text);

/* Discards the frames received so far. */
void rig_forget(struct epuck2_rig *rig);

/* Frames with that ID since rig_forget; on the serial channel: all frames. */
size_t rig_count(const struct epuck2_rig *rig, unsigned channel, uint8_t id);

/* The last sensor packet, decoded. */
struct epuck2_sensors rig_sensors(const struct epuck2_rig *rig);

/* Connects, requests sensors with motors at rest, and waits until sensor packets arrive. */
void rig_stream(struct epuck2_rig *rig);
