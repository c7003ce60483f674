/* Requests to the run's control socket (JSON-RPC), whose replies find the one who asked. Never
 * waits. The window and the page's server share it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rpc_requests;

/* Called by rpc_requests_update with the reply, one line of JSON, to the request of WHO. */
typedef void rpc_requests_reply(void *who, const char *line, size_t size);

/* At most MOST requests wait for their replies. NULL: the reason is on stderr. */
struct rpc_requests *rpc_requests_open(const char *path, size_t most, rpc_requests_reply *reply);
void rpc_requests_close(struct rpc_requests *requests);

/* Runs a command for WHO. False: too much is under way already. */
bool rpc_requests_do(struct rpc_requests *requests, const char *command, void *who);

/* How many requests have no reply yet. */
size_t rpc_requests_pending(const struct rpc_requests *requests);

/* WHO has gone: nobody hears its replies. */
void rpc_requests_forget(struct rpc_requests *requests, const void *who);

/* Sends and receives what it can. False: the run has ended. */
bool rpc_requests_update(struct rpc_requests *requests);

/* To be polled, for reading, and for writing while RPC_REQUESTS_WANTS_WRITE. */
int rpc_requests_fd(const struct rpc_requests *requests);
bool rpc_requests_wants_write(const struct rpc_requests *requests);
