/* A listener of the control socket: a Unix socket or a TCP port. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct control_listener {
    int fd;          /* -1: closed */
    bool is_tcp;     /* open to every user of the machine, and to web pages in a browser on it */
    bool is_resting; /* not in the poller, because no descriptors were left for clients */
    char place[192]; /* the path, or HOST:PORT (if the port was 0: with the port that was found) */
};

/* Whether an argument of --control means HOST:PORT rather than a path. */
bool control_listener_is_address(const char *text);

/* Creates a Unix socket (mode 0600). Replaces a socket that an ended run left behind. A socket
 * in use, or any other file, is an error. False, with the reason, and the program's exit code in
 * CODE. */
bool control_listener_unix(struct control_listener *listener, const char *path, int *code,
                           struct error *error);

/* Listens at HOST:PORT; port 0 picks a free port. Rejects an address that other machines can reach,
 * unless IS_REMOTE. Fails like control_listener_unix. */
bool control_listener_tcp(struct control_listener *listener, const char *address, bool is_remote,
                          int *code, struct error *error);

/* Closes the listener and removes the path. */
void control_listener_close(struct control_listener *listener);

/* The next client's descriptor, non-blocking; or -1 with errno. */
int control_listener_accept(const struct control_listener *listener);
