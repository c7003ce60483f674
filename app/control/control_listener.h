/* Where the control socket listens: a Unix socket, or a TCP port. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct control_listener {
    int fd;          /* -1: closed */
    bool is_tcp;     /* open to any user of the machine, and to web pages shown on it */
    bool is_resting; /* not in the poller, since there were no descriptors for clients */
    char place[192]; /* the path, or HOST:PORT with the port that was found for 0 */
};

/* Whether the text of --control means HOST:PORT rather than a path. */
bool control_listener_is_address(const char *text);

/* Makes a Unix socket (mode 0600). A socket left by a dead run is replaced; one in use, or any
 * other file, is an error. False, with the reason, and the program's exit code in CODE. */
bool control_listener_unix(struct control_listener *listener, const char *path, int *code,
                           struct error *error);

/* Listens at HOST:PORT, port 0 for a free one. An address that other machines can reach is refused
 * unless IS_REMOTE. Fails as above. */
bool control_listener_tcp(struct control_listener *listener, const char *address, bool is_remote,
                          int *code, struct error *error);

/* Closes, and removes the path. */
void control_listener_close(struct control_listener *listener);

/* The next client's descriptor, non-blocking; or -1 with errno. */
int control_listener_accept(const struct control_listener *listener);
