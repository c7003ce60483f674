/* What a real Kobuki sends over a wire with faults, beside the same run without them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h"

enum { BYTES_MAX = 1 << 17, CHUNKS_MAX = 4096 };

/* All that a host was sent, and when. */
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

/* Appends what is sent in SECONDS. */
void record_on(struct rig *rig, struct record *record, double seconds);

/* Ten seconds of a Kobuki at rest, under a command or none. */
void run_into(struct record *record, const char *command);

/* The same into `clean` without and into `faulty` with the command, and leaves the rig open for its
 * counters. */
struct rig compare(const char *command);

/* Whether the bytes of A are all in B in their order. */
bool is_within(const struct record *a, const struct record *b);

/* Whether WHOLE begins with HEAD. */
bool is_a_head(const struct record *head, const struct record *whole);

/* How many bits differ: at most one a byte. Fails the test when sizes differ. */
size_t count_flips(const struct record *a, const struct record *b);
