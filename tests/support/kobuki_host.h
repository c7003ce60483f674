/* A Kobuki host for tests: it checks every byte that comes. What it hears must be whole packets, in
 * order, 20 ms of robot time apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/hosts/kobuki_client.h"

struct kobuki_host {
    struct kobuki_client protocol; /* used for its decoder; its own port stays closed */
    uint64_t bytes;
    uint64_t skipped_packets; /* by the timestamps */
    uint64_t wrong_steps;     /* timestamps that are no multiple of 20 ms later, or go back */
    size_t evidence_size;     /* of the first read with stray or damaged bytes in it */
    uint8_t evidence[256];
    int port;
    uint16_t timestamp_ms; /* of the last packet */
    bool has_timestamp;
    unsigned buttons_seen; /* in any packet, since a read can bring several */
};

/* Opens PATH, waiting for it, without touching the mode of the line. */
void kobuki_host_open(struct kobuki_host *self, const char *path);

/* Works on a port that is open already. */
void kobuki_host_use(struct kobuki_host *self, int port);
void kobuki_host_close(struct kobuki_host *self);

/* Waits for COUNT packets more. With a command: writes it after each of them. Fails the test when
 * the robot falls silent. */
void kobuki_host_hear(struct kobuki_host *self, unsigned count);
void kobuki_host_drive(struct kobuki_host *self, int16_t speed_mm_s, int16_t radius_mm,
                       unsigned count);
/* Drives straight on until the left encoder has counted. A number of packets is not enough: on a
 * busy machine many come at once, before the robot gets the first command. */
void kobuki_host_drive_on(struct kobuki_host *self);

/* Takes what is there, without waiting: for many hosts at once. Returns how many packets came. */
unsigned kobuki_host_take(struct kobuki_host *self);

/* Fails the test unless everything heard since the opening was whole packets in good order; gaps
 * (packets that were never sent to us) are allowed only up to GAPS packets. */
void kobuki_host_check(const struct kobuki_host *self, uint64_t gaps);
