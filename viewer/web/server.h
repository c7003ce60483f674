/* The HTTP server of a run's page, on libmicrohttpd: one thread, bounded memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/watch/snapshot.h"
#include "viewer/rpc/rpc_requests.h"
#include "viewer/web/gate.h"

struct server;

/* Serves on a listening socket, which then belongs to the server. GATE and REQUESTS outlive it.
 * NULL: the reason is on stderr. */
struct server *server_open(int listening, const struct gate *gate, struct rpc_requests *requests);

/* The same for a page in one file, which needs no run: PAGE, of SIZE bytes, outlives it. */
struct server *server_open_file(int listening, const struct gate *gate, const char *page,
                                size_t size);
void server_close(struct server *server);

/* Passes a reply of the run to the page that sent the request: for rpc_requests_open. */
void server_reply(void *who, const char *line, size_t size);

/* Whether a listener is connected. */
bool server_is_watched(const struct server *server);

/* Sends the change to every listener: SNAPSHOT, or NULL if nothing has changed. Never waits; a
 * listener that has not received the last picture yet gets a later one. */
void server_show(struct server *server, const struct snapshot *snapshot, bool is_new,
                 int64_t now_ms);

/* Tells every listener that the run has ended. */
void server_end(struct server *server, int64_t now_ms);

/* Serves pending connections and requests. */
void server_run(struct server *server, int64_t now_ms);

/* The descriptor to poll for reading; and the time in milliseconds until server_run is due, -1: no
 * time limit. */
int server_fd(const struct server *server);
int server_timeout_ms(const struct server *server);
