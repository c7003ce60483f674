/* The control socket: a Unix socket, and a TCP port where one is asked for, on which clients speak
 * JSON-RPC, one message a line. It never blocks and keeps bounded buffers; a client that misbehaves
 * loses its connection and nobody else notices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/control/methods.h"
#include "app/links/poller.h"

enum { CONTROL_CLIENTS_MAX = 64 }; /* at once; more are turned away with an error */

struct control;

/* Listens at PATH (mode 0600). A socket left by a dead run is replaced; one in use, or any other
 * file, is an error. SCOPE is copied, POLLER outlives it. NULL with ERROR, and the program's exit
 * code in CODE. */
struct control *control_open(const char *path, const struct methods_scope *scope,
                             struct poller *poller, int *code, struct error *error);
/* Listens at HOST:PORT too; port 0 takes a free one. An address that other machines can reach is
 * refused unless IS_REMOTE. False, with the reason, and the program's exit code in CODE. */
bool control_open_port(struct control *control, const char *address, bool is_remote, int *code,
                       struct error *error);
/* The reply to `version` as a line of JSON without its newline, which the caller frees; NULL:
 * memory is short. */
char *control_about(const struct control *control);

/* HOST:PORT, or "" without a port. */
const char *control_port(const struct control *control);

/* From now on another simulation of the same scene is meant, as after a replay has gone back.
 * Clients that wait for a step or a condition get an error; what they watch goes on. */
void control_follow(struct control *control, struct sim *sim, struct pace *pace,
                    struct links *links);

/* Removes the socket and drops the clients; those that wait for something get an error. */
void control_close(struct control *control);

/* A descriptor is ready: of listener or client number INDEX. */
void control_listener_ready(struct control *control, size_t index);
void control_client_ready(struct control *control, size_t index, uint32_t events);

/* Sends what clients watch and answers those whose condition has come true. Call it after each
 * step. */
void control_after_step(struct control *control);

/* Counts the bytes sent to clients: another number means that one may have heard something. */
uint64_t control_traffic(const struct control *control);

/* If a page was used soon after the last wait, looks for 0.1 ms whether it is used again: a
 * sleeping processor takes longer to wake than a step takes. Returns whether it is. Call it before
 * a wait. */
bool control_stay_awake(struct control *control);

/* Runs requests, and begins and ends the steps that they ask for. Call it before each wait, and
 * after steps. Returns whether there is more to do at once. */
bool control_advance(struct control *control);
