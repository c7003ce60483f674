/* JSON-RPC on a Unix socket that never blocks. */
#include "viewer/window/remote.h"

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

struct remote {
    int fd;
    char out[BYTES_MAX], in[BYTES_MAX];
    size_t out_size, in_size;
    size_t waiting;
    bool is_refused;
    char refusal[256];
};

struct remote *remote_open(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct remote *remote = calloc(1, sizeof *remote);
    if (!remote || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "ptybot: %s: %s\n", path,
                remote ? "the path is too long for a socket" : "out of memory");
        free(remote);
        return NULL;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    remote->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (remote->fd < 0 ||
        connect(remote->fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        fcntl(remote->fd, F_SETFL, O_NONBLOCK) != 0) {
        fprintf(stderr, "ptybot: %s: %s; is the simulation running?\n", path, strerror(errno));
        remote_close(remote);
        return NULL;
    }
    return remote;
}

void remote_close(struct remote *remote)
{
    if (!remote)
        return;
    if (remote->fd >= 0)
        close(remote->fd);
    free(remote);
}

static void flush(struct remote *remote)
{
    ssize_t sent = send(remote->fd, remote->out, remote->out_size, MSG_NOSIGNAL);
    if (sent <= 0)
        return;
    remote->out_size -= (size_t)sent;
    memmove(remote->out, remote->out + sent, remote->out_size);
}

void remote_do(struct remote *remote, const char *command)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:{s:s}}", "jsonrpc", "2.0", "id", 1, "method",
                                "do", "params", "command", command);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    size_t size = text ? strlen(text) : 0;
    if (text && remote->out_size + size + 1 <= sizeof remote->out) {
        memcpy(remote->out + remote->out_size, text, size);
        remote->out[remote->out_size + size] = '\n';
        remote->out_size += size + 1;
        remote->waiting++;
        flush(remote);
    }
    free(text);
}

static void take_line(struct remote *remote, const char *line, size_t size)
{
    json_t *reply = json_loadb(line, size, 0, NULL);
    const char *message =
        json_string_value(json_object_get(json_object_get(reply, "error"), "message"));
    if (message) {
        remote->is_refused = true;
        snprintf(remote->refusal, sizeof remote->refusal, "%s", message);
    }
    if (remote->waiting > 0)
        remote->waiting--;
    json_decref(reply);
}

static void take_lines(struct remote *remote)
{
    size_t from = 0;
    for (size_t i = 0; i < remote->in_size; i++) {
        if (remote->in[i] != '\n')
            continue;
        take_line(remote, remote->in + from, i - from);
        from = i + 1;
    }
    remote->in_size -= from;
    memmove(remote->in, remote->in + from, remote->in_size);
    if (remote->in_size == sizeof remote->in)
        remote->in_size = 0; // nothing that we asked for
}

bool remote_visit(struct remote *remote)
{
    if (remote->out_size > 0)
        flush(remote);
    for (;;) {
        ssize_t got =
            recv(remote->fd, remote->in + remote->in_size, sizeof remote->in - remote->in_size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        remote->in_size += (size_t)got;
        take_lines(remote);
    }
}

size_t remote_waiting(const struct remote *remote)
{
    return remote->waiting;
}

const char *remote_refusal(struct remote *remote)
{
    bool is_refused = remote->is_refused;
    remote->is_refused = false;
    return is_refused ? remote->refusal : NULL;
}
