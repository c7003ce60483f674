/* A pseudo-terminal as a virtual serial device. This process never keeps the slave open, because
 * the master would then not show a hang-up. */
#include "pty/terminal/pty_device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "pty/terminal/tty_mode.h"

enum { NODE_MODE = 0660 }; /* chosen: as udev sets it for serial devices */

static int peer_open(const struct pty_device *device)
{
    return ioctl(device->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static bool open_fail(struct pty_device *device, const char *step, struct error *error)
{
    int reason = errno;

    if (device->master >= 0)
        pty_device_close(device);
    if (reason == EMFILE || reason == ENFILE)
        return error_environment(
            error, "cannot make a pseudo-terminal: %s: %s; raise the limit (ulimit -n)", step,
            strerror(reason));
    return error_environment(
        error,
        "cannot make a pseudo-terminal: %s: %s; check that /dev/ptmx and /dev/pts exist, and that "
        "kernel.pty.max is not reached (sysctl kernel.pty)",
        step, strerror(reason));
}

/* Sets the mode of the start if the system supports it safely, otherwise the mode that the robot
 * needs. IS_SET: always the latter. */
static bool set_mode(const struct pty_device *device, int fd, bool is_set)
{
    return (!is_set && tty_mode_set_start(fd)) || tty_mode_set_raw(fd, device->baud);
}

bool pty_device_open(struct pty_device *device, uint32_t baud, struct error *error)
{
    unsigned number;

    device->baud = baud;
    device->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (device->master < 0)
        return open_fail(device, "/dev/ptmx", error);

    /* The slave is still locked, so no process can see that a new pty echoes. */
    if (!set_mode(device, device->master, false))
        return open_fail(device, "raw mode", error);
    if (unlockpt(device->master) != 0)
        return open_fail(device, "unlocking", error);
    if (ioctl(device->master, TIOCGPTN, &number) != 0)
        return open_fail(device, "its number", error);
    snprintf(device->node, sizeof device->node, "/dev/pts/%u", number);

    /* The master does not show "hung up" until the slave has been closed once. */
    int peer = peer_open(device);
    if (peer < 0)
        return open_fail(device, device->node, error);
    bool is_mode_set = fchmod(peer, NODE_MODE) == 0;
    int reason = errno;
    close(peer);
    errno = reason;
    return is_mode_set ? true : open_fail(device, "file mode", error);
}

void pty_device_close(struct pty_device *device)
{
    if (device->master >= 0)
        close(device->master);
    device->master = -1;
}

bool pty_device_is_hung_up(const struct pty_device *device)
{
    struct pollfd state = {.fd = device->master};

    return poll(&state, 1, 0) < 0 || (state.revents & POLLHUP) != 0;
}

/* Bytes to a host are in two buffers, and each flush clears only one of them. First comes the
 * master's output, then the slave's input in the line discipline. */
static void flush_unheard(const struct pty_device *device, int peer)
{
    tcflush(device->master, TCOFLUSH);
    tcflush(peer, TCIFLUSH);
}

/* The same for bytes on their way to the robot. */
static void flush_unread(const struct pty_device *device, int peer)
{
    tcflush(peer, TCOFLUSH);
    tcflush(device->master, TCIFLUSH);
}

bool pty_device_renew(struct pty_device *device, bool is_set, bool drop_unread)
{
    const int line_discipline = 0; /* N_TTY */
    int peer = peer_open(device);

    if (peer < 0)
        return false;
    /* State that survives from host to host: exclusive mode, line discipline, termios, bytes,
     * stopped output, and echoes held back by it. Only a write releases such echoes; an empty write
     * is enough. */
    bool is_echoing = tty_mode_is_echoing(peer);
    ioctl(peer, TIOCNXCL);
    ioctl(peer, TIOCSETD, &line_discipline);
    bool is_reset = set_mode(device, peer, is_set);
    flush_unheard(device, peer);
    tcflow(peer, TCOON);
    if (is_echoing && write(peer, "", 0) != 0)
        is_reset = false;
    if (is_echoing || drop_unread)
        flush_unread(device, peer);
    fchmod(peer, NODE_MODE);
    close(peer);
    return is_reset;
}

void pty_device_drop_unheard(struct pty_device *device)
{
    int peer = peer_open(device);

    if (peer >= 0) {
        flush_unheard(device, peer);
        close(peer);
    }
}

bool pty_device_unread(const struct pty_device *device, bool is_whole, size_t *bytes)
{
    int count = 0;
    int peer = ioctl(device->master, TIOCGPTPEER, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

    if (peer < 0)
        return false;
    if (is_whole)
        poll(&(struct pollfd){.fd = peer, .events = POLLIN}, 1, 0);
    bool is_known = ioctl(peer, FIONREAD, &count) == 0 && count >= 0;
    close(peer);
    *bytes = (size_t)count;
    return is_known;
}
