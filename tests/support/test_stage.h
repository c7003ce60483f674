/* Calls of `ptybot test` in a stage: scenes for it, and checks of its output and of leftovers.
 * Failures end the test.
 */
#pragma once

#include "tests/support/stage.h"

/* Expectations, flags, and shell commands that act as a host. */
#define HEARD   "{that: kobuki.uart.from_host_bytes > 0, within: 5}"
#define STANDS  "{that: kobuki.collisions == 0, always: true}"
#define QUICKLY "--speed", "20"
/* Base control, 200 mm/s straight on: the bytes of the robot's protocol, for printf. */
#define DRIVE "'\\252\\125\\006\\001\\004\\310\\000\\000\\000\\313'"

/* NOTE records port and process ID of the host for test_stage_nothing_left. HELLO sends a command
 * to the robot. */
#define NOTE "echo $PTYBOT_PORT_KOBUKI >>ports; echo $$ >>pids; "
/* The parent of a driver is its keeper; that of the keeper is ptybot. */
#define PTYBOT_PID "$(cut -d' ' -f4 /proc/$PPID/stat)"
#define SERIAL                                                                                     \
    "stty raw -echo 115200 <&3; " /* settings of the port that is open as descriptor 3, as the     \
                                     robot expects them */
#define HELLO "exec 3<>$PTYBOT_PORT_KOBUKI; " SERIAL "printf " DRIVE " >&3; exec 3>&-; "

/* A row of the test table: as STAGED, with a folder `tmp` for temporary files. */
#define TEST_STAGED(test) cmocka_unit_test_setup_teardown(test, test_stage_setup, stage_teardown)
int test_stage_setup(void **state);

/* Writes a scene of one Kobuki in a room of 20 x 20 m, on its default port. EXPECT is the content
 * of the list `expect`; MORE contains further lines. */
void test_stage_scene(const struct stage *self, const char *name, const char *expect,
                      const char *more);

/* `ptybot test WORDS...`: starts it; with TEST_RUN waits for its end and returns the exit code. */
#define TEST_START(self, ...) test_stage_start(self, (const char *const[]){__VA_ARGS__, NULL})
void test_stage_start(struct stage *self, const char *const words[]);
#define TEST_RUN(self, ...)                                                                        \
    (test_stage_start(self, (const char *const[]){__VA_ARGS__, NULL}),                             \
     program_wait(&(self)->ptybot))

/* Checks that its output contains TEXT. */
void test_stage_said(const struct stage *self, const char *text);
/* Checks that its output does not contain TEXT. */
void test_stage_not_said(const struct stage *self, const char *text);
/* Checks its last line: the counts and the simulated time. A warning that the machine was busy may
 * be between them. */
void test_stage_ended(const struct stage *self, const char *counts, const char *time);

/* Writes the block number N in LANGUAGE, from 0, of docs/tutorials/own-robot.md (or of
 * arduino-sketch.md, if FROM names an Arduino) behind the words FROM. */
void test_stage_cut(const struct stage *self, const char *from, const char *language, int n,
                    const char *name);

/* No folder of a run, no temporary file and no process of a host is left. Hosts write paths and
 * pids into the files `ports` and `pids` of the stage. */
void test_stage_nothing_left(const struct stage *self);

/* Reads a JUnit file with a real parser and compares its numbers of elements with COUNTS. */
void test_stage_junit(const struct stage *self, const char *name, const char *counts);
