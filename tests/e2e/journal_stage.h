/* A stage for journals: a Kobuki with an active driver, and `ptybot replay`. Failures end the
 * test. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/support/stage.h"

enum { HEARD_MAX = 1 << 20 };

/* All bytes that a driver has read since it opened the port. */
struct heard {
    uint8_t bytes[HEARD_MAX];
    size_t size;
};

/* A row of the test table: TEST on a stage with the scene kobuki.yaml. */
#define JOURNALED(test) cmocka_unit_test_setup_teardown(test, journal_setup, stage_teardown)
int journal_setup(void **state);

/* Runs `ptybot replay WORDS...` in the folder; returns its exit code. */
#define REPLAY(self, ...) journal_replay(self, (const char *const[]){__VA_ARGS__, NULL})
int journal_replay(const struct stage *stage, const char *const arguments[]);

/* Checks that a file of the folder contains the text. */
void journal_said(const struct stage *stage, const char *name, const char *text);

/* An active driver: sends random commands until it has read BYTES and has sent enough. */
void journal_drive(int port, struct heard *heard, size_t bytes);

/* Makes the journal `j` of a driver that drove for a while. */
void journal_make(struct stage *stage);
