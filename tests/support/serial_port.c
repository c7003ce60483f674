#define _GNU_SOURCE
#include "tests/support/serial_port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tests/support/check.h"

int serial_port_open(const char *path)
{
    return open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int serial_port_await(const char *path)
{
    int port;
    WAIT_UNTIL((port = serial_port_open(path)) >= 0);
    return port;
}

void serial_port_set(int port, speed_t speed)
{
    struct termios mode;
    assert_int_equal(tcgetattr(port, &mode), 0);
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    assert_int_equal(cfsetspeed(&mode, speed), 0);
    assert_int_equal(tcsetattr(port, TCSANOW, &mode), 0);
}

int serial_port_read(int port, uint8_t *out, size_t cap, int timeout_ms)
{
    struct pollfd wait = {.fd = port, .events = POLLIN};
    int ready = poll(&wait, 1, timeout_ms);
    if (ready <= 0)
        return 0;
    ssize_t size = read(port, out, cap);
    return size > 0 ? (int)size : -1;
}

bool serial_port_write(int port, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        ssize_t wrote = write(port, from, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        size -= (size_t)wrote;
    }
    return true;
}
