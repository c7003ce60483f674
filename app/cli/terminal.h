/* Output for the user: results on stdout, messages and the status line on stderr. A message never
 * stalls the simulation: if a pipe is full, the message is dropped. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of the program. A normal shutdown on SIGINT or SIGTERM is EXIT_CODE_OK. */
enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,      /* an expectation or the driver failed */
    EXIT_CODE_USAGE = 2,       /* invalid arguments, scene or command */
    EXIT_CODE_ENVIRONMENT = 3, /* path in use, no permission, no run to connect to */
};

/* Whether to write colors to a stream: it is a terminal, not a dumb one, and NO_COLOR is not
 * set. */
bool terminal_has_color(FILE *stream);

/* Makes sure that descriptors 0 to 2 are open, so that no file, port or socket of a run gets one of
 * these numbers and is mistaken for stdout or stderr. Call it before anything is opened. */
void terminal_guard_streams(void);

/* Flushes stdout. */
void terminal_flush(void);

/* The errno of a failed write to stdout so far; 0: no error, or the reader closed the pipe,
 * which is not an error. */
int terminal_lost(void);

/* Whether stderr is a terminal that can show a status line. */
bool terminal_has_status(void);

/* One line on stderr, with `ptybot: ` in front. */
void terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error. Returns CODE, so that a subcommand ends with
 * `return terminal_fail(EXIT_CODE_USAGE, ...)`. */
int terminal_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replaces the status line, cut to the terminal's width; an empty text removes it. Has no effect if
 * stderr cannot show one. */
void terminal_status(const char *text);

/* Returns MEMORY, a result of malloc. If it is NULL, ends the program. */
void *terminal_need(void *memory);
