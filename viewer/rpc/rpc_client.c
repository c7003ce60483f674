/* One asker, who is told of refusals only. */
#include "viewer/rpc/rpc_client.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "viewer/rpc/rpc_requests.h"

enum { WAITING_MAX = 4096 }; /* chosen: more than the sockets hold of commands */

struct rpc_client {
    struct rpc_requests *requests;
    bool is_refused;
    char refusal[256];
};

static void take_reply(void *who, const char *line, size_t size)
{
    struct rpc_client *rpc = who;
    json_t *reply = json_loadb(line, size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(reply, "error"), "message"));
    if (message) {
        rpc->is_refused = true;
        snprintf(rpc->refusal, sizeof rpc->refusal, "%s", message);
    }
    json_decref(reply);
}

struct rpc_client *rpc_client_open(const char *path)
{
    struct rpc_client *rpc = calloc(1, sizeof *rpc);
    if (!rpc) {
        fprintf(stderr, "ptybot: %s: not enough memory\n", path);
        return NULL;
    }
    rpc->requests = rpc_requests_open(path, WAITING_MAX, take_reply);
    if (!rpc->requests) {
        free(rpc);
        return NULL;
    }
    return rpc;
}

void rpc_client_close(struct rpc_client *rpc)
{
    if (!rpc)
        return;
    rpc_requests_close(rpc->requests);
    free(rpc);
}

void rpc_client_do(struct rpc_client *rpc, const char *command)
{
    if (!rpc_requests_do(rpc->requests, command, rpc))
        return; // a stuck run does not read: the command is dropped
}

bool rpc_client_update(struct rpc_client *rpc)
{
    return rpc_requests_update(rpc->requests);
}

size_t rpc_client_pending(const struct rpc_client *rpc)
{
    return rpc_requests_pending(rpc->requests);
}

const char *rpc_client_refusal(struct rpc_client *rpc)
{
    bool is_refused = rpc->is_refused;
    rpc->is_refused = false;
    return is_refused ? rpc->refusal : NULL;
}
