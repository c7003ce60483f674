/* A Kobuki in a real simulation, driven by bytes. Commands are framed here from the public protocol
 * text, so the tests do not depend on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/sim.h"

struct rig {
    struct scene *scene;
    struct sim *sim;
    size_t channel;
    uint8_t packet[128]; /* newest packet of the robot */
    size_t packet_size;
    uint64_t packets;
    uint64_t bad_packets; /* packets with a wrong header, length or checksum */
};

/* One Kobuki in the middle of a room of 20 x 20 m, heading 0, with a host on its uart. OPTIONS is a
 * NULL-terminated list of `kobuki.key=value`. */
struct rig rig_open(const char *const *options);
/* Like rig_open, with a scene of the test. The rig drives its first robot. */
struct rig rig_open_scene(const char *yaml, const char *const *options);
void rig_close(struct rig *rig);

/* Writes one frame of complete sub-payloads. */
void rig_send(struct rig *rig, const uint8_t *payload, size_t size);
void rig_base(struct rig *rig, int speed_mm_s, int radius_mm);

/* Continues the run and keeps the packets that the robot sends. */
void rig_run(struct rig *rig, double seconds);
/* Like rig_run, and sends base control after each packet, as drivers do. */
void rig_drive(struct rig *rig, int speed_mm_s, int radius_mm, double seconds);

/* A signal by name; fails the test if there is no such signal. */
double rig_get(const struct rig *rig, const char *name);
/* Runs a command that must succeed. */
void rig_do(struct rig *rig, const char *command);

/* The data of a sub-payload of the newest packet, or NULL. */
const uint8_t *rig_part(const struct rig *rig, uint8_t id, size_t *size);
