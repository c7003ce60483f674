/* A child process whose output goes to files, so that it never waits for a reader. Failures of the
 * machine end the test. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "tests/support/folder.h"

enum { PROGRAM_NAME_MAX = 32 };

struct program {
    const struct folder *folder;
    char name[PROGRAM_NAME_MAX]; /* output: NAME.out and NAME.err in the folder */
    pid_t pid;                   /* 0: not running */
};

/* Starts ARGV (ended by NULL; ARGV[0] is the file) in the folder. USER: user and group of the
 * child; 0: those of the test. */
void program_start(struct program *self, const struct folder *folder, const char *name,
                   const char *const argv[], uid_t user);

/* Waits for the end. Returns the exit code, or 128 + the signal that ended it. */
int program_wait(struct program *self);

/* Whether it has not ended yet. */
bool program_is_running(struct program *self);

/* Sends a signal, and waits for the end. */
int program_end(struct program *self, int number);

/* Kills the child if it still runs. */
void program_cleanup(struct program *self);

/* The child's output so far; the caller frees it. */
char *program_out(const struct program *self);
char *program_err(const struct program *self);

/* Whether it has printed TEXT so far. */
bool program_has_said(const struct program *self, const char *text);
bool program_has_warned(const struct program *self, const char *text);

/* Starts and waits. */
int program_run(struct program *self, const struct folder *folder, const char *name,
                const char *const argv[]);
