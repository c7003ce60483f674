/* One run of ptybot in its own folder, which contains scene, ports and control socket, so that
 * parallel tests never interfere. Failures end the test. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "include/ptybot/client.h"
#include "tests/support/folder.h"
#include "tests/support/program.h"

struct stage {
    struct folder folder;
    struct program ptybot;
    char control[FOLDER_PATH_MAX]; /* the control socket */
    char port[FOLDER_PATH_MAX];    /* of the robot `kobuki` */
    uid_t user;                    /* user that runs ptybot; 0: the user of the test */
};

/* Setup and teardown functions for cmocka: *STATE is the stage. */
int stage_setup(void **state);
int stage_teardown(void **state);

/* Writes kobuki.yaml: one Kobuki, named so, in the middle of a room of 20 x 20 m, on the port.
 * LINK goes into its link ("" or ", baud_check: strict"), OPTIONS into its options. */
void stage_write_kobuki(const struct stage *self, const char *link, const char *options);

/* Starts `ptybot run SCENE --control CONTROL ARGUMENTS...` and does not wait. */
void stage_start(struct stage *self, const char *scene, const char *const arguments[]);

/* Starts it with a scene written by stage_write_kobuki and waits until the port exists.
 * ARGUMENTS: the further arguments as a list of words. */
#define STAGE_RUN_KOBUKI(self, ...)                                                                \
    stage_run(self, "kobuki.yaml", (const char *const[]){__VA_ARGS__, NULL})
void stage_run(struct stage *self, const char *scene, const char *const arguments[]);

/* Ends the run cleanly; it must exit with 0. */
void stage_end(struct stage *self);

/* `ptybot ctl --control CONTROL WORDS...`: returns its exit code. Its output is then in the files
 * ctl.out and ctl.err of the folder. */
#define STAGE_CTL(self, ...) stage_ctl_words(self, (const char *const[]){__VA_ARGS__, NULL})
int stage_ctl_words(const struct stage *self, const char *const arguments[]);

/* A client of the run, waiting until its control socket exists; the caller ends it. */
struct ptybot_run *stage_client(const struct stage *self);

/* The value of a signal, and a command, over the control socket. */
double stage_get(const struct stage *self, const char *name);
void stage_do(const struct stage *self, const char *command);

/* A row of the test table: TEST on its own stage. */
#define STAGED(test) cmocka_unit_test_setup_teardown(test, stage_setup, stage_teardown)
