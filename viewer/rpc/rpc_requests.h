/* Requests to the run's control socket (JSON-RPC), with replies passed to their senders. Never
 * waits. The window and the page's server share it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rpc_requests;

/* Called by rpc_requests_update with the reply, one line of JSON, to a request of WHO. */
typedef void rpc_requests_reply(void *who, const char *line, size_t size);

/* At most MOST requests may wait for their replies. NULL: the reason is on stderr. */
struct rpc_requests *rpc_requests_open(const char *path, size_t most, rpc_requests_reply *reply);
void rpc_requests_close(struct rpc_requests *requests);

/* Sends a command for WHO. False: too many requests are waiting. */
bool rpc_requests_do(struct rpc_requests *requests, const char *command, void *who);

/* Number of requests without a reply. */
size_t rpc_requests_pending(const struct rpc_requests *requests);

/* WHO has gone: its replies are dropped. */
void rpc_requests_forget(struct rpc_requests *requests, const void *who);

/* Sends and receives as much as possible. False: the run has ended. */
bool rpc_requests_update(struct rpc_requests *requests);

/* The descriptor to poll for reading, and for writing while rpc_requests_wants_write. */
int rpc_requests_fd(const struct rpc_requests *requests);
bool rpc_requests_wants_write(const struct rpc_requests *requests);
