/* Bytes that a Kobuki sends over a wire with faults, compared with the same run without faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h"

enum { BYTES_MAX = 1 << 17, CHUNKS_MAX = 4096 };

/* All bytes that the robot sent to a host, with their times. */
struct record {
    uint8_t bytes[BYTES_MAX];
    size_t size;
    struct {
        size_t start, size;
        int64_t at_us;
    } chunks[CHUNKS_MAX];
    size_t count;
};

/* Two records for the tests to fill. */
extern struct record clean, faulty;

/* Appends the bytes sent in SECONDS. */
void record_on(struct rig *rig, struct record *record, double seconds);

/* Records ten seconds of a Kobuki at rest, with a command or without one (NULL). */
void run_into(struct record *record, const char *command);

/* Records into `clean` without the command and into `faulty` with it. Leaves the rig open, for its
 * counters. */
struct rig compare(const char *command);

/* Whether B contains all bytes of A in the same order. */
bool is_within(const struct record *a, const struct record *b);

/* Whether WHOLE begins with HEAD. */
bool is_a_head(const struct record *head, const struct record *whole);

/* Number of bits that differ, at most one per byte. Fails the test if the sizes differ. */
size_t count_flips(const struct record *a, const struct record *b);
