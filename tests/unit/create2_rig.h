/* A Create 2 in a real simulation, driven by bytes that are written here from the public document,
 * so that the tests do not lean on the code they test. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/unit/kobuki_rig.h" /* struct rig: a simulation in a test, whatever robot is in it */

enum { CREATE_BYTES_MAX = 1 << 16 };

struct create {
    struct rig rig;
    size_t count;                    /* bytes that came out ... */
    uint8_t bytes[CREATE_BYTES_MAX]; /* ... the first of them */
    uint64_t chunks;
    int64_t first_us, last_us; /* when the first and the last chunk came */
};

/* A robot `create` in the middle of a room of 20 x 20 m, heading 0, a host on its line. OPTIONS:
 * `create.key=value`, ended by NULL. */
void create_open(struct create *create, const char *const *options);
/* The same in a scene of one's own, whose first robot is named `create`. */
void create_open_scene(struct create *create, const char *yaml, const char *const *options);
void create_close(struct create *create);

/* Runs on, keeping what comes out. */
void create_run(struct create *create, int milliseconds);
/* Forgets what came out. */
void create_clear(struct create *create);

/* Writes bytes as hexadecimal text, and runs for 20 ms. */
void create_say(struct create *create, const char *hex);

/* Asks for one packet or group; returns its data, which must be SIZE bytes and all that comes. */
const uint8_t *create_ask(struct create *create, uint8_t id, size_t size);
/* The same as a number: one byte, or two with the high one first. */
int create_u8(struct create *create, uint8_t id);
int create_u16(struct create *create, uint8_t id);
int create_i16(struct create *create, uint8_t id);

double create_get(const struct create *create, const char *signal);
