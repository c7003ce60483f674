/* JSON-RPC lines on a nonblocking Unix socket. */
#include "viewer/window/rpc_client.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 16 }; /* chosen: hundreds of commands */

struct rpc_client {
    int fd;
    char out[BYTES_MAX], in[BYTES_MAX];
    size_t out_size, in_size;
    size_t waiting;
    bool is_refused;
    char refusal[256];
};

struct rpc_client *rpc_client_open(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct rpc_client *rpc = calloc(1, sizeof *rpc);
    if (!rpc || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "ptybot: %s: %s\n", path,
                rpc ? "the path is too long for a socket" : "out of memory");
        free(rpc);
        return NULL;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    rpc->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (rpc->fd < 0 || connect(rpc->fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        fcntl(rpc->fd, F_SETFL, O_NONBLOCK) != 0) {
        fprintf(stderr, "ptybot: %s: %s; is the simulation running?\n", path, strerror(errno));
        rpc_client_close(rpc);
        return NULL;
    }
    return rpc;
}

void rpc_client_close(struct rpc_client *rpc)
{
    if (!rpc)
        return;
    if (rpc->fd >= 0)
        close(rpc->fd);
    free(rpc);
}

static void flush(struct rpc_client *rpc)
{
    ssize_t sent = send(rpc->fd, rpc->out, rpc->out_size, MSG_NOSIGNAL);
    if (sent <= 0)
        return;
    rpc->out_size -= (size_t)sent;
    memmove(rpc->out, rpc->out + sent, rpc->out_size);
}

void rpc_client_do(struct rpc_client *rpc, const char *command)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:{s:s}}", "jsonrpc", "2.0", "id", 1, "method",
                                "do", "params", "command", command);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    size_t size = text ? strlen(text) : 0;
    if (text && rpc->out_size + size + 1 <= sizeof rpc->out) {
        memcpy(rpc->out + rpc->out_size, text, size);
        rpc->out[rpc->out_size + size] = '\n';
        rpc->out_size += size + 1;
        rpc->waiting++;
        flush(rpc);
    }
    free(text);
}

static void take_line(struct rpc_client *rpc, const char *line, size_t size)
{
    json_t *reply = json_loadb(line, size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(reply, "error"), "message"));
    if (message) {
        rpc->is_refused = true;
        snprintf(rpc->refusal, sizeof rpc->refusal, "%s", message);
    }
    if (rpc->waiting > 0)
        rpc->waiting--;
    json_decref(reply);
}

static void take_lines(struct rpc_client *rpc)
{
    size_t from = 0;
    for (size_t i = 0; i < rpc->in_size; i++) {
        if (rpc->in[i] != '\n')
            continue;
        take_line(rpc, rpc->in + from, i - from);
        from = i + 1;
    }
    rpc->in_size -= from;
    memmove(rpc->in, rpc->in + from, rpc->in_size);
    if (rpc->in_size == sizeof rpc->in)
        rpc->in_size = 0; // a line this long is no reply to us
}

bool rpc_client_update(struct rpc_client *rpc)
{
    if (rpc->out_size > 0)
        flush(rpc);
    for (;;) {
        ssize_t got = recv(rpc->fd, rpc->in + rpc->in_size, sizeof rpc->in - rpc->in_size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        rpc->in_size += (size_t)got;
        take_lines(rpc);
    }
}

size_t rpc_client_pending(const struct rpc_client *rpc)
{
    return rpc->waiting;
}

const char *rpc_client_refusal(struct rpc_client *rpc)
{
    bool is_refused = rpc->is_refused;
    rpc->is_refused = false;
    return is_refused ? rpc->refusal : NULL;
}
