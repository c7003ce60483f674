/* Requests to the run's control socket (JSON-RPC), whose replies find the one who asked. Never
 * waits. The window and the page's server share it. */
#ifndef PTYBOT_VIEWER_RPC_ASKS_H
#define PTYBOT_VIEWER_RPC_ASKS_H

#include <stdbool.h>
#include <stddef.h>

struct asks;

/* Called by asks_update with the reply, one line of JSON, to the request of WHO. */
typedef void asks_reply(void *who, const char *line, size_t size);

/* At most MOST requests wait for their replies. NULL: the reason is on stderr. */
struct asks *asks_open(const char *path, size_t most, asks_reply *reply);
void asks_close(struct asks *asks);

/* Runs a command for WHO. False: too much is under way already. */
bool asks_do(struct asks *asks, const char *command, void *who);

/* How many requests have no reply yet. */
size_t asks_pending(const struct asks *asks);

/* WHO has gone: nobody hears its replies. */
void asks_forget(struct asks *asks, const void *who);

/* Sends and receives what it can. False: the run has ended. */
bool asks_update(struct asks *asks);

/* To be polled, for reading, and for writing while ASKS_WANTS_WRITE. */
int asks_fd(const struct asks *asks);
bool asks_wants_write(const struct asks *asks);

#endif
