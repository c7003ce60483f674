/* Replies come in the order of the requests, so a queue has their senders. */
#include "viewer/rpc/rpc_requests.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 16 }; /* chosen: hundreds of commands; longer than any reply */

struct rpc_requests {
    int fd;
    rpc_requests_reply *reply;
    char out[BYTES_MAX], in[BYTES_MAX];
    size_t out_size, in_size;
    size_t count, most;
    void *waiting[]; /* the oldest first; NULL: the sender has gone */
};

static struct rpc_requests *fail(struct rpc_requests *requests, const char *path, const char *why)
{
    fprintf(stderr, "ptybot: %s: %s; is the simulation running?\n", path, why);
    rpc_requests_close(requests);
    return NULL;
}

struct rpc_requests *rpc_requests_open(const char *path, size_t most, rpc_requests_reply *reply)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct rpc_requests *requests = calloc(1, sizeof *requests + most * sizeof *requests->waiting);
    if (!requests)
        return fail(NULL, path, "not enough memory");
    requests->reply = reply;
    requests->most = most;
    requests->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path)
        return fail(requests, path, "the path is too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (requests->fd < 0 ||
        connect(requests->fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        fcntl(requests->fd, F_SETFL, O_NONBLOCK) != 0)
        return fail(requests, path, strerror(errno));
    return requests;
}

void rpc_requests_close(struct rpc_requests *requests)
{
    if (!requests)
        return;
    if (requests->fd >= 0)
        close(requests->fd);
    free(requests);
}

int rpc_requests_fd(const struct rpc_requests *requests)
{
    return requests->fd;
}

bool rpc_requests_wants_write(const struct rpc_requests *requests)
{
    return requests->out_size > 0;
}

static void flush(struct rpc_requests *requests)
{
    ssize_t sent = send(requests->fd, requests->out, requests->out_size, MSG_NOSIGNAL);
    if (sent <= 0)
        return;
    requests->out_size -= (size_t)sent;
    memmove(requests->out, requests->out + sent, requests->out_size);
}

bool rpc_requests_do(struct rpc_requests *requests, const char *command, void *who)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:{s:s}}", "jsonrpc", "2.0", "id", 1, "method",
                                "do", "params", "command", command);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t size = text ? strlen(text) : 0;
    bool is_taken = text && requests->count < requests->most &&
                    requests->out_size + size + 1 <= sizeof requests->out;
    json_decref(message);
    if (is_taken) {
        memcpy(requests->out + requests->out_size, text, size);
        requests->out[requests->out_size + size] = '\n';
        requests->out_size += size + 1;
        requests->waiting[requests->count++] = who;
        flush(requests);
    }
    free(text);
    return is_taken;
}

size_t rpc_requests_pending(const struct rpc_requests *requests)
{
    return requests->count;
}

void rpc_requests_forget(struct rpc_requests *requests, const void *who)
{
    for (size_t i = 0; i < requests->count; i++)
        if (requests->waiting[i] == who)
            requests->waiting[i] = NULL;
}

static void take_line(struct rpc_requests *requests, const char *line, size_t size)
{
    if (requests->count == 0)
        return;
    void *who = requests->waiting[0];
    memmove(requests->waiting, requests->waiting + 1,
            --requests->count * sizeof *requests->waiting);
    if (who)
        requests->reply(who, line, size);
}

/* False: a line is longer than any valid reply. */
static bool take_lines(struct rpc_requests *requests)
{
    size_t from = 0;
    for (size_t i = 0; i < requests->in_size; i++) {
        if (requests->in[i] != '\n')
            continue;
        take_line(requests, requests->in + from, i - from);
        from = i + 1;
    }
    requests->in_size -= from;
    memmove(requests->in, requests->in + from, requests->in_size);
    return requests->in_size < sizeof requests->in;
}

bool rpc_requests_update(struct rpc_requests *requests)
{
    if (requests->out_size > 0)
        flush(requests);
    for (;;) {
        ssize_t got = recv(requests->fd, requests->in + requests->in_size,
                           sizeof requests->in - requests->in_size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        requests->in_size += (size_t)got;
        if (!take_lines(requests))
            return false;
    }
}
