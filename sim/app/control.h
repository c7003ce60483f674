/* The control socket: a Unix socket on which any number of clients speak JSON-RPC, one message a
 * line. It never blocks and keeps bounded buffers; a client that misbehaves loses its connection
 * and nobody else notices. */
#ifndef PTYBOT_SIM_APP_CONTROL_H
#define PTYBOT_SIM_APP_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/app/methods.h"
#include "sim/app/poller.h"

enum {
    CONTROL_CLIENTS_MAX = 64,             /* at once; more wait until one goes */
    CONTROL_LINE_MAX = 1 << 20,           /* bytes of a request; a longer one is refused */
    CONTROL_REPLIES_PAUSE = 1 << 20,      /* unread bytes at which no more requests are taken */
    CONTROL_REPLIES_MAX = 64 * (1 << 20), /* unread bytes at which a client is dropped */
};

struct control;

/* Listens at PATH (mode 0600). A socket that a dead run left is replaced; a living one, and any
 * other file, is an error. SCOPE is copied, POLLER outlives it. NULL with ERROR, and the program's
 * exit code in CODE. */
struct control *control_open(const char *path, const struct methods_scope *scope,
                             struct poller *poller, int *code, struct error *error);
/* Removes the socket and drops the clients. */
void control_close(struct control *control);

/* A descriptor is ready: the listener's, or that of client number INDEX. */
void control_listener_ready(struct control *control);
void control_client_ready(struct control *control, size_t index, uint32_t events);

/* Runs requests and begins and ends steps. Call it before each sleep, and after steps. Returns
 * whether there is more to do at once. */
bool control_advance(struct control *control);

#endif
