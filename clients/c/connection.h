/* A connection to the control socket of a run: lines out, lines in. It knows no JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTYBOT_ERROR_MAX = 2048 }; /* chosen: an error of the program and the end of what it said */

/* Why something failed; those that fill it return false. */
struct ptybot_failure {
    char text[PTYBOT_ERROR_MAX];
};
bool ptybot_fail(struct ptybot_failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The monotonic clock. */
int64_t ptybot_now_ns(void);
int64_t ptybot_now_ms(void);

struct ptybot_connection {
    int socket;              /* -1: none */
    char *bytes;             /* what has come and is not yet handed out; owned */
    size_t used, cap, taken; /* the first TAKEN bytes are the line that was handed out last */
    size_t scanned;          /* bytes without a newline */
};

/* False: nobody listens at PATH. Close it in any case. */
bool ptybot_connection_open(struct ptybot_connection *self, const char *path,
                            struct ptybot_failure *failure);
void ptybot_connection_close(struct ptybot_connection *self);

/* Sends bytes as they are. False: the other side has closed. */
bool ptybot_connection_send(struct ptybot_connection *self, const char *bytes, size_t size);

/* What a wait for a line may find. */
enum ptybot_heard { PTYBOT_HEARD_LINE, PTYBOT_HEARD_NOTHING, PTYBOT_HEARD_END };

/* Waits for the next line until END_MS; LINE has it without its newline until the next call.
 * Nothing: it has not come in time. End: the other side has closed before a whole line. */
enum ptybot_heard ptybot_connection_line(struct ptybot_connection *self, int64_t end_ms,
                                         char **line);
