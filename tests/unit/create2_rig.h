/* A Create 2 in a real simulation, driven by bytes that are written here from the public document,
 * so the tests do not depend on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h" /* struct rig: a simulation in a test, with any robot */

enum { CREATE_BYTES_MAX = 1 << 16 };

struct create {
    struct rig rig;
    size_t count;                    /* number of bytes that the robot sent ... */
    uint8_t bytes[CREATE_BYTES_MAX]; /* ... and the first of them */
    uint64_t chunks;
    int64_t first_us, last_us; /* arrival of the first and the last chunk */
};

/* A robot `create` in the middle of a room of 20 x 20 m, heading 0, with a host on its line.
 * OPTIONS is a NULL-terminated list of `create.key=value`. */
void create_open(struct create *create, const char *const *options);
/* Like create_open, with a scene of the test. Its first robot is named `create`. */
void create_open_scene(struct create *create, const char *yaml, const char *const *options);
void create_close(struct create *create);

/* Continues the run and keeps the bytes that the robot sends. */
void create_run(struct create *create, int milliseconds);
/* Discards the bytes received so far. */
void create_clear(struct create *create);

/* Writes the bytes of a hexadecimal text, and runs for 20 ms. */
void create_say(struct create *create, const char *hex);

/* Requests one packet or group and returns its data. The reply must have exactly SIZE bytes. */
const uint8_t *create_ask(struct create *create, uint8_t id, size_t size);
/* The same as a number: one byte, or two bytes with the high byte first. */
int create_u8(struct create *create, uint8_t id);
int create_u16(struct create *create, uint8_t id);
int create_i16(struct create *create, uint8_t id);

double create_get(const struct create *create, const char *signal);
