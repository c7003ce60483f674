/* A client of the run's control socket (JSON-RPC): commands go out, refusals come back. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rpc_client;

/* NULL: the reason is on stderr. */
struct rpc_client *rpc_client_open(const char *path);
void rpc_client_close(struct rpc_client *rpc);

/* Runs a command, `TARGET.COMMAND key=value ...`. Never waits; if a stuck run does not read, it is
 * dropped. */
void rpc_client_do(struct rpc_client *rpc, const char *command);

/* Sends and receives what it can without waiting. False: the run has ended. */
bool rpc_client_update(struct rpc_client *rpc);

/* How many commands have no reply yet. */
size_t rpc_client_pending(const struct rpc_client *rpc);

/* Why a command was refused, returned once; NULL: none was. Valid until the next update. */
const char *rpc_client_refusal(struct rpc_client *rpc);
