/* A Kobuki in a real simulation, driven by bytes: commands are framed here from the public protocol
 * text, so that the tests do not lean on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

struct rig {
    struct scene *scene;
    struct sim *sim;
    size_t channel;
    uint8_t packet[128]; /* the last packet that came out */
    size_t packet_size;
    uint64_t packets;
    uint64_t bad_packets; /* header, length or checksum wrong */
};

/* One Kobuki in a room of 20 x 20 m at its middle, heading 0, a host on its uart. OPTIONS is a
 * NULL-terminated list of `kobuki.key=value`. */
struct rig rig_open(const char *const *options);
/* The same in a scene of one's own; the first robot is the one that is driven. */
struct rig rig_open_scene(const char *yaml, const char *const *options);
void rig_close(struct rig *rig);

/* Writes one frame of whole sub-payloads. */
void rig_send(struct rig *rig, const uint8_t *payload, size_t size);
void rig_base(struct rig *rig, int speed_mm_s, int radius_mm);

/* Runs on, keeping the packets that come out. */
void rig_run(struct rig *rig, double seconds);
/* The same, with base control sent after each packet, as drivers do. */
void rig_drive(struct rig *rig, int speed_mm_s, int radius_mm, double seconds);

/* A signal by name; fails the test where there is none. */
double rig_get(const struct rig *rig, const char *name);
/* A command that must work. */
void rig_do(struct rig *rig, const char *command);

/* The data of a sub-payload of the last packet, or NULL. */
const uint8_t *rig_part(const struct rig *rig, uint8_t id, size_t *size);
