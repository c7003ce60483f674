#define _GNU_SOURCE
#include "tests/support/epuck2_host.h"

#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/check.h"

static int try_open(const char *address, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    int host = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(host >= 0);
    /* Without a limit, Linux would buffer megabytes of unread data. */
    const int room = 65536;
    assert_int_equal(setsockopt(host, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    if (connect(host, (struct sockaddr *)&to, sizeof to) == 0)
        return host;
    close(host);
    return -1;
}

void epuck2_host_open(struct epuck2_host *self, const char *address, unsigned port)
{
    memset(self, 0, sizeof *self);
    WAIT_UNTIL((self->socket = try_open(address, port)) >= 0);
}

void epuck2_host_close(struct epuck2_host *self)
{
    close(self->socket);
    self->socket = -1;
}

void epuck2_host_send(struct epuck2_host *self, const void *bytes, size_t size)
{
    assert_int_equal(send(self->socket, bytes, size, MSG_NOSIGNAL), size);
}

void epuck2_host_order(struct epuck2_host *self, uint8_t request, uint8_t settings, int left,
                       int right)
{
    const uint8_t command[21] = {0x80,
                                 request,
                                 settings,
                                 (uint8_t)(left & 0xff),
                                 (uint8_t)(left >> 8 & 0xff),
                                 (uint8_t)(right & 0xff),
                                 (uint8_t)(right >> 8 & 0xff)};
    epuck2_host_send(self, command, sizeof command);
}

static void take(struct epuck2_host *self, uint8_t byte)
{
    static const size_t sizes[EPUCK2_HOST_KINDS] = {0, 38401, 105, 1};
    self->packet[self->used++] = byte;
    uint8_t id = self->packet[0];
    assert_in_range(id, 1, 3);
    if (self->used < sizes[id])
        return;
    self->used = 0;
    self->packets[id]++;
    self->last_but_one_id = self->last_id;
    self->last_id = id;
    if (id == 2)
        memcpy(self->sensors, self->packet + 1, sizeof self->sensors);
}

/* Reads the available bytes, waiting for at most MS milliseconds. */
static void read_some(struct epuck2_host *self, int ms)
{
    uint8_t bytes[65536];
    struct pollfd ready = {.fd = self->socket, .events = POLLIN};
    if (poll(&ready, 1, ms) <= 0)
        return;
    ssize_t size = recv(self->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    assert_true(size > 0);
    for (ssize_t i = 0; i < size; i++)
        take(self, bytes[i]);
}

void epuck2_host_hear(struct epuck2_host *self, int ms)
{
    int64_t end_ms = now_ms() + ms;
    for (int64_t left_ms = ms; left_ms > 0; left_ms = end_ms - now_ms())
        read_some(self, (int)left_ms);
}

void epuck2_host_await(struct epuck2_host *self, uint8_t id, uint64_t count)
{
    uint64_t wanted = self->packets[id] + count;
    int64_t end_ms = now_ms() + TEST_TIMEOUT_MS;
    while (self->packets[id] < wanted) {
        if (now_ms() > end_ms)
            fail_msg("waited in vain for packets of id %u", id);
        read_some(self, 100);
    }
}

int epuck2_host_steps(const struct epuck2_host *self, int wheel)
{
    const uint8_t *at = self->sensors + 79 + 2 * wheel;
    return (int16_t)(uint16_t)(at[0] | at[1] << 8);
}
