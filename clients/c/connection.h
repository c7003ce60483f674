/* A connection to the control socket of a run: sends and receives lines. It does not parse JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTYBOT_ERROR_MAX = 2048 }; /* chosen: an error and the end of standard error */

/* The reason of a failure. Functions that fill it return false. */
struct ptybot_failure {
    char text[PTYBOT_ERROR_MAX];
};
bool ptybot_fail(struct ptybot_failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Time of the monotonic clock. */
int64_t ptybot_now_ns(void);
int64_t ptybot_now_ms(void);

struct ptybot_connection {
    int socket;              /* -1: not connected */
    char *bytes;             /* received bytes that were not returned yet; owned */
    size_t used, cap, taken; /* the first TAKEN bytes are the line that was returned last */
    size_t scanned;          /* number of bytes already checked for a newline */
};

/* False: no run listens at PATH. Call ptybot_connection_close in any case. */
bool ptybot_connection_open(struct ptybot_connection *self, const char *path,
                            struct ptybot_failure *failure);
void ptybot_connection_close(struct ptybot_connection *self);

/* Sends bytes unchanged. False: the peer has closed the connection. */
bool ptybot_connection_send(struct ptybot_connection *self, const char *bytes, size_t size);

/* Result of waiting for a line. */
enum ptybot_heard { PTYBOT_HEARD_LINE, PTYBOT_HEARD_NOTHING, PTYBOT_HEARD_END };

/* Waits for the next line until END_MS. LINE contains it without the newline until the next call.
 * NOTHING: no line arrived in time. END: the peer closed the connection before a whole line. */
enum ptybot_heard ptybot_connection_line(struct ptybot_connection *self, int64_t end_ms,
                                         char **line);
