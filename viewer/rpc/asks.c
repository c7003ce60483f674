/* Replies come in the order of the requests, so a queue says whose they are. */
#include "viewer/rpc/asks.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 16 }; /* chosen: hundreds of commands; more than any reply to us */

struct asks {
    int fd;
    asks_reply *reply;
    char out[BYTES_MAX], in[BYTES_MAX];
    size_t out_size, in_size;
    size_t count, most;
    void *waiting[]; /* the oldest first; NULL: it has gone */
};

static struct asks *fail(struct asks *asks, const char *path, const char *why)
{
    fprintf(stderr, "ptybot: %s: %s; is the simulation running?\n", path, why);
    asks_close(asks);
    return NULL;
}

struct asks *asks_open(const char *path, size_t most, asks_reply *reply)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct asks *asks = calloc(1, sizeof *asks + most * sizeof *asks->waiting);
    if (!asks)
        return fail(NULL, path, "not enough memory");
    asks->reply = reply;
    asks->most = most;
    asks->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof address.sun_path)
        return fail(asks, path, "the path is too long for a socket");
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (asks->fd < 0 || connect(asks->fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        fcntl(asks->fd, F_SETFL, O_NONBLOCK) != 0)
        return fail(asks, path, strerror(errno));
    return asks;
}

void asks_close(struct asks *asks)
{
    if (!asks)
        return;
    if (asks->fd >= 0)
        close(asks->fd);
    free(asks);
}

int asks_fd(const struct asks *asks)
{
    return asks->fd;
}

bool asks_wants_write(const struct asks *asks)
{
    return asks->out_size > 0;
}

static void flush(struct asks *asks)
{
    ssize_t sent = send(asks->fd, asks->out, asks->out_size, MSG_NOSIGNAL);
    if (sent <= 0)
        return;
    asks->out_size -= (size_t)sent;
    memmove(asks->out, asks->out + sent, asks->out_size);
}

bool asks_do(struct asks *asks, const char *command, void *who)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:{s:s}}", "jsonrpc", "2.0", "id", 1, "method",
                                "do", "params", "command", command);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t size = text ? strlen(text) : 0;
    bool is_taken =
        text && asks->count < asks->most && asks->out_size + size + 1 <= sizeof asks->out;
    json_decref(message);
    if (is_taken) {
        memcpy(asks->out + asks->out_size, text, size);
        asks->out[asks->out_size + size] = '\n';
        asks->out_size += size + 1;
        asks->waiting[asks->count++] = who;
        flush(asks);
    }
    free(text);
    return is_taken;
}

size_t asks_pending(const struct asks *asks)
{
    return asks->count;
}

void asks_forget(struct asks *asks, const void *who)
{
    for (size_t i = 0; i < asks->count; i++)
        if (asks->waiting[i] == who)
            asks->waiting[i] = NULL;
}

static void take_line(struct asks *asks, const char *line, size_t size)
{
    if (asks->count == 0)
        return;
    void *who = asks->waiting[0];
    memmove(asks->waiting, asks->waiting + 1, --asks->count * sizeof *asks->waiting);
    if (who)
        asks->reply(who, line, size);
}

/* False: a line is longer than any reply to us. */
static bool take_lines(struct asks *asks)
{
    size_t from = 0;
    for (size_t i = 0; i < asks->in_size; i++) {
        if (asks->in[i] != '\n')
            continue;
        take_line(asks, asks->in + from, i - from);
        from = i + 1;
    }
    asks->in_size -= from;
    memmove(asks->in, asks->in + from, asks->in_size);
    return asks->in_size < sizeof asks->in;
}

bool asks_update(struct asks *asks)
{
    if (asks->out_size > 0)
        flush(asks);
    for (;;) {
        ssize_t got = recv(asks->fd, asks->in + asks->in_size, sizeof asks->in - asks->in_size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        asks->in_size += (size_t)got;
        if (!take_lines(asks))
            return false;
    }
}
