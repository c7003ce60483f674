/* The control socket: a Unix socket, and optionally a TCP port. Clients send JSON-RPC requests on
 * it, one per line. It never blocks and its buffers are bounded. A client that misbehaves loses its
 * connection; other clients do not notice. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/control/methods.h"
#include "app/links/poller.h"

enum { CONTROL_CLIENTS_MAX = 64 }; /* at once; further clients get an error and are closed */

struct control;

/* Listens at PATH (mode 0600). Replaces a socket that an ended run left behind. A socket in use, or
 * any other file, is an error. SCOPE is copied; POLLER must outlive it. NULL with ERROR, and the
 * program's exit code in CODE. */
struct control *control_open(const char *path, const struct methods_scope *scope,
                             struct poller *poller, int *code, struct error *error);
/* Also listens at HOST:PORT; port 0 picks a free port. Rejects an address that other machines can
 * reach, unless IS_REMOTE. False, with the reason, and the program's exit code in CODE. */
bool control_open_port(struct control *control, const char *address, bool is_remote, int *code,
                       struct error *error);
/* The reply to `version` as a line of JSON without its newline. The caller frees it. NULL: out of
 * memory. */
char *control_about(const struct control *control);

/* HOST:PORT, or "" without a port. */
const char *control_port(const struct control *control);

/* Serves another simulation of the same scene from now on, for example after a replay has jumped
 * back. Clients that wait for a step or a condition get an error. Clients that watch signals
 * continue to receive them. */
void control_follow(struct control *control, struct sim *sim, struct pace *pace,
                    struct links *links);

/* Removes the socket and disconnects the clients. Clients that wait for something get an error. */
void control_close(struct control *control);

/* A descriptor is ready: that of listener or client INDEX. */
void control_listener_ready(struct control *control, size_t index);
void control_client_ready(struct control *control, size_t index, uint32_t events);

/* Sends watched signals, and replies to clients whose condition has become true. Call it after each
 * step. */
void control_after_step(struct control *control);

/* Changes with every byte from or to a client and with the number of clients. If it is unchanged,
 * no client has received anything. */
uint64_t control_traffic(const struct control *control);

/* If a client requested a step through its shared page soon after the last wait, polls the pages
 * for up to 0.1 ms: a sleeping processor takes longer to wake than a step takes. Returns whether a
 * page requests a step. Call it before a wait. */
bool control_stay_awake(struct control *control);

/* Runs requests, and begins and ends the steps that they request. Call it before each wait, and
 * after steps. Returns whether it can do more immediately. */
bool control_advance(struct control *control);
