#define _GNU_SOURCE
#include "tests/hosts/epuck2_client.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *epuck2_client_open(struct epuck2_client *self, const char *address)
{
    char host[128], port[16] = "1000";
    memset(self, 0, sizeof *self);
    self->socket = -1;
    self->command[0] = 0x80;
    if (sscanf(address, "%127[^:]:%15s", host, port) < 1)
        return "no address";
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return "no such address";
    self->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_open =
        self->socket >= 0 && connect(self->socket, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    if (!is_open) {
        const char *problem = strerror(errno);
        epuck2_client_close(self);
        return problem;
    }
    int on = 1; /* send each command at once */
    setsockopt(self->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return NULL;
}

void epuck2_client_close(struct epuck2_client *self)
{
    if (self->socket >= 0)
        close(self->socket);
    self->socket = -1;
}

static void put_i16(uint8_t *at, int value)
{
    at[0] = (uint8_t)(value & 0xff);
    at[1] = (uint8_t)(value >> 8 & 0xff);
}

bool epuck2_client_drive(struct epuck2_client *self, int left, int right)
{
    put_i16(self->command + 3, left);
    put_i16(self->command + 5, right);
    size_t done = 0;
    while (done < sizeof self->command) {
        ssize_t sent =
            send(self->socket, self->command + done, sizeof self->command - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool take(struct epuck2_client *self, uint8_t *out, size_t size, int timeout_ms)
{
    for (size_t done = 0; done < size;) {
        struct pollfd one = {.fd = self->socket, .events = POLLIN};
        int ready = poll(&one, 1, timeout_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t got = ready > 0 ? recv(self->socket, out + done, size - done, 0) : 0;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool epuck2_client_wait(struct epuck2_client *self, int kind, int timeout_ms)
{
    for (;;) {
        uint8_t id;
        if (!take(self, &id, 1, timeout_ms))
            return false;
        switch (id) {
        case EPUCK2_CLIENT_IMAGE:
            if (!take(self, self->image, sizeof self->image, timeout_ms))
                return false;
            self->images++;
            break;
        case EPUCK2_CLIENT_SENSORS:
            if (!take(self, self->sensors, sizeof self->sensors, timeout_ms))
                return false;
            self->packets++;
            break;
        case EPUCK2_CLIENT_EMPTY:
            self->empty++;
            break;
        default:
            return false;
        }
        if (id == kind)
            return true;
    }
}

static unsigned u16_at(const uint8_t *at)
{
    return (unsigned)at[0] | (unsigned)at[1] << 8;
}

unsigned epuck2_client_prox(const struct epuck2_client *self, unsigned which)
{
    return u16_at(self->sensors + 37 + 2 * which);
}

unsigned epuck2_client_ground(const struct epuck2_client *self, unsigned which)
{
    return u16_at(self->sensors + 90 + 2 * which);
}

int epuck2_client_steps(const struct epuck2_client *self, unsigned which)
{
    return (int16_t)u16_at(self->sensors + 79 + 2 * which);
}

void epuck2_client_pixel(const struct epuck2_client *self, unsigned column, unsigned row,
                         int rgb[3])
{
    const uint8_t *at = self->image + (row * EPUCK2_CLIENT_WIDTH + column) * 2;
    rgb[0] = at[0] & 0xf8;
    rgb[1] = (at[0] & 0x07) << 5 | (at[1] & 0xe0) >> 3;
    rgb[2] = (at[1] & 0x1f) << 3;
}
