/* The program as a child: it ends when its standard input closes, so also with whoever started it.
 * What it says on standard error is kept for the text of a failure. */
#pragma once

#include <sys/types.h>

#include "clients/c/connection.h"

struct ptybot_process {
    struct ptybot_connection output; /* its standard output, read as lines */
    pid_t pid;                       /* 0: none */
    int input;                       /* write end of its standard input; -1: none */
    int said;                        /* file of its standard error; -1: none */
};

/* Starts WORDS (ended by NULL), the first of which is a path or a name in PATH. False: it cannot be
 * started. End it in any case. */
bool ptybot_process_start(struct ptybot_process *self, const char *const words[],
                          struct ptybot_failure *failure);

/* The first line of its output; it must come until END_MS. False: the program ended before, with
 * the end of what it said on standard error as the reason. LINE is valid until the process is
 * ended. */
bool ptybot_process_line(struct ptybot_process *self, int64_t end_ms, char **line,
                         struct ptybot_failure *failure);

/* The end of what it has said on standard error, "" for nothing. */
void ptybot_process_said(const struct ptybot_process *self, struct ptybot_failure *words);

/* Closes its input and waits for its end; kills it where that takes too long. Returns its exit
 * code, -1 if it was killed or ended by a signal. */
int ptybot_process_end(struct ptybot_process *self);
