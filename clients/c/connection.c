#define _GNU_SOURCE
#include "clients/c/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

bool ptybot_fail(struct ptybot_failure *failure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return false;
}

int64_t ptybot_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t ptybot_now_ms(void)
{
    return ptybot_now_ns() / 1000000;
}

bool ptybot_connection_open(struct ptybot_connection *self, const char *path,
                            struct ptybot_failure *failure)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *self = (struct ptybot_connection){.socket = -1};
    if (strlen(path) >= sizeof address.sun_path)
        return ptybot_fail(failure, "%s: too long for a control socket; allowed: at most %zu bytes",
                           path, sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    self->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (self->socket < 0 || connect(self->socket, (struct sockaddr *)&address, sizeof address) != 0)
        return ptybot_fail(failure, "%s: %s; is the simulation running?", path, strerror(errno));
    return true;
}

void ptybot_connection_close(struct ptybot_connection *self)
{
    if (self->socket >= 0)
        close(self->socket);
    free(self->bytes);
    *self = (struct ptybot_connection){.socket = -1};
}

bool ptybot_connection_send(struct ptybot_connection *self, const char *bytes, size_t size)
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

/* Returns a line that was already received. */
static bool take_line(struct ptybot_connection *self, char **line)
{
    char *end = memchr(self->bytes + self->scanned, '\n', self->used - self->scanned);
    self->scanned = end ? 0 : self->used;
    if (!end)
        return false;
    *end = '\0';
    *line = self->bytes;
    self->taken = (size_t)(end - self->bytes) + 1;
    return true;
}

enum { LINE_MAX_BYTES = 1 << 26 }; /* chosen: a picture of a large room needs a tenth of it */

/* Reads the available bytes. False: the peer has closed the connection, memory is short, or the
 * line is too long. */
static bool read_more(struct ptybot_connection *self)
{
    if (self->used + 1 >= self->cap) {
        size_t cap = self->cap ? 2 * self->cap : 4096;
        char *bytes = cap <= LINE_MAX_BYTES ? realloc(self->bytes, cap) : NULL;
        if (!bytes)
            return false;
        self->bytes = bytes;
        self->cap = cap;
    }
    ssize_t got = read(self->socket, self->bytes + self->used, self->cap - self->used);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    self->used += (size_t)got;
    return true;
}

enum ptybot_heard ptybot_connection_line(struct ptybot_connection *self, int64_t end_ms,
                                         char **line)
{
    self->used -= self->taken;
    if (self->taken)
        memmove(self->bytes, self->bytes + self->taken, self->used);
    self->taken = 0;
    while (self->used == 0 || !take_line(self, line)) {
        int64_t left_ms = end_ms - ptybot_now_ms();
        struct pollfd wait = {.fd = self->socket, .events = POLLIN};
        int ready = poll(&wait, 1, left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : (int)left_ms);
        if (ready == 0 && left_ms <= 0)
            return PTYBOT_HEARD_NOTHING;
        if (ready > 0 && !read_more(self))
            return PTYBOT_HEARD_END;
        if (ready < 0 && errno != EINTR)
            return PTYBOT_HEARD_END;
    }
    return PTYBOT_HEARD_LINE;
}
