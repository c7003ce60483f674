/* ptybot as a child process: it ends when its standard input closes, so it also ends with its
 * parent. Its output on standard error is kept for error messages. */
#pragma once

#include <sys/types.h>

#include "clients/c/connection.h"

struct ptybot_process {
    struct ptybot_connection output; /* its standard output, read as lines */
    pid_t pid;                       /* 0: not started */
    int input;                       /* write end of its standard input; -1: closed */
    int said;                        /* file with its standard error; -1: closed */
};

/* Starts WORDS, a NULL-terminated list whose first entry is a path or a name in PATH. False: it
 * cannot be started. Call ptybot_process_end in any case. */
bool ptybot_process_start(struct ptybot_process *self, const char *const words[],
                          struct ptybot_failure *failure);

/* Waits until END_MS for the first line of its output. False: the program ended before. The reason
 * is then the end of its output on standard error. LINE is valid until the process ends. */
bool ptybot_process_line(struct ptybot_process *self, int64_t end_ms, char **line,
                         struct ptybot_failure *failure);

/* Returns the end of its output on standard error, or "". */
void ptybot_process_said(const struct ptybot_process *self, struct ptybot_failure *words);

/* Closes its input and waits for its end; kills it after a timeout. Returns its exit code, or -1 if
 * it was killed or ended by a signal. */
int ptybot_process_end(struct ptybot_process *self);
