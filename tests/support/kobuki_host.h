/* A Kobuki host for tests that checks every received byte. The bytes must be whole packets, in
 * order, 20 ms of robot time apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/hosts/kobuki_client.h"

struct kobuki_host {
    struct kobuki_client protocol; /* used for its decoder; its own port stays closed */
    uint64_t bytes;
    uint64_t skipped_packets; /* according to the timestamps */
    uint64_t
        wrong_steps; /* timestamps whose increase is not a multiple of 20 ms, or that go back */
    size_t evidence_size; /* of the first read with stray or damaged bytes in it */
    uint8_t evidence[256];
    int port;
    uint16_t timestamp_ms; /* of the last packet */
    bool has_timestamp;
    unsigned buttons_seen; /* in any packet, since one read can return several packets */
};

/* Opens PATH, waiting for it, without touching the mode of the line. */
void kobuki_host_open(struct kobuki_host *self, const char *path);

/* Works on a port that is open already. */
void kobuki_host_use(struct kobuki_host *self, int port);
void kobuki_host_close(struct kobuki_host *self);

/* Waits for COUNT more packets. With a command: writes it after each of them. Fails the test if the
 * robot stops sending. */
void kobuki_host_hear(struct kobuki_host *self, unsigned count);
void kobuki_host_drive(struct kobuki_host *self, int16_t speed_mm_s, int16_t radius_mm,
                       unsigned count);
/* Drives straight ahead until the left encoder has counted. Waiting for a number of packets is not
 * enough: on a busy machine many arrive at once, before the robot gets the first command. */
void kobuki_host_drive_on(struct kobuki_host *self);

/* Reads the available bytes without waiting, for many hosts at once. Returns the number of packets.
 */
unsigned kobuki_host_take(struct kobuki_host *self);

/* Fails the test unless all bytes since the opening were whole packets in order. Gaps (packets that
 * were never sent to this host) may have at most GAPS packets in total. */
void kobuki_host_check(const struct kobuki_host *self, uint64_t gaps);
