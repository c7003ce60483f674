#define _GNU_SOURCE
#include "tests/hosts/lidar_client.h"

#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

int lidar_open(const char *path, unsigned baud)
{
    int port = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    struct termios settings;
    if (port < 0 || tcgetattr(port, &settings) != 0)
        return -1;
    cfmakeraw(&settings);
    cfsetspeed(&settings, baud == 230400 ? B230400 : B115200);
    settings.c_cflag |= CLOCAL | CREAD;
    if (tcsetattr(port, TCSANOW, &settings) != 0 || tcflush(port, TCIFLUSH) != 0)
        return -1;
    return port;
}

bool lidar_ask(int port, uint8_t command)
{
    const uint8_t request[] = {0xA5, command};
    return write(port, request, sizeof request) == (ssize_t)sizeof request;
}

double lidar_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* In a node bit 0 and bit 1 differ, and bit 8 is 1; otherwise no node begins here. */
bool lidar_node_push(struct lidar_node *self, uint8_t byte)
{
    if (self->used == sizeof self->bytes)
        self->used = 0;
    self->bytes[self->used++] = byte;
    bool is_good =
        ((self->bytes[0] ^ self->bytes[0] >> 1) & 1) && (self->used < 2 || (self->bytes[1] & 1));
    if (is_good)
        return self->used == sizeof self->bytes;
    self->stray++;
    self->used--;
    memmove(self->bytes, self->bytes + 1, self->used);
    return false;
}
