#define _GNU_SOURCE
#include "tests/support/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/check.h"

static bool try_connect(struct control_socket *self, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    self->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(self->socket >= 0);
    if (connect(self->socket, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    close(self->socket);
    return false;
}

void control_socket_open(struct control_socket *self, const char *path)
{
    self->used = 0;
    WAIT_UNTIL(try_connect(self, path));
}

void control_socket_close(struct control_socket *self)
{
    close(self->socket);
    self->socket = -1;
}

bool control_socket_send(struct control_socket *self, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(self->socket, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Hands out a line that is there already. */
static bool take_line(struct control_socket *self, char *out, size_t cap)
{
    char *end = memchr(self->bytes, '\n', self->used);
    if (!end)
        return false;
    size_t size = (size_t)(end - self->bytes);
    assert_true(size < cap);
    memcpy(out, self->bytes, size);
    out[size] = '\0';
    self->used -= size + 1;
    memmove(self->bytes, end + 1, self->used);
    return true;
}

bool control_socket_line(struct control_socket *self, char *out, size_t cap)
{
    while (!take_line(self, out, cap)) {
        struct pollfd wait = {.fd = self->socket, .events = POLLIN};
        assert_true(self->used < sizeof self->bytes);
        if (poll(&wait, 1, PATIENCE_MS) != 1)
            fail_msg("the control socket has not answered for %d s", PATIENCE_MS / 1000);
        ssize_t got = read(self->socket, self->bytes + self->used, sizeof self->bytes - self->used);
        if (got <= 0)
            return false;
        self->used += (size_t)got;
    }
    return true;
}

void control_socket_call(struct control_socket *self, const char *method, const char *params,
                         char *out, size_t cap)
{
    char request[512];
    int size = snprintf(request, sizeof request,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method,
                        params);
    assert_true(size > 0 && (size_t)size < sizeof request);
    assert_true(control_socket_send(self, request, (size_t)size));
    assert_true(control_socket_line(self, out, cap));
}
