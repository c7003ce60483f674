#define _GNU_SOURCE
#include "tests/support/control_socket.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

static bool try_open(struct control_socket *self, const char *path)
{
    struct ptybot_failure failure;
    if (ptybot_connection_open(&self->connection, path, &failure))
        return true;
    control_socket_close(self);
    return false;
}

void control_socket_open(struct control_socket *self, const char *path)
{
    WAIT_UNTIL(try_open(self, path));
}

void control_socket_close(struct control_socket *self)
{
    ptybot_connection_close(&self->connection);
}

bool control_socket_send(struct control_socket *self, const char *bytes, size_t size)
{
    return ptybot_connection_send(&self->connection, bytes, size);
}

bool control_socket_line(struct control_socket *self, char *out, size_t cap)
{
    char *line;
    enum ptybot_heard heard =
        ptybot_connection_line(&self->connection, ptybot_now_ms() + TEST_TIMEOUT_MS, &line);
    if (heard == PTYBOT_HEARD_NOTHING)
        fail_msg("the control socket has not answered for %d s", TEST_TIMEOUT_MS / 1000);
    if (heard != PTYBOT_HEARD_LINE)
        return false;
    assert_true(strlen(line) < cap);
    memcpy(out, line, strlen(line) + 1);
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
